import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Services } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { type Trace, traceparent } from '../../kernel/trace.rules.js';
import { newSpanId } from '../../platform/request-spans.js';
import { failureOf, failureOfStatus, type WebhookFailure } from './failures.js';
import { guardedAgent, SYSTEM_NETWORK, type WebhookNetwork } from './guarded-agent.js';
import { captureResponse, type WebhookResponse } from './response.js';
import { retryAfterMsOf, waitBeforeRetryMs } from './retries.js';
import { type WebhookAllowance, type WebhookTarget, webhookTarget } from './target.js';

/** One message for an endpoint. */
export interface WebhookCall {
  readonly url: string;
  /** Signing secrets of Standard Webhooks, `whsec_…`: messages carry a signature by each. */
  readonly secrets: readonly string[];
  /** `webhook-id`, the same in every attempt, by which the endpoint recognises a repetition. */
  readonly id: string;
  /** JSON as UTF-8. */
  readonly body: Buffer;
  /** The trace that the call belongs to. */
  readonly trace: Trace;
  /** The span that the endpoint is told as its parent, for a single attempt; else a fresh one. */
  readonly spanId?: string;
  /** Bounds the call with all its attempts and waits. */
  readonly timeoutMsMax: number;
  /** Ends the call early. */
  readonly signal: AbortSignal;
}

/** What became of a call. */
export interface WebhookOutcome {
  /** The endpoint answered with a status of success. */
  readonly delivered: boolean;
  /** The last status, or null when the endpoint did not answer. */
  readonly status: number | null;
  /** How often the endpoint was tried; 0 when the URL was refused. */
  readonly attempts: number;
  /** From the call to its end, with all attempts and waits. */
  readonly latencyMs: number;
  /** Null when delivered. */
  readonly failure: WebhookFailure | null;
  /** The last answer, or null when there was none. */
  readonly response: WebhookResponse | null;
}

/** What became of a single attempt. */
export interface WebhookAttempt {
  /** Null when the endpoint did not answer. */
  readonly status: number | null;
  /** Null when delivered. */
  readonly failure: WebhookFailure | null;
  readonly response: WebhookResponse | null;
  /** What the endpoint asked for in `retry-after`, in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null;
}

/**
 * Sends a signed message (Standard Webhooks) and tries again where that can help: after failed
 * connections, 408, 425, 429 and 5xx, three times at most and within the time of the call. Every
 * attempt has a fresh timestamp and signature, and the same id. Redirects are not followed.
 * Whatever the endpoint does is an outcome; nothing of it is thrown.
 * @param network how names become addresses; tests give their own
 * @throws Error when the secret is not one of Standard Webhooks
 */
export async function sendWebhook(
  services: Pick<Services, 'config'>,
  call: WebhookCall,
  network: WebhookNetwork = SYSTEM_NETWORK,
): Promise<WebhookOutcome> {
  const startMs = performance.now();
  const elapsedMs = () => performance.now() - startMs;
  const sending = sendingOf(services, call);
  if (!sending) return outcomeOf(REFUSED, 0, elapsedMs());
  const { ended } = sending;
  for (let attempt = 1; ; attempt += 1) {
    const last = await attemptOnce(sending, services.config, network);
    const waitMs = waitAfter(last, attempt, call.timeoutMsMax - elapsedMs());
    if (waitMs === null || ended.aborted) return outcomeOf(last, attempt, elapsedMs());
    await wait(waitMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return outcomeOf(last, attempt, elapsedMs());
  }
}

/**
 * Makes one attempt of a signed message, for callers who keep a schedule of their own. Whatever the
 * endpoint does is the outcome; nothing of it is thrown.
 * @throws Error when a secret is not one of Standard Webhooks
 */
export async function attemptWebhook(
  services: Pick<Services, 'config'>,
  call: WebhookCall,
): Promise<WebhookAttempt> {
  const sending = sendingOf(services, call);
  return sending ? attemptOnce(sending, services.config, SYSTEM_NETWORK) : REFUSED;
}

const REFUSED: WebhookAttempt = {
  status: null,
  failure: 'url_refused',
  response: null,
  retryAfterMs: null,
};

interface Sending {
  readonly call: WebhookCall;
  readonly target: WebhookTarget;
  readonly signers: readonly Webhook[];
  readonly ended: AbortSignal;
}

/** Undefined where the URL breaks the rules. */
function sendingOf({ config }: Pick<Services, 'config'>, call: WebhookCall): Sending | undefined {
  const { secrets, signal, timeoutMsMax } = call;
  const signers = secrets.map((each) => new Webhook(each));
  const target = webhookTarget(call.url, config);
  if (!('url' in target)) return undefined;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMsMax)]);
  return { call, target, signers, ended };
}

async function attemptOnce(
  { call, target, signers, ended }: Sending,
  allowance: WebhookAllowance,
  network: WebhookNetwork,
): Promise<WebhookAttempt> {
  const agent = guardedAgent(target, allowance, network);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin: target.url.origin,
      path: target.url.pathname + target.url.search,
      method: 'POST',
      headers: signedHeaders(call, signers),
      body: call.body,
      signal: ended,
      reset: true,
      // The deadline of the call bounds the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return {
      status: statusCode,
      failure: failureOfStatus(statusCode),
      response: await captureResponse(textOf(headers['content-type']), body),
      retryAfterMs: retryAfterMsOf(textOf(headers['retry-after']), sharedNowMs()),
    };
  } catch (error) {
    const failure = failureOfEnd(call, ended) ?? failureOf(error);
    return { status: null, failure, response: null, retryAfterMs: null };
  } finally {
    await agent.destroy();
  }
}

/** A fresh signature: receivers refuse timestamps that are older than five minutes. */
function signedHeaders(
  { id, body, trace, spanId = newSpanId() }: WebhookCall,
  signers: readonly Webhook[],
): Record<string, string> {
  const now = sharedNow();
  return {
    accept: 'application/json, text/*;q=0.9, */*;q=0.1',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    traceparent: traceparent(trace, spanId),
    ...(trace.state === undefined ? {} : { tracestate: trace.state }),
    'user-agent': 'gw-webhook/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, now, body)).join(' '),
  };
}

function failureOfEnd(call: WebhookCall, ended: AbortSignal): WebhookFailure | undefined {
  if (!ended.aborted) return undefined;
  return call.signal.aborted ? 'cancelled' : 'timeout';
}

function waitAfter(last: WebhookAttempt, attempt: number, remainingMs: number): number | null {
  const { failure, status, retryAfterMs } = last;
  if (failure === null) return null;
  const chance = Math.random();
  return waitBeforeRetryMs({ attempt, failure, status, retryAfterMs, remainingMs, chance });
}

function outcomeOf(last: WebhookAttempt, attempts: number, latencyMs: number): WebhookOutcome {
  const { status, failure, response } = last;
  return {
    delivered: failure === null,
    status,
    attempts,
    latencyMs: Math.round(latencyMs),
    failure,
    response,
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
