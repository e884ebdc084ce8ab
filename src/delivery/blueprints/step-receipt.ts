import type { Sealable } from '../../kernel/canonical.js';
import { storable } from './storable.js';
import { BLUEPRINT_BOUNDS, type StepStatus, type StepType } from './vocabulary.js';

/** One request to a model that a step made. */
export interface StepAttempt {
  /** The model that was asked for. */
  readonly model: string;
  /** The id in usage and ledger; null where the request was refused before it had a receipt. */
  readonly requestId: string | null;
  /** What was charged, micro-rubles. */
  readonly costMicro: bigint;
  /** Why it did not serve; null where it did. */
  readonly errorCode: string | null;
}

/** Who answered, in short. */
export interface StepRouting {
  readonly requestedModel: string;
  readonly model: string;
  readonly provider: string;
  readonly jurisdiction: string;
  readonly strategy: string;
  readonly simulated: boolean;
  /** Calls of models that failed inside the request before one answered. */
  readonly failedCalls: number;
}

/** What the firewall said, in short. Values are never named. */
export interface StepFirewall {
  readonly verdict: string;
  readonly dataClass: string;
  readonly findings: readonly {
    readonly class: string;
    readonly count: number;
    readonly confidence: string;
  }[];
}

/** Everything that is recorded of a step. */
export interface StepRecord {
  readonly id: string;
  readonly type: StepType;
  readonly title: string;
  readonly status: StepStatus;
  /** Why it was skipped, or the message of the failure; null otherwise. */
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly attempts: readonly StepAttempt[];
  readonly routing: StepRouting | null;
  readonly firewall: StepFirewall | null;
  readonly costMicro: bigint;
  readonly latencyMs: number;
  readonly output: unknown;
  /** Whether the output satisfies its schema; null where the step has none. */
  readonly outputValid: boolean | null;
}

/** True where another model than the primary one served, or had to be asked. */
function fellBack({ attempts, routing }: StepRecord): boolean {
  return attempts.length > 1 || (routing !== null && routing.model !== routing.requestedModel);
}

/** A step as it is sealed and stored: money as text, personal data replaced, output bounded. */
export function storedStep(step: StepRecord) {
  const output = storable(step.output);
  const outputText = JSON.stringify(output);
  const outputTruncated = Buffer.byteLength(outputText) > BLUEPRINT_BOUNDS.outputBytesMax;
  return {
    id: step.id,
    type: step.type,
    title: step.title,
    status: step.status,
    reason: step.reason === null ? null : storable(step.reason),
    error_code: step.errorCode,
    fallback: fellBack(step),
    attempts: step.attempts.map((attempt) => ({
      model: attempt.model,
      request_id: attempt.requestId,
      cost_micro: attempt.costMicro.toString(),
      error_code: attempt.errorCode,
    })),
    routing: step.routing && {
      requested_model: step.routing.requestedModel,
      model: step.routing.model,
      provider: step.routing.provider,
      jurisdiction: step.routing.jurisdiction,
      strategy: step.routing.strategy,
      simulated: step.routing.simulated,
      failed_calls: step.routing.failedCalls,
    },
    firewall: step.firewall && {
      verdict: step.firewall.verdict,
      data_class: step.firewall.dataClass,
      findings: step.firewall.findings.map(({ class: code, count, confidence }) => ({
        class: code,
        count,
        confidence,
      })),
    },
    cost_micro: step.costMicro.toString(),
    latency_ms: step.latencyMs,
    output: outputTruncated ? cutText(outputText) : output,
    output_truncated: outputTruncated,
    output_valid: step.outputValid,
  } satisfies Sealable;
}

/** The first kilobytes of the JSON of an output that is too long to be kept whole. */
function cutText(text: string): string {
  return text.slice(0, BLUEPRINT_BOUNDS.outputBytesMax / 2).replace(/[\ud800-\udbff]$/, '');
}

/** A step as it is sealed. */
export type StepToStore = ReturnType<typeof storedStep>;

/** A stored step with the receipt that seals it. */
export type StoredStep = StepToStore & {
  readonly receipt_id: string;
  readonly receipt_hash: string;
};
