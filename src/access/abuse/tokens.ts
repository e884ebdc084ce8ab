import type { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { accountableMember } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { lockOwn } from '../../records/own.js';
import { isWellFormedKey, newToken, TOKEN_PREFIX } from '../keys/format.js';
import { earlierEnd, endOfMaker, requirePlaceInLine } from '../keys/maker.js';
import { shareMakers } from '../keys/makers-lock.js';
import { isKeyBeyond, requireKeyWithin } from '../workspaces/boundary.js';
import { type TOKEN_FIELDS, TOKEN_INPUT, type VALIDATION, VALIDATION_INPUT } from './tables.js';
import { remainingCostMicro, tokenModelFaults, tokenState, tokenTerms } from './token.rules.js';
import { EPHEMERAL_SCOPES, TOKEN_NAME_MAX, type TokenState } from './vocabulary.js';

/** What a token is shown with: its key, and what its budget has counted. */
export const TOKEN_INCLUDE = {
  key: true,
  budget: { include: { counters: true } },
} as const satisfies Prisma.EphemeralTokenInclude;

/** A token with its key and its budget. */
export type WholeToken = Prisma.EphemeralTokenGetPayload<{ include: typeof TOKEN_INCLUDE }>;

/** A token with its value, which is shown this once. */
export interface IssuedToken {
  readonly ephemeralToken: WholeToken;
  readonly token: string;
}

const SHOWN_PREFIX_LENGTH = TOKEN_PREFIX.length + 4;
const NAME = { action: 'ephemeralTokenIssue', subject: 'EphemeralToken' } as const;

/**
 * Issues a token. Only its keyed hash is stored. It has the rights of its scope as far as whoever
 * issues it has them.
 * @throws invalid_request with every fault, api_key_revoked or invalid_token where its
 * issuer has ended
 */
export async function issueToken(ctx: AuthorizedCtx, given: GivenValues): Promise<IssuedToken> {
  requirePlaceInLine(ctx);
  const stated = inputValues(TOKEN_INPUT.fields, given);
  const { terms, faults } = tokenTerms(stated);
  const known = new Set(ctx.services.modelNames());
  failOnFaults([
    ...inputFaults(TOKEN_INPUT.fields, stated, 'input'),
    ...faults,
    ...tokenModelFaults(stated.allowedModels, known),
  ]);
  const { tenantId, id: createdBy, boundRole } = ctx.who;
  const token = newToken();
  const id = newId('EphemeralToken');
  const name = (stated.name ?? stated.scope).trim();
  const keyHash = new Uint8Array(ctx.services.hashKey(token));
  const prefix = token.slice(0, SHOWN_PREFIX_LENGTH);
  return change(ctx, NAME, async (tx) => {
    const endsAt = new Date(sharedNowMs() + terms.ttlSeconds * 1_000);
    const expiresAt = earlierEnd(endsAt, await endOfMaker(ctx, tx));
    const projectId = await projectOfMaker(ctx, tx);
    const accountableId = await accountableMember(tx, ctx.who);
    const budgetId = await openBudget(tx, { tenantId, tokenId: id, name, terms });
    await tx.apiKey.create({
      data: {
        id,
        tenantId,
        projectId,
        name,
        keyType: 'ephemeral',
        keyHash,
        prefix,
        lastFour: token.slice(-4),
        createdBy,
        accountableId,
        boundRole,
        expiresAt,
      },
    });
    const limits = {
      scope: stated.scope,
      allowedModels: [...(stated.allowedModels ?? [])],
      modelsLimited: stated.allowedModels !== null,
      requestsMax: terms.maxRequests,
      costMaxMicro: terms.maxCostMicro,
    };
    const data = { id, tenantId, budgetId, ...limits };
    const ephemeralToken = await tx.ephemeralToken.create({ data, include: TOKEN_INCLUDE });
    const costMaxMicro = terms.maxCostMicro.toString();
    const after = { name, ...limits, costMaxMicro, expiresAt: expiresAt.toISOString() };
    return { result: { ephemeralToken, token }, id, after };
  });
}

/** Tokens act in the project in which their key is now; it is not moved while makers are shared. */
async function projectOfMaker({ who }: AuthorizedCtx, tx: Transaction): Promise<string> {
  if (who.kind === 'user') return who.projectId;
  const where = { id: who.id, tenantId: who.tenantId };
  return (await tx.apiKey.findFirstOrThrow({ where })).projectId;
}

interface NewBudget {
  readonly tenantId: string;
  readonly tokenId: string;
  readonly name: string;
  readonly terms: { readonly maxCostMicro: bigint };
}

/** The budget of all that a token costs; the hold of each of its requests names it. */
async function openBudget(tx: Transaction, { tenantId, tokenId, name, terms }: NewBudget) {
  const id = newId('Budget');
  await tx.budget.create({
    data: {
      id,
      tenantId,
      scopeKind: 'ephemeral_token',
      scopeRef: tokenId,
      name: `ephemeral token ${name}`.slice(0, TOKEN_NAME_MAX),
      period: 'total',
      capMicro: terms.maxCostMicro,
    },
  });
  return id;
}

/**
 * Revokes a token: the next request with it is refused on every node. One that is revoked already
 * stays as it is.
 * @throws not_found, also for one of another workspace
 */
export function revokeToken(ctx: AuthorizedCtx, id: string): Promise<WholeToken> {
  const name = { action: 'ephemeralTokenRevoke', subject: 'EphemeralToken' } as const;
  const work = async (tx: Transaction) => {
    await shareMakers(tx, ctx.who.tenantId);
    await lockOwn(ctx, tx, 'EphemeralToken', id);
    const where = { id, tenantId: ctx.who.tenantId };
    const subject = 'ephemeral token';
    await requireKeyWithin(ctx, tx, where, { subject, id });
    const { count } = await tx.apiKey.updateMany({
      where: { ...where, revokedAt: null },
      data: { revokedAt: sharedNow() },
    });
    const result = await tx.ephemeralToken.findFirstOrThrow({ where, include: TOKEN_INCLUDE });
    if (count === 0) return { result };
    return { result, id, before: { revoked: false }, after: { revoked: true } };
  };
  return change(ctx, name, work);
}

type Validation = ValuesOf<typeof VALIDATION.fields>;

/**
 * Answers a broker that was shown a token. Where it works, a request of it is counted in the same
 * statement that looks whether one is left. A token of another organization, or beyond the
 * workspace of the caller, is an unknown one.
 * @throws invalid_request with every fault
 */
export function validateToken(ctx: AuthorizedCtx, given: GivenValues): Promise<Validation> {
  const stated = inputValues(VALIDATION_INPUT.fields, given);
  failOnFaults(inputFaults(VALIDATION_INPUT.fields, stated, 'input'));
  const { token } = stated;
  const { tenantId } = ctx.who;
  const name = { action: 'ephemeralTokenValidate', subject: 'EphemeralToken' } as const;
  return change(ctx, name, async (tx) => {
    const id = await idOf(ctx, tx, token);
    if (id === undefined) return { result: UNKNOWN };
    const where = { id, tenantId };
    // Whoever asks for the same token waits here, and then sees what this one has counted.
    await lockOwn(ctx, tx, 'EphemeralToken', id);
    if (await isKeyBeyond(ctx, tx, where)) return { result: UNKNOWN };
    const whole = await tx.ephemeralToken.findFirstOrThrow({ where, include: TOKEN_INCLUDE });
    const now = await databaseNow(tx);
    const state = stateOf(whole, now);
    if (state !== 'active') return { result: answered(whole, state, now) };
    const before = { requestsUsed: whole.requestsUsed };
    const requestsUsed = whole.requestsUsed + 1;
    await tx.ephemeralToken.update({ where, data: { requestsUsed: { increment: 1 } } });
    const result = answered({ ...whole, requestsUsed }, state, now);
    return { result, id, before, after: { requestsUsed } };
  });
}

async function idOf(ctx: AuthorizedCtx, tx: Transaction, token: string) {
  if (!token.startsWith(TOKEN_PREFIX) || !isWellFormedKey(token)) return undefined;
  const hashes = ctx.services.keyHashes(token).map((each) => new Uint8Array(each));
  const where = { tenantId: ctx.who.tenantId, keyHash: { in: hashes }, keyType: 'ephemeral' };
  return (await tx.apiKey.findFirst({ where, select: { id: true } }))?.id;
}

const UNKNOWN: Validation = {
  valid: false,
  refusal: 'unknown',
  tokenId: null,
  scope: null,
  operations: [],
  allowedModels: null,
  remainingRequests: 0,
  remainingCostMicro: 0n,
  expiresAt: null,
  remainingSeconds: 0,
};

function answered(whole: WholeToken, state: TokenState, now: Date): Validation {
  const { id, key, requestsMax, requestsUsed } = whole;
  const { scope, allowedModels, maxCostMicro, spentMicro, heldMicro } = shownToken(whole);
  const valid = state === 'active';
  const leftMs = (key.expiresAt?.getTime() ?? 0) - now.getTime();
  return {
    valid,
    refusal: valid ? null : state,
    tokenId: id,
    scope,
    operations: [...(EPHEMERAL_SCOPES.find(scope)?.operations ?? [])],
    allowedModels,
    remainingRequests: Math.max(0, requestsMax - requestsUsed),
    remainingCostMicro: remainingCostMicro({ spentMicro, heldMicro, costMaxMicro: maxCostMicro }),
    expiresAt: key.expiresAt,
    remainingSeconds: Math.max(0, Math.floor(leftMs / 1_000)),
  };
}

function stateOf(whole: WholeToken, now: Date): TokenState {
  const { spentMicro, heldMicro } = countedOf(whole);
  const { requestsUsed, requestsMax, costMaxMicro, key } = whole;
  const { revokedAt, expiresAt } = key;
  const limits = { requestsUsed, requestsMax, costMaxMicro };
  return tokenState({ revokedAt, expiresAt, ...limits, spentMicro, heldMicro }, now);
}

/** A budget in total has one period, and none before its first hold. */
function countedOf({ budget }: Pick<WholeToken, 'budget'>) {
  const [counter] = budget.counters;
  return { spentMicro: counter?.spentMicro ?? 0n, heldMicro: counter?.heldMicro ?? 0n };
}

/** A token as it is shown. */
export function shownToken(whole: WholeToken): ValuesOf<typeof TOKEN_FIELDS> {
  const { key, allowedModels, modelsLimited, requestsMax, requestsUsed, costMaxMicro } = whole;
  if (!key.expiresAt) throw new Error(`the token ${whole.id} never ends`);
  return {
    name: key.name,
    scope: EPHEMERAL_SCOPES.parse(whole.scope),
    state: stateOf(whole, sharedNow()),
    allowedModels: modelsLimited ? allowedModels : null,
    maxRequests: requestsMax,
    requestsUsed,
    maxCostMicro: costMaxMicro,
    ...countedOf(whole),
    prefix: key.prefix,
    lastFour: key.lastFour,
    projectId: key.projectId,
    issuedBy: key.createdBy,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    createdAt: whole.createdAt,
  };
}
