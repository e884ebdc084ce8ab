import type { Deployment } from '../../catalog/providers/model.js';
import type { Attempt, UpstreamCall } from './call.js';

/** An attempt that is under way. */
export interface Tried {
  readonly deployment: Deployment;
  /** By performance.now(). */
  readonly startedMs: number;
  /** As the provider was told it; undefined where nobody asks for spans. */
  readonly spanId: string | undefined;
}

/** Notes an attempt that is over, or has begun to answer, for the collector of spans. */
export function noteAttempt(
  { spans, operation, stream: streamed }: UpstreamCall,
  { deployment, startedMs: startMs, spanId }: Tried,
  { status, error }: Attempt,
): void {
  if (!spans || spanId === undefined) return;
  const { providerId: provider, id: model, upstreamName, origin } = deployment;
  const named = { spanId, provider, model, upstreamName, origin, operation, streamed };
  spans.attempts.push({ ...named, startMs, endMs: performance.now(), status, error });
}
