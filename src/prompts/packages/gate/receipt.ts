import type { GateCheck } from './check.js';
import type { GateStatus, OutputAssumption } from './vocabulary.js';

/** The cost of a call of a model variant, as it is kept: micro-rubles as text. */
export interface KeptCost {
  readonly name: string;
  readonly model: string;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly output_assumption: OutputAssumption | null;
  readonly cost_micro: string | null;
  readonly reason: string | null;
}

/** A gate run as it is kept: the content of the sealed receipt, and which receipt it is. */
export interface GateReceipt {
  readonly receipt_id: string;
  /** Of the sealed content, 64 hexadecimal digits. */
  readonly sha256: string;
  /** True where an earlier run with the same inputs had sealed it. */
  readonly already_sealed: boolean;
  readonly prompt_id: string;
  readonly prompt_key: string;
  readonly version_id: string;
  readonly version: number;
  readonly content_hash: string;
  readonly template_hash: string;
  readonly gate_status: GateStatus;
  readonly schema_valid: boolean | null;
  readonly checks: readonly GateCheck[];
  readonly cost: readonly KeptCost[];
  readonly context_policy_id: string | null;
  /** The moment that ages in the context pack were counted from; null where none was evaluated. */
  readonly context_as_of: string | null;
}
