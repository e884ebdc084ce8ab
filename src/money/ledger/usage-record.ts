import type { MicroRub } from '../../kernel/money.js';

/** What was produced, by price class. Counts of tokens; the classes do not overlap. */
export interface UsageVector {
  readonly inputUncached: number;
  readonly inputCached: number;
  readonly cacheWrite: number;
  readonly outputText: number;
  readonly outputReasoning: number;
}

/**
 * The dated price row that a request was billed by, in micro-rubles per million tokens. It is
 * stored with the usage, so that the amount can be computed again later from the row alone.
 */
export interface PricesUsed {
  /** The first day of the price row, `YYYY-MM-DD`. */
  readonly effectiveFrom: string;
  readonly inputUncached: MicroRub;
  readonly inputCached: MicroRub;
  readonly cacheWrite: MicroRub;
  readonly outputText: MicroRub;
  readonly outputReasoning: MicroRub;
}

/** What is known of a request when it is held: enough for a row when nothing more is learnt. */
export interface KnownUsage {
  readonly projectId: string;
  readonly keyId?: string;
  readonly userId?: string;
  readonly operation: 'chat' | 'embeddings';
  readonly requestedModel: string;
  readonly model: string;
  readonly provider: string;
  /** The jurisdiction of the data route, such as `RU`. */
  readonly route: string;
  /** True when the built-in sandbox answered. */
  readonly simulated: boolean;
  readonly feature?: string;
  readonly environment?: string;
  readonly clientId?: string;
  readonly streamed: boolean;
  readonly dataClass: string;
  /** What has no column of its own, such as the workspace; absent where there is nothing. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * One served request as the usage table records it, without its amount: the ledger adds what was
 * really charged and the tax. Never holds prompt or answer text.
 */
export interface UsageRecord extends KnownUsage {
  readonly tokens: UsageVector;
  /** The usage object as the upstream wrote it, where it wrote one. */
  readonly rawUsage?: unknown;
  readonly usageSource: 'upstream' | 'estimated';
  readonly prices: PricesUsed;
  readonly status: 'complete' | 'partial' | 'failed';
  readonly errorCode?: string;
  readonly httpStatus: number;
  readonly finishReason?: string;
  readonly latencyMs: number;
  readonly timeToFirstTokenMs?: number;
  readonly upstreamMs?: number;
  readonly overheadUs: number;
  readonly attempts: number;
  /** Policy id → version, of every policy that was in force. */
  readonly policyVersions: Readonly<Record<string, number>>;
  /** Finding class → count; never what was found. */
  readonly firewallFindings: Readonly<Record<string, number>>;
  /** Metadata that has no column of its own. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
