import type { Services } from '../graph/ctx.js';
import type { KeyedRequest } from './idempotency.js';
import { type Evidence, stateAfter } from './idempotency.rules.js';

/**
 * Ends an attempt that has no answer to keep.
 * @param repeated true when an earlier attempt may have run; only `nothing_done` depends on it
 */
export async function endAttempt(
  { idempotency }: Pick<Services, 'idempotency'>,
  request: KeyedRequest,
  evidence: Exclude<Evidence, 'answered'>,
  repeated = true,
): Promise<void> {
  if (stateAfter(evidence, repeated) === 'free') await idempotency.release(request);
  else await idempotency.keepOpen(request);
}
