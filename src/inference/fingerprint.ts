import { hmac } from '../platform/secrets.js';
import type { Prepared } from './bill.js';

/** Longer requests have none: to read them once more would be felt. Bytes. */
const BYTES_MAX = 65_536;
/** 96 bits, so that two prompts of an organization never share one by chance. */
const LENGTH = 16;

/**
 * What equal prompts of an organization share, for telling what a cache could have answered: a
 * keyed hash of the messages and tools. Nobody without the server's secret can try prompts against
 * it, and those of two organizations never match. Undefined for embeddings and for long requests.
 */
export function promptFingerprint({ ctx, request }: Prepared): string | undefined {
  if (request.operation !== 'chat') return undefined;
  const { rawBody } = ctx.transport;
  if (rawBody !== undefined && rawBody.length > BYTES_MAX) return undefined;
  const { messages, tools } = request.body;
  const text = JSON.stringify([ctx.who.tenantId, messages, tools]);
  if (text.length > BYTES_MAX) return undefined;
  return hmac(ctx.services.config.secret, 'prompt fingerprint', text)
    .toString('base64url')
    .slice(0, LENGTH);
}
