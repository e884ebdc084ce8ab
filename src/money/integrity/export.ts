import type { QueryResultRow } from 'pg';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Window } from '../../kernel/window.rules.js';
import { WireText } from '../../kernel/wire.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { LEAF_ORDER, PERIOD_LEAVES } from './leaves.js';
import { BESIDE_LEAVES, COUNT_ROWS, WITNESS_LINES } from './period.statements.js';
import { SLICE_MS_MAX } from './reading.rules.js';
import { INTEGRITY_RECEIPTS } from './records.js';
import type { IntegrityReceipt } from './seals.js';

/** About so many rows of a table are held at once, however many are exported. */
const ROWS_AT_ONCE = 2_000;

const LEAVES = `SELECT leaf FROM (${PERIOD_LEAVES}) leaf ORDER BY ${LEAF_ORDER}`;

/**
 * The rows of the period of a receipt as lines: the text of each leaf in its order; between them
 * what decides about them, the hashes of usage rows from when they were new and rows of the same
 * requests from outside of the period; and behind the last one the receipt. Over REST it is written
 * while it is read.
 * @throws invalid_receipt_id, not_found, detail_dropped
 */
export async function exportPeriod(ctx: AuthorizedCtx, receiptId: string): Promise<string> {
  const receipt = await INTEGRITY_RECEIPTS.byId(ctx, receiptId);
  const { from, to } = receipt.content;
  await requireUsageSince(ctx.services.pool, from);
  const pieces = piecesOf(ctx, receipt, { from, to });
  if (ctx.transport.kind === 'rest') return WireText.of(pieces);
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* piecesOf(
  ctx: AuthorizedCtx,
  receipt: IntegrityReceipt,
  { from, to }: Window,
): AsyncGenerator<string, void> {
  const { tenantId } = ctx.who;
  const read = async <R extends QueryResultRow>(text: string, values: readonly unknown[]) =>
    (await tenantQuery<R>(ctx.services.pool, tenantId, { text, values: [...values] })).rows;
  let spanMs = SLICE_MS_MAX;
  for (let at = from; at < to; ) {
    const until = new Date(Math.min(at.getTime() + spanMs, to.getTime()));
    const values = [tenantId, at, until];
    const [count] = await read<{ lines: number; used: number }>(COUNT_ROWS, [
      ...values,
      ROWS_AT_ONCE + 1,
    ]);
    if (Math.max(count?.lines ?? 0, count?.used ?? 0) > ROWS_AT_ONCE && spanMs > 1) {
      spanMs = Math.max(1, Math.floor(spanMs / 2));
      continue;
    }
    const leaves = await read<{ leaf: string }>(LEAVES, values);
    const beside = await read<{ line: string }>(BESIDE_LEAVES, [...values, from, to]);
    const witnesses = await read<{ line: string }>(WITNESS_LINES, values);
    yield [
      ...leaves.map(({ leaf }) => leaf),
      ...[...beside, ...witnesses].map(({ line }) => line),
      '',
    ].join('\n');
    at = until;
    spanMs = Math.min(spanMs * 2, SLICE_MS_MAX);
  }
  yield `${receiptLine(receipt)}\n`;
}

/** The receipt as the last line: its content is the text that its hash is of. */
function receiptLine({ row }: IntegrityReceipt): string {
  const content = row.content ?? fail('personal_data_erased');
  const sha256 = Buffer.from(row.sha256).toString('hex');
  return JSON.stringify({ kind: 'receipt', id: row.id, sealed_at: row.createdAt, sha256, content });
}
