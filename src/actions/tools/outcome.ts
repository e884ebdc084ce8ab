import { createHash } from 'node:crypto';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { WEBHOOK_FAILURES } from '../webhook/failures.js';
import type { WebhookOutcome } from '../webhook/send.js';
import { BOUNDS } from './vocabulary.js';

/** Why a call has failed or was voided. */
export const CALL_FAILURES = [
  {
    code: 'decision_outdated',
    description: 'Contract, arguments or decision changed since the call was decided on.',
  },
  {
    code: 'execution_given_up',
    description: 'Every attempt broke off; whether the tool has done it is not known.',
  },
  ...WEBHOOK_FAILURES,
] as const;

/** A reason of failure. */
export type CallFailure = (typeof CALL_FAILURES)[number]['code'];

/** What a tool answered, as it is stored with the call. */
export type CallResult = {
  /** The HTTP status; null where nothing was called. */
  readonly status_code: number | null;
  readonly content_type: string;
  /** The answer, at most 16 KiB of it. */
  readonly text: string;
  /** More was answered than `text` holds. */
  readonly truncated: boolean;
  /** sha256 of what was received of the answer. */
  readonly sha256: string;
};

/** How an execution ended. */
export interface ActionOutcome {
  readonly event: 'succeed' | 'fail' | 'void';
  readonly result: CallResult | null;
  readonly failure: CallFailure | null;
  /** From the first attempt at the endpoint to its last answer; null when none was made. */
  readonly latencyMs: number | null;
}

/** A result without its text: what a receipt says of it. */
export function resultSummary({ text: _text, ...summary }: CallResult) {
  return summary;
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
    status_code: status,
    content_type: contentType,
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
