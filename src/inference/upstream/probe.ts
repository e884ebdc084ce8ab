import type { Deployment } from '../../catalog/providers/model.js';
import type { ErrorCode } from '../../kernel/errors/catalogue.js';
import { Exchange } from './attempt.js';
import { AttemptFailure } from './attempt-failure.js';
import { ATTEMPT_ERRORS, type UpstreamCall } from './call.js';
import type { ChainTools } from './chain.js';
import { failureOfChain } from './failure.js';
import { isAtLimit } from './gate.js';

/** How long a probe may take in all, in milliseconds. */
const PROBE_MS_MAX = 20_000;
const PROBE_OUTPUT_TOKENS = 8;

/** How one deployment answered one request. */
export interface ProbeResult {
  /** The status of the provider, or null when none came. */
  readonly status: number | null;
  /** To the whole answer or the end of the stream, or to the failure, in milliseconds. */
  readonly latencyMs: number;
  /** To the first content of a stream; null for a whole answer and for none. */
  readonly firstContentMs: number | null;
  /** Whether it answered, and in the form of the wire. */
  readonly answered: boolean;
  /** The code that a customer would have got; null for an answer. */
  readonly errorCode: ErrorCode | null;
  /** What was wrong, in words for people; null for an answer. */
  readonly failure: string | null;
}

/** The smallest request that a deployment can be asked. */
export function probeCall(deployment: Deployment, stream: boolean, signal: AbortSignal) {
  const { operation, jurisdiction, upstreamName: model } = deployment;
  const chat = {
    model,
    messages: [{ role: 'user', content: 'ping' }],
    max_tokens: PROBE_OUTPUT_TOKENS,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  const body = Buffer.from(JSON.stringify(operation === 'chat' ? chat : { model, input: 'ping' }));
  return {
    operation,
    stream: stream && operation === 'chat',
    signal,
    jurisdictionsAllowed: [jurisdiction],
    bodyFor: () => body,
    tokensOf: () => 2 * PROBE_OUTPUT_TOKENS,
  } satisfies UpstreamCall;
}

/**
 * Calls one deployment once. The call counts in its limits, but goes also where they are used up:
 * somebody wants to know. Breaker and figures learn nothing from it.
 * @throws whatever this process itself does wrong
 */
export async function probeDeployment(
  deployment: Deployment,
  call: UpstreamCall,
  tools: ChainTools,
): Promise<ProbeResult> {
  const passing = await tools.gateOf(deployment).pass(deployment, call);
  const passage = isAtLimit(passing) ? undefined : passing;
  const startedMs = performance.now();
  const elapsed = () => performance.now() - startedMs;
  let status: number | null = null;
  let firstContentMs: number | null = null;
  try {
    const exchange = new Exchange(
      tools.carrierOf(deployment),
      {
        deployment,
        operation: call.operation,
        body: call.bodyFor(deployment),
        jurisdictionsAllowed: call.jurisdictionsAllowed,
      },
      {
        stream: call.stream,
        operation: call.operation,
        signal: call.signal,
        limits: limitsOf(deployment, startedMs),
        passage,
        onAnswerEnded: () => undefined,
      },
    );
    const body = await exchange.answered.finally(() => {
      status = exchange.status;
    });
    if (body === undefined) {
      firstContentMs = elapsed();
      await streamEnded(exchange);
    }
    return { status, latencyMs: elapsed(), firstContentMs, ...ANSWERED };
  } catch (thrown) {
    if (!(thrown instanceof AttemptFailure)) throw thrown;
    return { status, latencyMs: elapsed(), firstContentMs, ...refusalOf(deployment, thrown) };
  } finally {
    passage?.ended();
  }
}

const ANSWERED = { answered: true, errorCode: null, failure: null } as const;

function limitsOf({ deadlines: { firstByteMs, gapMs } }: Deployment, startedMs: number) {
  const totalAt = startedMs + PROBE_MS_MAX;
  return {
    firstByteMs: () => Math.min(firstByteMs, PROBE_MS_MAX),
    gapMs: Math.min(gapMs, PROBE_MS_MAX),
    beginAt: totalAt,
    totalAt,
  };
}

/** Reads a stream to its end. Rejects as AttemptFailure where that is none. */
function streamEnded(stream: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.start({
      onEvents: () => true,
      onUsage: () => true,
      onEnd: (end) => {
        if (end.kind === 'done') resolve();
        else if (end.kind === 'aborted') reject(new AttemptFailure('aborted', 'it was given up'));
        else reject(new AttemptFailure(end.error, end.message));
      },
    });
  });
}

function refusalOf(deployment: Deployment, failure: AttemptFailure) {
  const { code } = failureOfChain({
    model: deployment.id,
    last: { deployment, failure },
    attempts: [],
    skipped: [],
    lastWords: [failure],
    limitedMs: undefined,
    breakerWaitMs: 0,
  });
  return { answered: false, errorCode: code, failure: ATTEMPT_ERRORS[failure.error].told };
}
