import type { Provenance } from '../../kernel/provenance.js';
import type { DecisionReason, Latency } from './compare.rules.js';
import type { ItemResult, Quality } from './quality.rules.js';
import type { CutoverDecision } from './vocabulary.js';

/** A comparison as it is sealed and shown, under the names of the wire; amounts are rubles. */
export type ComparisonContent = {
  readonly migration_id: string;
  readonly migration_key: string;
  /** The first comparison of a migration is 1. */
  readonly number: number;
  readonly target_model: string;
  readonly route_model: string | null;
  readonly route_chosen_by: 'evaluation' | 'route_choice';
  readonly simulated: boolean;
  readonly price_day: string;
  readonly input_share: number;
  readonly source_cost_per_1m_rub: string;
  readonly route_cost_per_1m_rub: string | null;
  readonly cost_delta_percent: number | null;
  readonly monthly_tokens: string | null;
  readonly monthly_delta_rub: string | null;
  readonly quality: Sealed<Quality>;
  readonly evaluation: EvaluationContent | null;
  readonly latency: Sealed<Latency>;
  readonly score: number | null;
  readonly cutover_decision: CutoverDecision;
  readonly decided_by: string;
  readonly reasons: readonly Sealed<DecisionReason>[];
  readonly provenance: Readonly<Record<string, Provenance | null>>;
};

/** The run of an evaluation set as it is sealed. */
export type EvaluationContent = {
  readonly sha256: string;
  /** True where a simulated model answered at least one item. */
  readonly simulated: boolean;
  readonly cost_rub: string;
  readonly results: readonly Sealed<ItemResult>[];
};

/** An interface as an object type, which JSON can be checked against. */
type Sealed<T> = { readonly [name in keyof T]: T[name] };

/** A comparison as a migration keeps it. */
export interface StoredComparison {
  readonly content: ComparisonContent;
  /** Of the sealed content, in hexadecimal. */
  readonly sha256: string;
  readonly sealed_at: string;
}
