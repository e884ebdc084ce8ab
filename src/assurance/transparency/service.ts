import type { QueryResultRow } from 'pg';
import type { LogCheckpoint } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import { consistencyRanges, inclusionRanges, leafHash } from '../../kernel/merkle.rules.js';
import { WireText } from '../../kernel/wire.js';
import { ENTRY_LEAF } from '../../money/ledger/entry-leaf.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { requireOwn } from '../../records/own.js';
import { RECEIPT_LEAVES } from '../../records/receipt-leaves.js';
import { receiptById } from '../../records/receipts.js';
import { type ReadRows, rootsOf, TILE_HASHES } from './tiles.js';
import { LOG_EXPORT_MAX } from './vocabulary.js';

/** Leaves from $2 up to and without $3, each as the row that it was made of says it now. */
const LEAVES = `
  WITH leaf AS (
    SELECT t.index * ${TILE_HASHES} + k.n - 1 AS index, k.key
    FROM log_tile t CROSS JOIN LATERAL unnest(t.keys) WITH ORDINALITY AS k (key, n)
    WHERE t.tenant_id = $1 AND t.level = 0
      AND t.index BETWEEN $2::bigint / ${TILE_HASHES} AND ($3::bigint - 1) / ${TILE_HASHES}
  )
  SELECT COALESCE(
    (SELECT ${ENTRY_LEAF} FROM ledger_entry e JOIN account a ON a.id = e.account_id
     WHERE a.tenant_id = $1 AND e.account_version = l.key),
    (SELECT r.leaf FROM ${RECEIPT_LEAVES} r
     WHERE r.tenant_id = $1 AND r.position = -l.key),
    '{"kind":"removed"}') AS leaf
  FROM leaf l WHERE l.index >= $2 AND l.index < $3 ORDER BY l.index`;

/** The place of a row in the log: of a line by its version, of a receipt by its position. */
const placeSql = (column: 'entries' | 'receipts') => `
  SELECT t.index * ${TILE_HASHES} + k.n - 1 AS index
  FROM (
    SELECT index, keys FROM log_tile WHERE tenant_id = $1 AND level = 0 AND ${column} >= $2
    ORDER BY ${column}, index LIMIT 1
  ) t CROSS JOIN LATERAL unnest(t.keys) WITH ORDINALITY AS k (key, n)
  WHERE k.key = ${column === 'entries' ? '$2' : '-$2::bigint'}`;

const PLACES = { entries: placeSql('entries'), receipts: placeSql('receipts') } as const;

function readerOf({ services, who }: AuthorizedCtx): ReadRows {
  return async <R extends QueryResultRow>(text: string, values: readonly unknown[]) => {
    const statement = { text, values: [...values] };
    return (await tenantQuery<R>(services.pool, who.tenantId, statement)).rows;
  };
}

/** The checkpoint of all that the organization has by now. */
export function latestCheckpoint({ services, who }: AuthorizedCtx): Promise<LogCheckpoint> {
  return services.transparencyLog.latest(who.tenantId) as Promise<LogCheckpoint>;
}

/** A checkpoint by its id. @throws not_found */
export function checkpointById(ctx: AuthorizedCtx, id: string, param = 'id') {
  return requireOwn(ctx, 'LogCheckpoint', id, { param, subject: 'checkpoint' });
}

function checkpointOr(ctx: AuthorizedCtx, id: string | null | undefined) {
  return id ? checkpointById(ctx, id, 'checkpointId') : latestCheckpoint(ctx);
}

/**
 * What proves that a leaf stands in the log of a checkpoint.
 * @throws not_found for a place behind the end of that log, and for an unknown checkpoint
 */
export async function inclusionAt(ctx: AuthorizedCtx, index: bigint, checkpointId?: string | null) {
  const checkpoint = await checkpointOr(ctx, checkpointId);
  return proofOf(ctx, checkpoint, index, String(index));
}

/** The same of a line of the ledger, by its sequence. @throws not_found */
export async function inclusionOfEntry(
  ctx: AuthorizedCtx,
  sequence: bigint,
  checkpointId?: string | null,
) {
  const checkpoint = await checkpointOr(ctx, checkpointId);
  const index = await placeOf(ctx, 'entries', sequence);
  return proofOf(ctx, checkpoint, index, String(sequence), 'sequence');
}

/** The same of a sealed receipt, by its id. @throws invalid_receipt_id, not_found */
export async function inclusionOfReceipt(
  ctx: AuthorizedCtx,
  id: string,
  checkpointId?: string | null,
) {
  const { position } = await receiptById(ctx, id);
  const checkpoint = await checkpointOr(ctx, checkpointId);
  return proofOf(ctx, checkpoint, await placeOf(ctx, 'receipts', position), id, 'id');
}

async function placeOf(
  ctx: AuthorizedCtx,
  table: keyof typeof PLACES,
  key: bigint,
): Promise<bigint | undefined> {
  // Beyond it PostgreSQL takes no number for a version, and there is none.
  if (key !== BigInt.asIntN(64, key)) return undefined;
  const read = readerOf(ctx);
  const [row] = await read<{ index: bigint }>(PLACES[table], [ctx.who.tenantId, key]);
  return row?.index;
}

async function proofOf(
  ctx: AuthorizedCtx,
  checkpoint: LogCheckpoint,
  place: bigint | undefined,
  name: string,
  param = 'index',
) {
  if (place === undefined || place < 0n || place >= checkpoint.size) {
    return fail('not_found', { values: { subject: 'leaf', id: name }, param });
  }
  const read = readerOf(ctx);
  const { tenantId } = ctx.who;
  const [found] = await read<{ leaf: string }>(LEAVES, [tenantId, place, place + 1n]);
  const leaf = found?.leaf ?? '';
  const ranges = inclusionRanges(Number(place), Number(checkpoint.size));
  const hashes = await rootsOf(read, tenantId, ranges);
  return { index: place, leaf, leafSha256: leafHash(leaf).toString('hex'), hashes, checkpoint };
}

/**
 * What proves that the log of one checkpoint is the begin of that of another one; the smaller
 * comes first.
 * @throws not_found
 */
export async function consistencyOf(ctx: AuthorizedCtx, id: string, withId?: string | null) {
  const one = await checkpointById(ctx, id);
  const other = withId ? await checkpointById(ctx, withId, 'withId') : await latestCheckpoint(ctx);
  const [first, second] = one.size <= other.size ? [one, other] : [other, one];
  const ranges = consistencyRanges(Number(first.size), Number(second.size));
  return { first, second, hashes: await rootsOf(readerOf(ctx), ctx.who.tenantId, ranges) };
}

/** What is exported. */
export interface LogExportWish {
  /** How many leaves from the begin are known. */
  readonly after: number;
  readonly limit: number;
}

/** Leaves that are held at once, however many are exported. */
const LEAVES_AT_ONCE = 2 * TILE_HASHES;

/**
 * The log as lines: the text of each leaf, and behind the last one the checkpoint, the one before
 * it, what proves that they agree, and what proves the last leaf. Over REST it is written while it
 * is read.
 * @throws invalid_request
 */
export async function exportLog(
  ctx: AuthorizedCtx,
  { after, limit }: LogExportWish,
): Promise<string> {
  failOnFaults([
    ...range('after', after, { min: 0 }),
    ...range('limit', limit, { min: 1, max: LOG_EXPORT_MAX }),
  ]);
  const pieces = piecesOf(ctx, await latestCheckpoint(ctx), { after, limit });
  if (ctx.transport.kind === 'rest') return WireText.of(pieces);
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* piecesOf(
  ctx: AuthorizedCtx,
  checkpoint: LogCheckpoint,
  { after, limit }: LogExportWish,
): AsyncGenerator<string, void> {
  const read = readerOf(ctx);
  const size = Number(checkpoint.size);
  const end = Math.min(after + limit, size);
  for (let from = after; from < end; from += LEAVES_AT_ONCE) {
    const values = [ctx.who.tenantId, from, Math.min(from + LEAVES_AT_ONCE, end)];
    const rows = await read<{ leaf: string }>(LEAVES, values);
    yield rows.map(({ leaf }) => `${leaf}\n`).join('');
  }
  if (end === size) yield await closingLines(ctx, checkpoint);
}

/** A proof as its line: hashes in hexadecimal digits, checkpoints by what was signed. */
const line = (value: object) => `${JSON.stringify(value)}\n`;
const hex = (hashes: readonly Uint8Array[]) =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));
async function signed({ services, who }: AuthorizedCtx, checkpoint: LogCheckpoint) {
  return { statement: await services.transparencyLog.published(who.tenantId, checkpoint) };
}

async function closingLines(ctx: AuthorizedCtx, checkpoint: LogCheckpoint): Promise<string> {
  const now = await signed(ctx, checkpoint);
  if (checkpoint.size === 0n) return line(now);
  const last = await previousCheckpoint(ctx, checkpoint.size);
  const { index, leaf, hashes } = await proofOf(ctx, checkpoint, checkpoint.size - 1n, '');
  const proof = { index: Number(index), leaf, hashes: hex(hashes), checkpoint: now };
  if (!last) return line(now) + line(proof);
  const before = await signed(ctx, last);
  const ranges = consistencyRanges(Number(last.size), Number(checkpoint.size));
  const agree = await rootsOf(readerOf(ctx), ctx.who.tenantId, ranges);
  const pair = { first: before, second: now, hashes: hex(agree) };
  return [before, now, pair, proof].map(line).join('');
}

const PREVIOUS = `SELECT statement, size, root_sha256 AS "rootSha256" FROM log_checkpoint
  WHERE tenant_id = $1 AND size < $2 ORDER BY size DESC LIMIT 1`;

async function previousCheckpoint(ctx: AuthorizedCtx, size: bigint) {
  const read = readerOf(ctx);
  const [row] = await read<LogCheckpoint & QueryResultRow>(PREVIOUS, [ctx.who.tenantId, size]);
  return row;
}
