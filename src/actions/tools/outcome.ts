import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { WebhookOutcome } from '../webhook/send.js';
import type { CallResult } from './tables.js';
import { BOUNDS, type CallFailure } from './vocabulary.js';

/** How an execution ended. */
export interface ActionOutcome {
  readonly event: 'succeed' | 'fail' | 'void';
  readonly result: CallResult | null;
  readonly failure: CallFailure | null;
  /** From the first attempt at the endpoint to its last answer; null when none was made. */
  readonly latencyMs: number | null;
}

/** The outcome of a webhook call. */
export function outcomeOfWebhook(outcome: WebhookOutcome): ActionOutcome {
  const { delivered, status, failure, latencyMs, response } = outcome;
  const result = response && resultOf(status, response.contentType, response.text);
  return {
    event: delivered ? 'succeed' : 'fail',
    result: result && { ...result, truncated: result.truncated || response.truncated },
    failure,
    latencyMs: outcome.attempts > 0 ? latencyMs : null,
  };
}

function resultOf(status: number | null, contentType: string, received: string): CallResult {
  const bytes = Buffer.from(received, 'utf8');
  const truncated = bytes.length > BOUNDS.resultBytesMax;
  return {
    statusCode: status,
    contentType,
    text: bytes.subarray(0, BOUNDS.resultBytesMax).toString('utf8'),
    truncated,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** An action that the connector `simulated` is asked for. */
export interface SimulatedAction {
  readonly toolKey: string;
  readonly verb: string;
  readonly arguments: Sealable;
  readonly records: number | null;
}

/** The answer of the connector `simulated`: the same for the same action, whenever it is asked. */
export function simulatedResult(action: SimulatedAction): CallResult {
  const { toolKey, verb, records } = action;
  const named = { tool_key: toolKey, verb, arguments: action.arguments };
  const hash = createHash('sha256').update(canonicalJson(named), 'utf8').digest('hex');
  const answer = { simulated: true, tool_key: toolKey, verb, records, reference: `sim-${hash}` };
  return resultOf(null, 'application/json', canonicalJson(answer));
}
