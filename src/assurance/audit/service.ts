import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
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

/**
 * The trail of the organization as text, in the order of its chain. What has been committed is
 * linked first, so that an export holds it.
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
  const events = await exportedEvents(ctx, after, limit);
  return events.map((event) => `${LINES[format](event)}\n`).join('');
}
