import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { ListOrder, ORDER_BY } from '../../graph/filters.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { ORIGIN_MEMBER, REQUEST_ORIGINS } from '../../kernel/origin.js';
import {
  LedgerFilterInput,
  LedgerTypeEnum,
  UsageFilterInput,
  UsageStatusEnum,
} from './filter-schema.js';
import { type LedgerLine, ledgerPage, type UsageLine, usagePage } from './lists.js';
import { type Balance, readBalance, type ToppedUp, topUpManually } from './service.js';
import {
  USAGE_OPERATIONS,
  USAGE_SOURCES,
  type UsageOperation,
  type UsageSource,
} from './vocabulary.js';

/** The ruble account of an organization. */
export const Account = builder.prismaNode('Account', {
  id: { field: 'id', description: 'The id of the account.' },
  description: 'The ruble account of an organization.',
  fields: (t) => ({
    currency: t.string({
      description: 'The currency of the account: always `RUB`.',
      resolve: () => 'RUB',
    }),
    postedRub: t.expose('postedMicro', { type: 'Rub', description: 'What the account owns.' }),
    heldRub: t.expose('heldMicro', {
      type: 'Rub',
      description: 'What open requests reserve of it.',
    }),
  }),
});

const BalanceType = builder.objectRef<Balance>('Balance').implement({
  description: 'The funds of the organization and its commercial terms.',
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'ID', description: 'The ruble account.' }),
    currency: t.string({
      description: 'The currency of all amounts: always `RUB`.',
      resolve: () => 'RUB',
    }),
    postedRub: t.expose('postedMicro', { type: 'Rub', description: 'What the account owns.' }),
    heldRub: t.expose('heldMicro', {
      type: 'Rub',
      description: 'What open requests reserve of it; it is charged or released when they end.',
    }),
    availableRub: t.expose('availableMicro', {
      type: 'Rub',
      description: 'What new requests can use: posted less held.',
    }),
    plan: t.exposeString('plan', { description: 'The commercial plan.' }),
    slaClass: t.exposeString('slaClass', { description: 'The class of the service level.' }),
    commitRub: t.expose('commitMicro', {
      type: 'Rub',
      description: 'The committed spend of the contract, 0 without one.',
    }),
  }),
});

export const LedgerEntry = builder.objectRef<LedgerLine>('LedgerEntry').implement({
  description:
    'A line of the append-only ledger. One balanced transaction each: what leaves one side ' +
    'enters the other.',
  fields: (t) => ({
    id: t.id({
      description: 'Unique in the organization: the request and the kind of operation.',
      resolve: (line) => `${line.request_id}.${line.type}`,
    }),
    sequence: t.expose('account_version', {
      type: 'BigInt',
      description: 'Position in the ledger of the account, without gaps.',
    }),
    type: t.field({
      type: LedgerTypeEnum,
      description: 'The kind of operation.',
      resolve: (line) => line.type,
    }),
    requestId: t.expose('request_id', {
      type: 'ID',
      description: 'Joins holds, charges and usage of one request.',
    }),
    contra: t.exposeString('contra', { description: 'The other side of the transaction.' }),
    amountRub: t.expose('amount_micro', { type: 'Rub', description: 'The amount, VAT included.' }),
    vatRub: t.expose('vat_micro', {
      type: 'Rub',
      description: 'The VAT inside the amount; 0 for reservations.',
    }),
    netRub: t.field({
      type: 'Rub',
      description: 'The amount without VAT.',
      resolve: (line) => line.amount_micro - line.vat_micro,
    }),
    vatRatePercent: t.float({
      nullable: true,
      description: 'The VAT rate by date of supply; null for reservations.',
      resolve: (line) =>
        line.vat_rate_basis_points === null ? null : line.vat_rate_basis_points / 100,
    }),
    postedDeltaRub: t.expose('posted_delta', {
      type: 'Rub',
      description: 'Change of what the account owns.',
    }),
    heldDeltaRub: t.expose('held_delta', { type: 'Rub', description: 'Change of what is held.' }),
    postedAfterRub: t.expose('posted_after', {
      type: 'Rub',
      description: 'What the account owned after the entry.',
    }),
    heldAfterRub: t.expose('held_after', {
      type: 'Rub',
      description: 'What open requests reserved after the entry.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What a person wrote; null for entries of requests.',
    }),
    actorId: t.expose('actor_id', {
      type: 'ID',
      nullable: true,
      description: 'The member or key that posted it; null for entries of requests.',
    }),
    model: t.exposeString('model', { nullable: true, description: 'The model of the request.' }),
    feature: t.exposeString('feature', {
      nullable: true,
      description: '`metadata.feature` of the request.',
    }),
    clientId: t.exposeString('client_id', {
      nullable: true,
      description: '`metadata.client_id` of the request.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was written.' }),
  }),
});

const UsageOperationEnum = builder.enumType('UsageOperation', {
  description: 'What can be asked of a model.',
  values: enumValues(USAGE_OPERATIONS),
});

const UsageSourceEnum = builder.enumType('UsageSource', {
  description: 'Who counted the tokens of a request.',
  values: enumValues(USAGE_SOURCES),
});

const UsageTokens = builder.objectRef<UsageLine>('UsageTokens').implement({
  description: 'Tokens by price class; the classes do not overlap.',
  fields: (t) => ({
    inputUncached: t.exposeInt('input_uncached', { description: 'Prompt tokens read anew.' }),
    inputCached: t.exposeInt('input_cached', { description: 'Prompt tokens read from a cache.' }),
    cacheWrite: t.exposeInt('cache_write', { description: 'Prompt tokens written to a cache.' }),
    outputText: t.exposeInt('output_text', { description: 'Tokens of the answer itself.' }),
    outputReasoning: t.exposeInt('output_reasoning', {
      description: 'Tokens of reasoning before the answer.',
    }),
  }),
});

const RequestOriginEnum = builder.enumType('RequestOrigin', {
  description: 'Why the gateway made a request by itself, in the name of its caller.',
  values: enumValues(REQUEST_ORIGINS),
});

export const UsageEvent = builder.objectRef<UsageLine>('UsageEvent').implement({
  description: 'One request as it was billed: metadata only, never prompt or answer.',
  fields: (t) => ({
    id: t.expose('id', { type: 'ID', description: 'The request id; joins to the ledger.' }),
    projectId: t.expose('project_id', {
      type: 'ID',
      description: 'The project that the request was made in.',
    }),
    keyId: t.expose('key_id', { type: 'ID', nullable: true, description: 'The key, if one.' }),
    userId: t.expose('user_id', {
      type: 'ID',
      nullable: true,
      description: 'The member, if one asked with a token.',
    }),
    operation: t.field({
      type: UsageOperationEnum,
      description: 'What was asked of a model.',
      resolve: ({ operation }) => operation as UsageOperation,
    }),
    requestedModel: t.exposeString('requested_model', { description: 'The model asked for.' }),
    model: t.exposeString('model', { description: 'The model that answered.' }),
    provider: t.exposeString('provider', { description: 'The provider that answered.' }),
    route: t.exposeString('route', { description: 'The jurisdiction of the data route.' }),
    simulated: t.exposeBoolean('simulated', { description: 'True when the sandbox answered.' }),
    feature: t.exposeString('feature', {
      nullable: true,
      description: 'What `metadata.feature` of the request said; null where it said nothing.',
    }),
    environment: t.exposeString('environment', {
      nullable: true,
      description: 'What `metadata.environment` of the request said; null where it said nothing.',
    }),
    clientId: t.exposeString('client_id', {
      nullable: true,
      description: 'What `metadata.client_id` of the request said; null where it said nothing.',
    }),
    tokens: t.field({
      type: UsageTokens,
      description: 'The tokens that were billed, by price class.',
      resolve: (line) => line,
    }),
    usageSource: t.field({
      type: UsageSourceEnum,
      description: 'Who counted the tokens.',
      resolve: ({ usage_source }) => usage_source as UsageSource,
    }),
  }),
});

builder.objectFields(UsageEvent, (t) => ({
  amountRub: t.expose('amount_micro', { type: 'Rub', description: 'Charged, VAT included.' }),
  vatRub: t.expose('vat_micro', { type: 'Rub', description: 'The VAT inside the amount.' }),
  netRub: t.field({
    type: 'Rub',
    description: 'The amount without VAT.',
    resolve: (line) => line.amount_micro - line.vat_micro,
  }),
  vatRatePercent: t.float({
    description: 'The VAT rate by date of supply.',
    resolve: (line) => line.vat_rate_basis_points / 100,
  }),
  status: t.field({
    type: UsageStatusEnum,
    description: 'How the request ended.',
    resolve: (line) => line.status,
  }),
  errorCode: t.exposeString('error_code', {
    nullable: true,
    description: 'The error code of a failed request.',
  }),
  httpStatus: t.exposeInt('http_status', { description: 'The HTTP status it answered.' }),
  finishReason: t.exposeString('finish_reason', {
    nullable: true,
    description: 'Why the model stopped; null when it did not finish.',
  }),
  streamed: t.exposeBoolean('streamed', { description: 'True for a streamed answer.' }),
  latencyMs: t.exposeInt('latency_ms', { description: 'From arrival to the last byte.' }),
  timeToFirstTokenMs: t.exposeInt('time_to_first_token_ms', {
    nullable: true,
    description: 'From arrival to the first content; null when none came.',
  }),
  upstreamMs: t.exposeInt('upstream_ms', {
    nullable: true,
    description: 'Time spent in the provider; null when none was called.',
  }),
  attempts: t.exposeInt('attempts', { description: 'Calls made to providers.' }),
  dataClass: t.exposeString('data_class', { description: 'The class of the data, C0 to C4.' }),
  policyVersions: t.expose('policy_versions', {
    type: 'JSON',
    description: 'The policies in force: id and version.',
  }),
  createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was settled.' }),
  origin: t.field({
    type: RequestOriginEnum,
    nullable: true,
    description:
      'Why the gateway made the request by itself; null for requests of clients. Such requests ' +
      'are no live traffic.',
    resolve: ({ metadata }) => metadata[ORIGIN_MEMBER] ?? null,
  }),
}));

const ToppedUpType = builder.objectRef<ToppedUp>('BillingTopUp').implement({
  description: 'A top-up and the balance after it.',
  fields: (t) => ({
    requestId: t.expose('requestId', { type: 'ID', description: 'Its id in the ledger.' }),
    amountRub: t.expose('amountMicro', { type: 'Rub', description: 'What was added.' }),
    balance: t.expose('balance', { type: BalanceType, description: 'The balance after it.' }),
  }),
});

builder.queryFields((t) => ({
  balance: t.field({
    type: BalanceType,
    description: 'Funds, plan, SLA class and commit.',
    authScopes: { can: 'billing.read' },
    resolve: (_root, _args, ctx) => readBalance(authorized(ctx)),
  }),
  ledger: t.field({
    type: connectionOf(LedgerEntry),
    description: 'The append-only ledger of the account.',
    authScopes: { can: 'billing.read' },
    complexity: pageComplexity,
    args: {
      ...forwardArgs(t),
      filter: t.arg({
        type: LedgerFilterInput,
        description: 'Which entries to list; all unless stated.',
      }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    resolve: (_root, args, ctx) => ledgerPage(authorized(ctx), args, args.filter ?? {}),
  }),
  usage: t.field({
    type: connectionOf(UsageEvent),
    description: 'Usage of the organization: metadata only, never prompts or answers.',
    authScopes: { can: 'usage.read' },
    complexity: pageComplexity,
    args: {
      ...forwardArgs(t),
      filter: t.arg({
        type: UsageFilterInput,
        description: 'Which requests to list; all unless stated.',
      }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    resolve: (_root, args, ctx) => usagePage(authorized(ctx), args, args.filter ?? {}),
  }),
}));

builder.mutationFields((t) => ({
  billingTopUp: t.field({
    type: ToppedUpType,
    description:
      'Adds funds by hand, for development and tests. At least 500 RUB are recommended before ' +
      'the first request.',
    authScopes: { can: 'billing.top_up' },
    args: {
      amount: t.arg({ type: 'Rub', required: true, description: 'How much, VAT included.' }),
      note: t.arg.string({ description: 'Shown in the ledger.' }),
    },
    resolve: (_root, { amount, note }, ctx) => topUpManually(authorized(ctx), amount, note),
  }),
}));
