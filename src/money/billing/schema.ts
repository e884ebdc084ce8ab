import type { UsageEvent as UsageRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { workspacesAround } from '../../graph/confined.js';
import { authorized, database } from '../../graph/database.js';
import { filterArgs } from '../../graph/filters.js';
import { addReadRight, loadNodesOf } from '../../graph/node.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, enumOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import {
  bigInteger,
  code,
  fieldTable,
  flag,
  instant,
  integer,
  money,
  number,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { ORIGIN_MEMBER, REQUEST_ORIGINS, type RequestOrigin } from '../../kernel/origin.js';
import { LEDGER_FILTER, USAGE_FILTER } from './filters.js';
import { booksPage, LEDGER, type LedgerLine, USAGE } from './lists.js';
import { readBalance, topUpManually } from './service.js';
import { BALANCE, TERMS, TOP_UP } from './tables.js';
import { setTerms } from './terms.js';
import {
  LEDGER_TYPES,
  SLA_CLASSES,
  TERMS_BOUNDS,
  USAGE_OPERATIONS,
  USAGE_SOURCES,
  USAGE_STATUSES,
} from './vocabulary.js';

/** The ruble account of an organization. */
export const Account = builder.prismaNode('Account', {
  id: { field: 'id', description: 'The id of the account.' },
  description: 'The ruble account of an organization.',
  fields: (t) => ({
    ...storedFields(t, {
      postedMicro: money('What the account owns.'),
      heldMicro: money('What open requests reserve of it.'),
    }),
    currency: t.string({
      description: 'The currency of the account: always `RUB`.',
      resolve: () => 'RUB',
    }),
  }),
});

/** The part of an amount that is no tax. */
const NET = { netMicro: money('The amount without VAT.') };

function netOf(line: { readonly amountMicro: bigint; readonly vatMicro: bigint }) {
  return { netMicro: line.amountMicro - line.vatMicro };
}

const LEDGER_FIGURES = {
  sequence: bigInteger('Position in the ledger of the account, without gaps.'),
  vatRatePercent: optional(
    number('The VAT rate by date of supply or receipt; null where neither is.'),
  ),
  postedDeltaMicro: money('Change of what the account owns.'),
  heldDeltaMicro: money('Change of what is held.'),
  postedAfterMicro: money('What the account owned after the entry.'),
  heldAfterMicro: money('What open requests reserved after the entry.'),
};

/**
 * Its id is no uuid, so it is no `Node`: the key of a line is its place in the ledger of the
 * account, and customers join lines by request and kind.
 */
export const LedgerEntry = builder.objectRef<LedgerLine>('LedgerEntry').implement({
  description:
    'A line of the append-only ledger. One balanced transaction each: what leaves one side ' +
    'enters the other.',
  fields: (t) => ({
    ...storedFields(t, {
      type: code(LEDGER_TYPES, 'The kind of operation.'),
      requestId: uuid('Joins holds, charges and usage of one request.'),
      chargedRequestId: optional(
        uuid('The request whose charge a refund gives back; null for all else.'),
      ),
      contra: text('The other side of the transaction.'),
      amountMicro: money('The amount, VAT included.'),
      vatMicro: money('The VAT inside the amount; 0 where nothing was supplied or received.'),
      description: optional(text('What a person wrote; null for entries of requests.')),
      actorId: optional(uuid('The member or key that posted it; null for entries of requests.')),
      model: optional(text('The model of the request.')),
      feature: optional(text('`metadata.feature` of the request.')),
      clientId: optional(text('`metadata.client_id` of the request.')),
      createdAt: instant('When it was written.'),
    }),
    ...shownFields(t, NET, netOf),
    ...shownFields(t, LEDGER_FIGURES, (line) => ({
      sequence: line.accountVersion,
      vatRatePercent: line.vatRateBasisPoints === null ? null : line.vatRateBasisPoints / 100,
      postedDeltaMicro: line.postedDelta,
      heldDeltaMicro: line.heldDelta,
      postedAfterMicro: line.postedAfter,
      heldAfterMicro: line.heldAfter,
    })),
    id: t.id({
      description: 'Unique in the organization: the request and the kind of operation.',
      resolve: (line) => `${line.requestId}.${line.type}`,
    }),
  }),
});

const UsageTokens = builder.objectRef<UsageRow>('UsageTokens').implement({
  description: 'Tokens by price class; the classes do not overlap.',
  fields: (t) =>
    storedFields(t, {
      inputUncached: integer('Prompt tokens read anew.'),
      inputCached: integer('Prompt tokens read from a cache.'),
      cacheWrite: integer('Prompt tokens written to a cache.'),
      outputText: integer('Tokens of the answer itself.'),
      outputReasoning: integer('Tokens of reasoning before the answer.'),
    }),
});

const USAGE_EVENT = {
  projectId: uuid('The project that the request was made in.'),
  keyId: optional(uuid('The key, if one.')),
  userId: optional(uuid('The member, if one asked with a token.')),
  operation: code(USAGE_OPERATIONS, 'What was asked of a model.'),
  requestedModel: text('The model asked for.'),
  model: text('The model that answered.'),
  provider: text('The provider that answered.'),
  route: text('The jurisdiction of the data route.'),
  simulated: flag('True when the sandbox answered.'),
  feature: optional(
    text('What `metadata.feature` of the request said; null where it said nothing.'),
  ),
  environment: optional(
    text('What `metadata.environment` of the request said; null where it said nothing.'),
  ),
  clientId: optional(
    text('What `metadata.client_id` of the request said; null where it said nothing.'),
  ),
  usageSource: code(USAGE_SOURCES, 'Who counted the tokens.'),
  amountMicro: money('Charged, VAT included.'),
  vatMicro: money('The VAT inside the amount.'),
  status: code(USAGE_STATUSES, 'How the request ended.'),
  errorCode: optional(text('The error code of a failed request.')),
  httpStatus: integer('The HTTP status it answered.'),
  finishReason: optional(text('Why the model stopped; null when it did not finish.')),
  streamed: flag('True for a streamed answer.'),
  latencyMs: integer('From arrival to the last byte.'),
  timeToFirstTokenMs: optional(integer('From arrival to the first content; null when none came.')),
  upstreamMs: optional(integer('Time spent in the provider; null when none was called.')),
  attempts: integer('Calls made to providers.'),
  dataClass: text('The class of the data, C0 to C4.'),
  createdAt: instant('When it was settled.'),
};

const POLICY_IN_FORCE = fieldTable('UsagePolicy', 'A policy that held for a request.', {
  policyId: uuid('The id of the policy.'),
  version: integer('The version of it that held.'),
});

/** The row keeps versions by the ids of their policies. */
function policiesOf(versions: unknown): ValuesOf<typeof POLICY_IN_FORCE.fields>[] {
  return Object.entries(versions as Readonly<Record<string, number>>).map(
    ([policyId, version]) => ({ policyId, version }),
  );
}

export const UsageEvent = builder.objectRef<UsageRow>('UsageEvent').implement({
  description: 'One request as it was billed: metadata only, never prompt or answer.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The request id; joins to the ledger.' }),
    ...storedFields(t, USAGE_EVENT),
    ...shownFields(t, NET, netOf),
    tokens: t.field({
      type: UsageTokens,
      description: 'The tokens that were billed, by price class.',
      resolve: (line) => line,
    }),
    policyVersions: t.field({
      type: [outputOf(POLICY_IN_FORCE)],
      description: 'The policies that held for the request, each with its version.',
      resolve: ({ policyVersions }) => policiesOf(policyVersions),
    }),
    vatRatePercent: t.float({
      description: 'The VAT rate by date of supply.',
      resolve: (line) => line.vatRateBasisPoints / 100,
    }),
    origin: t.field({
      type: enumOf(REQUEST_ORIGINS),
      nullable: true,
      description:
        'Why the gateway made the request by itself; null for requests of clients. Such requests ' +
        'are no live traffic.',
      resolve: ({ metadata }) =>
        (metadata as { readonly [ORIGIN_MEMBER]?: RequestOrigin })[ORIGIN_MEMBER] ?? null,
    }),
  }),
});

/** Whether a request was made under each of these workspaces. */
function isWithin({ metadata }: UsageRow, workspaceIds: readonly string[]): boolean {
  const { gw_workspace: used } = metadata as { readonly gw_workspace?: { readonly id: string } };
  return workspaceIds.every((id) => used?.id === id);
}

addReadRight('Request', 'usage.read');
loadNodesOf('Request', async (ctx, ids) => {
  const rows = await database(ctx).usageEvent.findMany({ where: { id: { in: [...ids] } } });
  return rows
    .filter((row) => isWithin(row, workspacesAround(ctx)))
    .map((row) => ({ ...row, __typename: 'UsageEvent' }));
});

builder.queryFields((t) => ({
  balance: t.field({
    type: outputOf(BALANCE),
    description: 'Funds, plan, SLA class and commit.',
    authScopes: { can: 'balance.read' },
    resolve: (_root, _args, ctx) => readBalance(authorized(ctx)),
  }),
  ledger: t.field({
    type: connectionOf(LedgerEntry),
    description: 'The append-only ledger of the account.',
    authScopes: { can: 'billing.read' },
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...filterArgs(t, LEDGER_FILTER, 'entries') },
    resolve: (_root, args, ctx) => booksPage(authorized(ctx), LEDGER, args),
  }),
  usage: t.field({
    type: connectionOf(UsageEvent),
    description:
      'Usage of the organization: metadata only, never prompts or answers. A caller of a ' +
      'workspace sees the requests that were made under it.',
    authScopes: { can: 'usage.read' },
    complexity: pageComplexity,
    args: { ...forwardArgs(t), ...filterArgs(t, USAGE_FILTER, 'requests') },
    resolve: (_root, args, ctx) => booksPage(authorized(ctx), USAGE, args),
  }),
}));

builder.mutationFields((t) => ({
  billingTopUp: t.field({
    type: outputOf(TOP_UP),
    description:
      'Adds funds by hand, for development and tests. At least 500 RUB are recommended before ' +
      'the first request.',
    authScopes: { can: 'billing.top_up' },
    args: {
      amount: t.arg({ type: 'Rub', required: true, description: 'How much, VAT included.' }),
      ...argsOf(t, { note: optional(text('Shown in the ledger.')) }),
    },
    resolve: (_root, { amount, note }, ctx) => topUpManually(authorized(ctx), amount, note),
  }),
  commercialTermsSet: t.field({
    type: outputOf(TERMS),
    description:
      'Writes the commercial terms of an organization; for administrators of the platform alone. ' +
      'What is left out stays as it is in force now. Recorded in the trail of that organization.',
    authScopes: { can: 'profile.read' },
    args: argsOf(t, {
      tenantId: uuid('The id of the organization whose terms are set.'),
      plan: optional(text(`The plan, at most ${TERMS_BOUNDS.planChars} characters.`)),
      slaClass: optional(code(SLA_CLASSES, 'The class of the service level.')),
      commitMicro: optional(money('What is committed a month; 0 for nothing.')),
      effectiveFrom: optional(instant('From when on; now unless stated, never in the past.')),
      reason: text(`Why, 1 to ${TERMS_BOUNDS.reasonChars} characters.`),
    }),
    resolve: (_root, { commitRub, ...order }, ctx) =>
      setTerms(authorized(ctx), { ...order, commitMicro: commitRub }),
  }),
}));
