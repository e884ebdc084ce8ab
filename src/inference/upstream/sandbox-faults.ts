import { members } from './sandbox-request.js';

/** How the sandbox shall misbehave for one request. */
export type SandboxFaults = Readonly<ReturnType<typeof faultsOf>>;

const MILLISECONDS_MAX = 600_000;

/**
 * Reads the wishes from `metadata` of a request. All values are strings, as the wire has it:
 * - `sandbox_delay_ms`: wait before the answer; `sandbox_gap_ms`: wait before each further chunk
 * - `sandbox_error`: a status from 400 to 599; `reset`, which closes the connection without an
 *   answer; `timeout`, which never answers; `cut_after_<n>` or `error_after_<n>`: the connection
 *   breaks, or an error event comes, after n chunks of a stream
 * - `sandbox_error_model`: only the model of this upstream name fails, so that fall-back is seen
 * - `sandbox_retry_after_ms`: what the failing answer asks for
 * - `sandbox_usage`: `none` for an answer without usage figures
 * - `sandbox_cached_tokens`: that many input tokens count as cached
 */
export function faultsOf(metadata: unknown, upstreamName: string) {
  const wishes = members(metadata);
  const only = wishes.sandbox_error_model;
  const fails = only === undefined || only === upstreamName;
  const error = fails && typeof wishes.sandbox_error === 'string' ? wishes.sandbox_error : '';
  return {
    delayMs: Math.min(whole(wishes.sandbox_delay_ms) ?? 0, MILLISECONDS_MAX),
    gapMs: Math.min(whole(wishes.sandbox_gap_ms) ?? 0, MILLISECONDS_MAX),
    status: /^[45]\d\d$/.test(error) ? Number(error) : undefined,
    retryAfterMs: whole(wishes.sandbox_retry_after_ms),
    reset: error === 'reset',
    silent: error === 'timeout',
    cutAfter: whole(/^cut_after_(\d+)$/.exec(error)?.[1]),
    errorAfter: whole(/^error_after_(\d+)$/.exec(error)?.[1]),
    withoutUsage: wishes.sandbox_usage === 'none',
    cachedTokens: whole(wishes.sandbox_cached_tokens) ?? 0,
  };
}

function whole(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
