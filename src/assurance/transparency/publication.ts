import { randomBytes } from 'node:crypto';
import { newLogKey } from '../../access/auth/log-keys.js';
import type { LogPublication } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits, range } from '../../kernel/errors/faults.js';
import { newId } from '../../kernel/ids.js';
import { NOTE_LENGTH_MAX, readCheckpoint, readNote } from '../../kernel/signed-note.js';
import { limitedAddress } from '../../platform/network/client-address.js';
import { WITNESSES_MAX } from '../../platform/witness-list.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { judgedLines } from './cosignatures.rules.js';
import type { Point, Publication, ShownCosignature } from './published-logs.js';
import { checkpointById } from './service.js';
import {
  READINGS_PER_MINUTE,
  SUBMISSIONS_PER_MINUTE,
  WITNESS_CLOCK_SECONDS_MAX,
} from './vocabulary.js';

/** So nobody finds a log by guessing. */
const NAME_BYTES = 16;

/**
 * Makes the log of the organization public at an address that nobody can guess, under a key of its
 * own. A log that was public before gets another name and key.
 * @throws log_published_already
 */
export async function publishLog(ctx: AuthorizedCtx): Promise<LogPublication> {
  const { services, who } = ctx;
  const { tenantId } = who;
  // What is public has a checkpoint from the first moment on.
  await services.transparencyLog.latest(tenantId);
  return change(ctx, { action: 'logPublish', subject: 'LogPublication' }, async (tx) => {
    await lockPublications(tx, tenantId);
    const known = await tx.logPublication.findFirst({ where: { tenantId, endedAt: null } });
    if (known) fail('log_published_already', { values: { origin: known.origin } });
    const id = newId('LogPublication');
    const name = randomBytes(NAME_BYTES).toString('hex');
    const { publicKey, privateSealed } = newLogKey(services.keyring, tenantId, id);
    const origin = originOf(services.config.GW_PUBLIC_URL, name);
    const sealed = new Uint8Array(privateSealed);
    const data = { id, tenantId, name, origin, publicKey: new Uint8Array(publicKey) };
    const result = await tx.logPublication.create({ data: { ...data, privateSealed: sealed } });
    return { result, id, after: { origin } };
  });
}

/**
 * Lets nobody publish or unpublish the log of the organization until the transaction ends. Its row
 * is not locked: whatever refers to it would wait.
 */
async function lockPublications(tx: Transaction, tenantId: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended(concat_ws(E'\n', 'log_publication', ${tenantId}::uuid), 0))`;
}

/** An URL without its scheme, as the standard advises; the host is that of the settings. */
function originOf(publicUrl: string | undefined, name: string): string {
  const host = publicUrl === undefined ? 'gw' : new URL(publicUrl).host;
  return `${host}/v1/gw/transparency/logs/${name}`;
}

/**
 * Ends a publication: its address answers as if it had never been. What was cosigned is kept, and
 * one that has ended stays as it is.
 * @throws not_found
 */
export function unpublishLog(ctx: AuthorizedCtx, id: string): Promise<LogPublication> {
  return change(ctx, { action: 'logUnpublish', subject: 'LogPublication' }, async (tx) => {
    const { tenantId } = ctx.who;
    await lockPublications(tx, tenantId);
    const known = await requireOwn(ctx, 'LogPublication', id, { tx, subject: 'publication' });
    if (known.endedAt) return { result: known };
    const { origin } = known;
    const endedAt = sharedNow();
    await tx.logPublication.updateMany({ where: { id, tenantId }, data: { endedAt } });
    return {
      result: { ...known, endedAt },
      id,
      before: { origin },
      after: { origin, ended: true },
    };
  });
}

/** A checkpoint of the organization as a note, for its auditors. @throws not_found */
export async function noteOfCheckpoint(ctx: AuthorizedCtx, id: string): Promise<string> {
  const { publishedLogs } = ctx.services;
  const checkpoint = await checkpointById(ctx, id);
  const publication = await publishedLogs.ofTenant(ctx.who.tenantId);
  if (!publication) return fail('not_found', { values: { subject: 'publication', id: 'open' } });
  return publishedLogs.noteOf(publication, checkpoint);
}

async function publicationNamed({ services }: Ctx, name: string): Promise<Publication> {
  const isName = new RegExp(`^[0-9a-f]{${2 * NAME_BYTES}}$`).test(name);
  const found = isName ? await services.publishedLogs.named(name) : undefined;
  return found ?? fail('not_found', { values: { subject: 'log', id: name }, param: 'name' });
}

/**
 * The latest checkpoint of a published log as a note.
 * @param cosignaturesMin how many witnesses must have cosigned it
 * @throws not_found, invalid_request, log_readings_throttled
 */
export async function publicNote(ctx: Ctx, name: string, cosignaturesMin: number): Promise<string> {
  await takeTurn(ctx, READINGS);
  failOnFaults(range('cosignaturesMin', cosignaturesMin, { min: 0, max: WITNESSES_MAX }));
  const publication = await publicationNamed(ctx, name);
  const point = await ctx.services.publishedLogs.latest(publication, cosignaturesMin);
  if (!point) {
    const values = { subject: 'checkpoint with that many cosignatures', id: name };
    return fail('not_found', { values, param: 'cosignaturesMin' });
  }
  return ctx.services.publishedLogs.noteOf(publication, point);
}

/**
 * What a witness that knows the log at a size needs to cosign the latest checkpoint: the body of
 * the request `add-checkpoint` (c2sp.org/tlog-witness).
 * @throws not_found, invalid_request, log_readings_throttled
 */
export async function witnessRequest(ctx: Ctx, name: string, old: bigint): Promise<string> {
  await takeTurn(ctx, READINGS);
  const publication = await publicationNamed(ctx, name);
  const { publishedLogs } = ctx.services;
  const point = await publishedLogs.latest(publication);
  if (!point) return fail('not_found', { values: { subject: 'checkpoint', id: name } });
  const isWithin = old >= 0n && old <= point.size;
  failOnFaults(fits('old', isWithin, `must be from 0 to the ${point.size} leaves of the log`));
  return publishedLogs.requestOf(publication, old, point);
}

/** What a submission left. */
export interface Submitted {
  readonly size: bigint;
  readonly cosignatures: readonly ShownCosignature[];
}

/**
 * Takes the cosignatures of a note that somebody has brought: those of listed witnesses, over a
 * checkpoint that the log has signed. What has been kept of a witness stays, and a note as the log
 * publishes it changes nothing.
 * @throws log_submissions_throttled, invalid_request, not_found, log_checkpoint_unknown,
 * log_cosignature_invalid, log_cosignature_time, log_witness_unknown
 */
export async function submitCosignatures(ctx: Ctx, name: string, text: string): Promise<Submitted> {
  await takeTurn(ctx, SUBMISSIONS);
  const note = text.length <= NOTE_LENGTH_MAX ? readNote(text) : undefined;
  const said = note && readCheckpoint(note.body);
  failOnFaults(fits('note', said !== undefined, 'must be a signed note of a checkpoint'));
  const publication = await publicationNamed(ctx, name);
  if (!note || !said) return fail('not_found', { values: { subject: 'log', id: name } });
  const { publishedLogs, config } = ctx.services;
  const point = await publishedLogs.ofSize(publication, said.size);
  const reason = strangeness(publication, point, said);
  if (!point || reason)
    return fail('log_checkpoint_unknown', { values: { reason: reason ?? '', name } });
  const cosigned = {
    body: note.body,
    createdMs: point.createdAt.getTime(),
    nowMs: sharedNowMs(),
  };
  const { good, forged, untimely } = judgedLines(config.witnesses, note.lines, cosigned);
  if (forged.length > 0) {
    fail('log_cosignature_invalid', { values: { witnesses: forged.join(', ') } });
  }
  if (untimely.length > 0) {
    const values = { witnesses: untimely.join(', '), seconds: WITNESS_CLOCK_SECONDS_MAX };
    fail('log_cosignature_time', { values });
  }
  const isOthers = note.lines.some((line) => line.name !== publication.origin);
  if (good.length === 0 && isOthers) fail('log_witness_unknown');
  return { size: point.size, cosignatures: await publishedLogs.keep(publication, point, good) };
}

function strangeness(
  { origin }: Publication,
  point: Point | undefined,
  said: NonNullable<ReturnType<typeof readCheckpoint>>,
): string | undefined {
  if (said.origin !== origin) return `its origin is not ${origin}`;
  if (!point) return `the log has signed no checkpoint of ${said.size} leaves`;
  if (Buffer.compare(point.rootSha256, said.rootSha256) !== 0) return 'its root is another one';
  return undefined;
}

interface Turns {
  readonly counted: 'cosignature' | 'published_log';
  readonly perMinute: { readonly address: number; readonly node: number };
  readonly refusal: 'log_submissions_throttled' | 'log_readings_throttled';
}

const SUBMISSIONS: Turns = {
  counted: 'cosignature',
  perMinute: SUBMISSIONS_PER_MINUTE,
  refusal: 'log_submissions_throttled',
};
const READINGS: Turns = {
  counted: 'published_log',
  perMinute: READINGS_PER_MINUTE,
  refusal: 'log_readings_throttled',
};

async function takeTurn({ services, transport }: Ctx, turns: Turns): Promise<void> {
  const { counted, refusal } = turns;
  const { address, node } = turns.perMinute;
  const ofAddress = `${counted}:address:${limitedAddress(transport.address)}`;
  const ofNode = `${counted}:node:${services.config.nodeId}`;
  const { refused, retryAfterMs } = await services.counters.take([
    { kind: 'rate', key: ofAddress, perMinute: address, points: 1 },
    { kind: 'rate', key: ofNode, perMinute: node, points: 1 },
  ]);
  if (refused === undefined) return;
  const values = { seconds: Math.ceil(retryAfterMs / 1_000) };
  fail(refusal, { values, retryAfterMs });
}
