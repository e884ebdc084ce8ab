import { Prisma, type Workspace } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Principal, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { lockOwn, type OwnOptions, requireOwn } from '../../records/own.js';
import { LINE_JOIN } from '../keys/line-sql.js';
import {
  agreementOf,
  claimsOnCaller,
  isSameId,
  type Statement,
  statementOf,
} from './boundary.rules.js';
import { type ClaimColumns, claimsJoin, PRESENT_HOLDER } from './claims-sql.js';

const SHOWN_MAX = 64;
const NO_WORKSPACE = 'none';

/**
 * The one workspace that all statements name.
 * @returns undefined where there is no statement
 * @throws workspace_boundary where two differ, naming both
 */
function requireAgreement(statements: readonly Statement[]): string | undefined {
  const agreement = agreementOf(statements);
  if (!agreement.contradiction) return agreement.workspaceId;
  return refuse(...agreement.contradiction);
}

function refuse(one: Statement, other: Statement): never {
  const values = {
    source: one.source,
    workspace: one.workspaceId,
    other: other.source,
    otherWorkspace: other.workspaceId.slice(0, SHOWN_MAX),
  };
  return fail('workspace_boundary', { values });
}

/**
 * The workspace of a request: what its caller belongs to, and what the request names must agree.
 * @param named what the request itself names, if anything
 * @throws workspace_boundary
 */
export function workspaceWithin(
  { workspaces }: Pick<Principal, 'workspaces'>,
  named: { readonly source: string; readonly id: unknown } | undefined,
): unknown {
  if (!workspaces) return named?.id;
  const statements = workspaces.map(statementOf);
  if (!named) return requireAgreement(statements);
  const { source, id } = named;
  const workspaceId = typeof id === 'string' ? id : typeof id;
  return requireAgreement([...statements, { source, workspaceId }]);
}

/**
 * The workspace that a caller is kept within in all that it reads and changes.
 * @returns undefined for a caller of no workspace
 * @throws workspace_boundary where the caller belongs to two
 */
export function workspaceOfCaller({ who }: AuthorizedCtx): string | undefined {
  return requireAgreement(claimsOnCaller(who).map(statementOf));
}

/**
 * Keeps what concerns more than one workspace to callers of none.
 * @throws workspace_caller_bound
 */
export function requireNoWorkspace({ who }: AuthorizedCtx): void {
  const [claim] = claimsOnCaller(who);
  if (claim) refuseBound(statementOf(claim));
}

/**
 * Keeps what concerns more than one workspace to callers of none, as the transaction sees them: who
 * was placed in a workspace since the request came is refused.
 * @throws workspace_caller_bound, workspace_boundary where the caller belongs to two
 */
export async function requireStillUnbound(ctx: AuthorizedCtx, tx: Transaction): Promise<void> {
  const claim = await workspaceOfMaker(ctx, tx);
  if (claim) refuseBound(claim);
}

function refuseBound({ source, workspaceId: workspace }: Statement): never {
  return fail('workspace_caller_bound', { values: { source, workspace } });
}

/**
 * A workspace of the organization that the caller may reach; with `lock`, held until the commit.
 * @throws not_found, also for one beyond the workspace of the caller
 */
export async function requireWorkspace(
  ctx: AuthorizedCtx,
  id: string,
  { lock, ...options }: OwnOptions & { readonly lock?: Transaction } = {},
): Promise<Workspace> {
  const within = workspaceOfCaller(ctx);
  if (within !== undefined && !isSameId(id, within)) {
    const { param = 'id' } = options;
    return fail('not_found', { values: { subject: 'workspace', id }, param });
  }
  return lock
    ? lockOwn(ctx, lock, 'Workspace', id, options)
    : requireOwn(ctx, 'Workspace', id, options);
}

interface KeyId {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
}

const JOINS = Prisma.raw(`${LINE_JOIN} ${claimsJoin(PRESENT_HOLDER)}`);
const LASTING_JOINS = Prisma.raw(`${LINE_JOIN} ${claimsJoin(PRESENT_HOLDER, 'lasting')}`);

async function statementsOfKey(
  tx: Transaction,
  { id, tenantId }: Omit<KeyId, 'name'>,
  joins = JOINS,
): Promise<readonly Statement[]> {
  const [row] = await tx.$queryRaw<ClaimColumns[]>(Prisma.sql`
    SELECT belonging.claims FROM api_key k ${joins}
    WHERE k.id = ${id}::uuid AND k.tenant_id = ${tenantId}::uuid`);
  return (row?.claims ?? []).map(statementOf);
}

/**
 * The workspace that a key belongs to, by itself, its line, its members and its project.
 * @throws workspace_boundary where these differ
 */
export async function workspaceOfKey(
  tx: Transaction,
  key: Omit<KeyId, 'name'>,
): Promise<string | undefined> {
  return requireAgreement(await statementsOfKey(tx, key));
}

/**
 * What keeps the caller within a workspace as the transaction sees it: a change that has committed
 * since the request came holds.
 * @throws workspace_boundary where the caller belongs to two
 */
export async function workspaceOfMaker(
  { who: { kind, id, tenantId } }: AuthorizedCtx,
  tx: Transaction,
): Promise<Statement | undefined> {
  if (kind === 'user') {
    const where = { id, tenantId };
    const { workspaceId = null } =
      (await tx.user.findFirst({ where, select: { workspaceId: true } })) ?? {};
    return workspaceId === null ? undefined : { source: `member ${id}`, workspaceId };
  }
  const statements = await statementsOfKey(tx, { id, tenantId });
  requireAgreement(statements);
  return statements[0];
}

/**
 * Keeps a caller of a workspace to the members of that workspace, where it could act as them.
 * @throws workspace_caller_bound
 */
export async function requireMemberWithin(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { workspaceId }: { readonly workspaceId: string | null },
): Promise<void> {
  const caller = await workspaceOfMaker(ctx, tx);
  if (caller && !isSameId(workspaceId, caller.workspaceId)) refuseBound(caller);
}

/**
 * Whether a key or token is outside of the workspace of the caller, which sees nothing of it. One
 * of two workspaces is outside of both.
 */
export async function isKeyBeyond(
  ctx: AuthorizedCtx,
  tx: Transaction,
  key: Omit<KeyId, 'name'>,
): Promise<boolean> {
  const caller = await workspaceOfMaker(ctx, tx);
  if (!caller) return false;
  const agreement = agreementOf(await statementsOfKey(tx, key));
  return (
    agreement.contradiction !== undefined || !isSameId(agreement.workspaceId, caller.workspaceId)
  );
}

/** What was asked for, as the answer to an unknown id names it. */
interface AskedFor {
  readonly subject: string;
  readonly id: string;
  /** The argument that named it; `id` unless stated. */
  readonly param?: string;
}

/**
 * Keeps a caller of a workspace to the keys of that workspace.
 * @throws not_found, for one beyond it exactly as for one that does not exist
 */
export async function requireKeyWithin(
  ctx: AuthorizedCtx,
  tx: Transaction,
  key: Omit<KeyId, 'name'>,
  { subject, id, param = 'id' }: AskedFor,
): Promise<void> {
  if (await isKeyBeyond(ctx, tx, key)) fail('not_found', { values: { subject, id }, param });
}

/**
 * Keeps a key that a caller of a workspace has changed in that workspace.
 * @throws workspace_boundary
 */
export async function requireKeyStays(
  ctx: AuthorizedCtx,
  tx: Transaction,
  key: KeyId,
): Promise<void> {
  const caller = await workspaceOfMaker(ctx, tx);
  if (!caller) return;
  const workspaceId = (await workspaceOfKey(tx, key)) ?? NO_WORKSPACE;
  if (isSameId(workspaceId, caller.workspaceId)) return;
  refuse(caller, { source: `key ${key.name}`, workspaceId });
}

/**
 * Hands a workspace on to a key that was just made: what binds its maker binds it as well, also
 * where nothing that they share says so.
 * @param from the maker, or the key that it replaces; undefined where that belongs to none
 * @throws workspace_boundary where the key states, or comes by, another one
 */
export async function handOn(
  tx: Transaction,
  key: KeyId,
  from: Statement | undefined,
): Promise<void> {
  const own = await workspaceOfKey(tx, key);
  if (!from) return;
  const isOther = own !== undefined && !isSameId(own, from.workspaceId);
  if (isOther) refuse(from, { source: `key ${key.name}`, workspaceId: own });
  // What the project of its maker says alone ends where the maker leaves it.
  if ((await statementsOfKey(tx, key, LASTING_JOINS)).length > 0) return;
  const where = { id: key.id, tenantId: key.tenantId };
  await tx.apiKey.update({ where, data: { workspaceId: from.workspaceId } });
}
