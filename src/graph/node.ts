import { fail, GatewayError } from '../kernel/errors/fail.js';
import { type IdKind, kindOfId } from '../kernel/ids.js';
import { confinedRefusal } from './confined.js';
import type { Ctx } from './ctx.js';
import type { Permission } from './permissions.js';

/** What it takes to read a thing by its id: the permission that its list asks for. */
const READ_RIGHTS = new Map<IdKind, Permission>();

/** Lets `node(id)` load things of a kind for whoever has the permission. No other is loaded. */
export function addReadRight(kind: IdKind, permission: Permission): void {
  READ_RIGHTS.set(kind, permission);
}

/** A thing that knows its id and, for the schema, its type. */
interface Loaded {
  readonly id: string;
}

/** Reads things of a kind by their ids; those that are not there are left out. */
export type NodeLoader = (ctx: Ctx, ids: readonly string[]) => Promise<readonly Loaded[]>;

const loaders = new Map<IdKind, NodeLoader>();

/** Says how a kind is read whose ids do not name its GraphQL type. */
export function loadNodesOf(kind: IdKind, loader: NodeLoader): void {
  loaders.set(kind, loader);
}

/** How things of a kind are read, where it is not from the table of their name. */
export function nodeLoader(kind: IdKind): NodeLoader | undefined {
  return loaders.get(kind);
}

/** Why a caller may not do something. */
export function refusal(ctx: Ctx, permission: string): GatewayError {
  if (ctx.whoFailure) return ctx.whoFailure;
  if (!ctx.who) return new GatewayError('missing_credential');
  if (ctx.who.mustEnrol) return new GatewayError('second_factor_enrollment_required');
  const { confinement } = ctx.who;
  if (confinement?.withheld.has(permission)) return confinedRefusal(confinement);
  const principal = `${ctx.who.kind === 'user' ? 'Role' : 'Key type'} ${ctx.who.role}`;
  return new GatewayError('permission_denied', { values: { principal, permission } });
}

/** Prisma's code for a row that was asked for and is not there. */
const NO_ROW = 'P2025';

/**
 * Loads the thing that an id names. A foreign id is answered exactly as an unknown one.
 * @throws missing_credential, permission_denied, not_found
 */
export async function loadNode(ctx: Ctx, id: string, load: () => unknown): Promise<object> {
  const kind = readableKind(ctx, id);
  if (!kind) return missing(id);
  try {
    const loader = nodeLoader(kind);
    const node = loader ? (await loader(ctx, [id]))[0] : await load();
    return (node as object | null | undefined) ?? missing(id);
  } catch (error) {
    if ((error as { code?: string }).code === NO_ROW) return missing(id);
    throw error;
  }
}

/**
 * The kind of thing that an id names, when the caller may read things of that kind; undefined for
 * ids of things that are not read by their id alone.
 * @throws missing_credential, permission_denied
 */
export function readableKind(ctx: Ctx, id: string): IdKind | undefined {
  if (!ctx.who) throw refusal(ctx, 'profile.read');
  const kind = kindOfId(id);
  const permission = kind && READ_RIGHTS.get(kind);
  if (permission && !ctx.who.permissions.has(permission)) throw refusal(ctx, permission);
  return permission && kind;
}

function missing(id: string): never {
  return fail('not_found', { values: { subject: 'object', id }, param: 'id' });
}
