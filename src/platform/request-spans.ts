import { randomBytes } from 'node:crypto';
import type { Trace } from '../kernel/trace.rules.js';

/** A part of a request, by performance.now() in milliseconds. */
export interface Stage {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** One call of a deployment. Every name is one of the operator's catalogue. */
export interface AttemptSpan extends Omit<Stage, 'name'> {
  /** The parent that the provider was told. */
  readonly spanId: string;
  readonly provider: string;
  /** The public model, and the name that the provider knows it by. */
  readonly model: string;
  readonly upstreamName: string;
  readonly operation: string;
  readonly streamed: boolean;
  /** Scheme, host and port; empty for what answers in process. */
  readonly origin: string;
  readonly status: number | null;
  /** A code of ours; null where an answer began. */
  readonly error: string | null;
}

/** What an answer used. */
export interface AnswerFacts {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly finishReason: string | undefined;
  /** When the first token came, by performance.now(); undefined where it was no stream. */
  readonly firstTokenAtMs: number | undefined;
}

const MAX_STAGES = 64;

/** A fresh id of a span: 16 hexadecimal digits. */
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * What a request goes through, as it is told to a collector when it is over. It holds times, names
 * of ours and figures, and never a word of a request or an answer. There is one only while spans
 * are exported, and the caller has not said that it does not record its trace.
 */
export class RequestSpans {
  readonly spanId = newSpanId();
  readonly stages: Stage[] = [];
  readonly attempts: AttemptSpan[] = [];
  /** The trace as it goes on from here: that of the caller, or one that begins here. */
  readonly trace: Trace;
  answer: AnswerFacts | undefined;
  private markedMs = performance.now();

  constructor(readonly caller: Trace | undefined) {
    const traceId = caller?.traceId ?? randomBytes(16).toString('hex');
    this.trace = { traceId, parentId: this.spanId, sampled: true, state: caller?.state };
  }

  /** A stage is over: it took the time since the one before. */
  passed(name: string): void {
    const endMs = performance.now();
    if (this.stages.length < MAX_STAGES) this.stages.push({ name, startMs: this.markedMs, endMs });
    this.markedMs = endMs;
  }
}
