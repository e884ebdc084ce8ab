import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import { WireText } from '../../kernel/wire.js';
import { chainTrails, type ExportedEvent, exportedEvents } from '../../records/audit-chain.js';
import { cefLine } from './cef.rules.js';
import { EXPORT_MAX } from './vocabulary.js';

/** What is exported. */
export interface ExportWish {
  readonly format: 'ndjson' | 'cef';
  /** Behind this position; 0 begins with the first event. */
  readonly after: number;
  readonly limit: number;
}

const LINES: Readonly<Record<ExportWish['format'], (event: ExportedEvent) => string>> = {
  ndjson: (event) => JSON.stringify(event),
  cef: cefLine,
};

/** Events that are held at once, however many are exported. */
const EVENTS_AT_ONCE = 250;

/**
 * The trail of the organization as text, in the order of its chain. What has been committed is
 * linked first, so that an export holds it. Over REST it is written while it is read.
 * @throws invalid_request
 */
export async function exportTrail(
  ctx: AuthorizedCtx,
  { format, after, limit }: ExportWish,
): Promise<string> {
  failOnFaults([
    ...range('after', after, { min: 0 }),
    ...range('limit', limit, { min: 1, max: EXPORT_MAX }),
  ]);
  await chainTrails(ctx.services);
  const pieces = piecesOf(ctx, { format, after, limit });
  if (ctx.transport.kind === 'rest') return WireText.of(pieces);
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* piecesOf(
  ctx: AuthorizedCtx,
  { format, after, limit }: ExportWish,
): AsyncGenerator<string, void> {
  let last = after;
  for (let left = limit; left > 0; left -= EVENTS_AT_ONCE) {
    const wanted = Math.min(left, EVENTS_AT_ONCE);
    const events = await exportedEvents(ctx, last, wanted);
    if (events.length > 0) yield events.map((event) => `${LINES[format](event)}\n`).join('');
    if (events.length < wanted) return;
    last = events.at(-1)?.position ?? last;
  }
}
