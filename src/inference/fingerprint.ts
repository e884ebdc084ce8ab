import type { Services } from '../graph/ctx.js';
import { shortHasher } from '../platform/secrets.js';
import type { Prepared } from './bill.js';
import { oncePer } from './once-per.js';

/** Longer requests have none: to read them once more would be felt. Bytes. */
const BYTES_MAX = 65_536;

/**
 * What equal prompts of an organization share, for telling what a cache could have answered: a
 * keyed hash of the messages and tools, long enough that two of them never share one by chance.
 * Nobody without the server's secret can try prompts against it, and those of two organizations
 * never match. Undefined for embeddings and for long requests.
 */
export function promptFingerprint({ ctx, request }: Prepared): string | undefined {
  if (request.operation !== 'chat') return undefined;
  const { rawBody } = ctx.transport;
  if (rawBody !== undefined && rawBody.length > BYTES_MAX) return undefined;
  const { messages, tools } = request.body;
  const text = JSON.stringify([ctx.who.tenantId, messages, tools]);
  if (text.length > BYTES_MAX) return undefined;
  return hasherOf(ctx.services)(text);
}

/** Deriving the key for each request takes longer than the hash. */
const hasherOf = oncePer(({ config }: Services) =>
  shortHasher(config.secret, 'prompt fingerprint'),
);
