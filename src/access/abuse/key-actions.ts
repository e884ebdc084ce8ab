import type { ApiKey, KeyAction, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { permissionsOf } from '../../graph/permissions.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { accountableMember } from '../../records/approvals/requester.js';
import { change } from '../../records/change.js';
import { lockOwn } from '../../records/own.js';
import { endDescendants, revokeMadeBy } from '../keys/descendants.js';
import { newKey, SHOWN_PREFIX_LENGTH } from '../keys/format.js';
import { endTokensOf } from '../keys/issued-tokens.js';
import { isReplaced } from '../keys/limits.js';
import { earlierEnd, endOfMaker, requirePlaceInLine } from '../keys/maker.js';
import { lockMakers } from '../keys/makers-lock.js';
import { tellOutliving } from '../keys/outliving.js';
import type { Descendants } from '../keys/vocabulary.js';
import { requireLimitChanger } from '../organization/limit-changes.js';
import { handOn, requireKeyWithin, workspaceOfKey } from '../workspaces/boundary.js';
import type { ACTION_FIELDS } from './tables.js';
import { INCIDENT_BOUNDS, KEY_ACTIONS, type KeyActionCode } from './vocabulary.js';

/** What an incident says of its actions. */
export interface ActionTerms {
  readonly throttlePerMinute: number | null;
  readonly graceSeconds: number | null;
  /** What becomes of the keys that the key has made; null revokes them. */
  readonly descendants: Descendants | null;
}

/** An action that was taken, with the value of the key that it made. */
export interface Taken {
  readonly action: KeyAction;
  readonly newKey?: string;
}

/** What an action is taken in. */
interface Deed {
  readonly ctx: AuthorizedCtx;
  readonly tx: Transaction;
  readonly key: ApiKey;
  readonly incidentId: string;
  readonly terms: ActionTerms;
}

type Act = Exclude<KeyActionCode, 'none'>;

/** Rotating and revoking are what making and revoking keys is. */
const NEEDS_KEYS_WRITE: ReadonlySet<string> = new Set(['rotate', 'revoke']);

const DEEDS: Readonly<Record<Act, (deed: Deed) => Promise<Taken>>> = {
  throttle: async (deed) => {
    const { terms } = deed;
    const requestsPerMinute = terms.throttlePerMinute ?? INCIDENT_BOUNDS.throttlePerMinuteDefault;
    return { action: await record(deed, 'throttle', { requestsPerMinute }) };
  },
  rotate,
  revoke: async (deed) => {
    const { tx, key } = deed;
    const where = { id: key.id, tenantId: key.tenantId };
    await tx.apiKey.update({ where, data: { revokedAt: sharedNow() } });
    await revokeMadeBy(tx, key, deed.terms.descendants);
    await tellOutliving(tx, key.tenantId);
    return { action: await record(deed, 'revoke', {}) };
  },
};

/**
 * Lets nobody make or change keys meanwhile where something is done to one, and nobody rotate who
 * ends themselves: the new key would outlive them. Comes before the lock of the key, so that two
 * keys which rotate one another do it one after the other.
 * @throws api_key_revoked, invalid_token, key_action_impossible
 */
export async function requireLastingMaker(
  ctx: AuthorizedCtx,
  tx: Transaction,
  actions: readonly KeyActionCode[],
): Promise<void> {
  const { tenantId } = ctx.who;
  if (!actions.some((each) => each !== 'none')) return;
  await lockMakers(tx, tenantId);
  if (!actions.includes('rotate')) return;
  requirePlaceInLine(ctx);
  if ((await endOfMaker(ctx, tx)) === undefined) return;
  const reason = 'the key that asks for it ends itself, and what it makes would outlive it.';
  fail('key_action_impossible', { values: { action: 'rotate', reason }, param: 'actions_taken' });
}

/**
 * Takes the actions of an incident on its key, in the transaction of the incident.
 * @throws permission_denied, key_action_impossible
 */
export async function takeActions(
  deed: Deed,
  actions: readonly KeyActionCode[],
): Promise<readonly Taken[]> {
  const acts = actions.filter((each): each is Act => each !== 'none');
  for (const action of acts) await requirePossible(deed, action);
  const taken: Taken[] = [];
  for (const action of acts) taken.push(await DEEDS[action](deed));
  return taken;
}

async function requirePossible({ ctx, tx, key }: Deed, action: Act): Promise<void> {
  requireRight(ctx, action);
  const refuse = (reason: string) =>
    fail('key_action_impossible', { values: { action, reason }, param: 'actions_taken' });
  if (key.revokedAt) refuse('it is revoked already.');
  if (key.expiresAt && key.expiresAt <= sharedNow()) refuse('it has expired.');
  if (action !== 'rotate') return;
  if (key.keyType === 'ephemeral') refuse('a token is not rotated: issue a new one.');
  if (await isReplaced(tx, key)) refuse('it was rotated already; its successor has taken over.');
}

function requireRight({ who }: AuthorizedCtx, action: string): void {
  if (!NEEDS_KEYS_WRITE.has(action) || who.permissions.has('keys.write')) return;
  const principal = `${who.kind === 'user' ? 'Role' : 'Key type'} ${who.role}`;
  fail('permission_denied', { values: { principal, permission: 'keys.write' } });
}

/**
 * Makes a key of the same type and project; the old one ends with its grace. The new key has the
 * rights of the old one only where whoever rotates it has them too, since it is shown to them. Its
 * limits are those of the old one, and both are counted together. It keeps the workspace of the old
 * one, even if only the old line had it.
 */
async function rotate(deed: Deed): Promise<Taken> {
  const { ctx, tx, key, terms } = deed;
  const { tenantId } = key;
  const graceSeconds = terms.graceSeconds ?? INCIDENT_BOUNDS.graceSecondsDefault;
  const ownEnd = key.expiresAt ?? undefined;
  const graceEndsAt = earlierEnd(new Date(sharedNowMs() + graceSeconds * 1_000), ownEnd);
  const workspaceId = await workspaceOfKey(tx, key);
  const value = newKey();
  const newKeyId = newId('ApiKey');
  await tx.apiKey.create({
    data: {
      id: newKeyId,
      tenantId,
      projectId: key.projectId,
      name: key.name,
      keyType: key.keyType,
      keyHash: new Uint8Array(ctx.services.hashKey(value)),
      prefix: value.slice(0, SHOWN_PREFIX_LENGTH),
      lastFour: value.slice(-4),
      createdBy: ctx.who.id,
      accountableId: await accountableMember(tx, ctx.who),
      limitsId: key.limitsId,
      workspaceId: key.workspaceId,
      expiresAt: key.expiresAt,
      boundRole: covers(ctx.who.boundRole, key.boundRole) ? key.boundRole : ctx.who.boundRole,
    },
  });
  const successor = { id: newKeyId, tenantId, name: key.name };
  const former = workspaceId === undefined ? undefined : { source: `key ${key.name}`, workspaceId };
  await handOn(tx, successor, former);
  await tx.apiKey.update({ where: { id: key.id, tenantId }, data: { expiresAt: graceEndsAt } });
  const isKept = terms.descendants === 'keep';
  await (isKept ? endTokensOf : endDescendants)(tx, key, graceEndsAt);
  return { action: await record(deed, 'rotate', { newKeyId, graceEndsAt }), newKey: value };
}

/** Whether a role has every right of another one. */
function covers(role: string, other: string): boolean {
  const rights: ReadonlySet<string> = permissionsOf(role);
  return [...permissionsOf(other)].every((right) => rights.has(right));
}

function record(
  { tx, key, incidentId }: Deed,
  action: Act,
  more: Pick<
    Prisma.KeyActionUncheckedCreateInput,
    'requestsPerMinute' | 'newKeyId' | 'graceEndsAt'
  >,
): Promise<KeyAction> {
  const { tenantId, id: keyId } = key;
  return tx.keyAction.create({
    data: { id: newId('KeyAction'), tenantId, incidentId, keyId, action, ...more },
  });
}

/** An action as it is shown. */
export function shownKeyAction(row: KeyAction): ValuesOf<typeof ACTION_FIELDS> {
  const action = KEY_ACTIONS.parse(row.action);
  return { ...row, action, canUndo: finalBecause(row) === undefined, undoing: undoingOf(action) };
}

function undoingOf(action: KeyActionCode): string {
  return KEY_ACTIONS.find(action)?.undoing ?? '';
}

/** Why an action cannot be undone; undefined where it can. */
function finalBecause({ action, undoneAt, graceEndsAt }: KeyAction): string | undefined {
  if (undoneAt) return 'it was undone already.';
  if (action === 'revoke') return undoingOf('revoke');
  if (graceEndsAt && graceEndsAt <= sharedNow()) return 'its grace is over.';
  return undefined;
}

/**
 * Undoes an action: a throttle is lifted; a rotation within its grace leaves the old key as it was
 * and revokes the new one. A key cannot undo what was done to itself.
 * @throws not_found, key_action_final, permission_denied
 */
export function undoAction(ctx: AuthorizedCtx, id: string): Promise<KeyAction> {
  const { tenantId, id: undoneBy, makers } = ctx.who;
  const name = { action: 'keyActionUndo', subject: 'KeyAction' } as const;
  return change(ctx, name, async (tx) => {
    await lockMakers(tx, tenantId);
    const row = await lockOwn(ctx, tx, 'KeyAction', id);
    const { action, keyId, newKeyId } = row;
    await requireKeyWithin(ctx, tx, { id: keyId, tenantId }, { subject: 'key action', id });
    requireRight(ctx, action);
    if (action === 'throttle') requireLimitChanger(ctx);
    const isOwn = [undoneBy, ...makers].includes(keyId);
    const reason = isOwn ? 'a key does not undo what was done to itself.' : finalBecause(row);
    if (reason !== undefined) fail('key_action_final', { values: { action, reason } });
    if (newKeyId !== null) await restore(ctx, tx, { keyId, newKeyId });
    const data = { undoneAt: sharedNow(), undoneBy };
    const result = await tx.keyAction.update({ where: { id, tenantId }, data });
    const told = () => ctx.services.keyControls.forget(tenantId);
    return { result, id, before: { undone: false }, after: { undone: true }, told };
  });
}

/** Gives a rotated key its place back and revokes its successor. @throws key_action_final */
async function restore(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { keyId, newKeyId }: { readonly keyId: string; readonly newKeyId: string },
): Promise<void> {
  const { tenantId } = ctx.who;
  const final = (reason: string) =>
    fail('key_action_final', { values: { action: 'rotate', reason } });
  const former = await lockOwn(ctx, tx, 'ApiKey', keyId);
  if (former.revokedAt) final('the old key was revoked since.');
  const successor = await lockOwn(ctx, tx, 'ApiKey', newKeyId);
  if (!successor.revokedAt && (await isReplaced(tx, successor))) {
    final('the new key was rotated since; undo that first.');
  }
  const expiresAt = await endInLine(tx, former, successor.expiresAt);
  if (expiresAt && expiresAt <= sharedNow()) {
    final('the old key has ended since, by itself or with a key that led to it.');
  }
  await tx.apiKey.update({ where: { id: keyId, tenantId }, data: { expiresAt } });
  await tx.apiKey.updateMany({
    where: { id: newKeyId, tenantId, revokedAt: null },
    data: { revokedAt: sharedNow() },
  });
  await revokeMadeBy(tx, { tenantId, id: newKeyId }, 'revoke');
  await tellOutliving(tx, tenantId);
}

/**
 * When a key in its grace ends once that is undone: at its own end, or at an earlier one that a key
 * which led to it was given since. The grace was cut by such an end unless descendants were kept,
 * so what ends before the grace, or was revoked without it, does not count.
 */
async function endInLine(
  tx: Transaction,
  { id, tenantId, expiresAt: graceEndsAt }: ApiKey,
  ownEnd: Date | null,
): Promise<Date | null> {
  const [line] = await tx.$queryRaw<{ endsAt: Date | null }[]>`
    WITH RECURSIVE line AS (
      SELECT created_by, rotated_by, NULL::timestamptz AS ends_at
      FROM api_key WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid
      UNION
      SELECT m.created_by, m.rotated_by,
        CASE WHEN m.revoked_at IS NULL AND m.expires_at >= ${graceEndsAt}::timestamptz
          THEN m.expires_at END
      FROM line JOIN api_key m
        ON m.tenant_id = ${tenantId}::uuid AND m.id IN (line.created_by, line.rotated_by))
    SELECT LEAST(min(ends_at), ${ownEnd}::timestamptz) AS "endsAt" FROM line`;
  return line?.endsAt ?? null;
}
