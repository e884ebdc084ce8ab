import type { Ctx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { limitedAddress } from '../../platform/network/client-address.js';
import { kindOf, syntaxOf } from './kind.js';
import { readText } from './read.js';
import { reportOf } from './rules.js';
import type { ImportReport } from './tables.js';
import { IMPORT_KINDS, IMPORTS_PER_MINUTE, type ImportKind } from './vocabulary.js';

/**
 * Reads the settings or code of a client and says what it uses. Nothing is stored or logged.
 * @throws invalid_request for a text that is empty or too large, or whose kind cannot be told;
 * rate_limit_requests for an address that asks too often
 */
export async function importConfig(
  ctx: Ctx,
  stated: ImportKind,
  content: string,
): Promise<ImportReport> {
  requireBytes(stated, content);
  await takeTurn(ctx);
  const kind = stated === 'auto' ? kindOf(content) : stated;
  if (kind === undefined) {
    const kinds = IMPORT_KINDS.codes.filter((code) => code !== 'auto');
    const message = `The kind of this text cannot be told; name one of ${kinds.join(', ')}.`;
    return failOnFaults([{ path: 'kind', code: 'invalid', message }]) as never;
  }
  requireBytes(kind, content);
  const syntax = syntaxOf(kind, content);
  const reading = await readText(kind, syntax, content);
  const callable = [...ctx.services.registry.models.values()];
  const gatewayBaseUrl = `${ctx.transport.baseUrl}/v1`;
  return reportOf({ kind, syntax, content, reading, callable, gatewayBaseUrl });
}

function requireBytes(kind: ImportKind, content: string): void {
  const bytesMax = IMPORT_KINDS.find(kind)?.bytesMax ?? 0;
  const bytes = Buffer.byteLength(content);
  if (content.trim() === '') {
    failOnFaults([{ path: 'content', code: 'missing', message: '"content" is empty.' }]);
  }
  if (bytes > bytesMax) {
    const message = `"content" has ${bytes} bytes; at most ${bytesMax} are read of this kind.`;
    failOnFaults([{ path: 'content', code: 'out_of_range', message }]);
  }
}

/** Anybody may ask, so each address has a share of its own. */
async function takeTurn({ services, transport }: Ctx): Promise<void> {
  const key = `import:address:${limitedAddress(transport.address)}`;
  const { refused, retryAfterMs } = await services.counters.take([
    { kind: 'rate', key, perMinute: IMPORTS_PER_MINUTE, points: 1 },
  ]);
  if (refused === undefined) return;
  fail('rate_limit_requests', { values: { limit: IMPORTS_PER_MINUTE }, retryAfterMs });
}
