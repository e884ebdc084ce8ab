import type { JsonObject } from '../../kernel/json.js';
import {
  type ContractReason,
  REASONING_EFFORTS,
  type ReasoningEffort,
} from '../../routing/workloads/contract-vocabulary.js';

/** Members by which providers bound reasoning in ways of their own. */
const PROVIDER_MEMBERS = ['reasoning', 'thinking', 'thinking_budget', 'enable_thinking'] as const;

/** The effort that a model is told, and why. */
export interface EffortInForce {
  /** Undefined where the model is told nothing. */
  readonly effort: string | undefined;
  readonly reason: ContractReason;
}

/**
 * What is left of the effort that a body states under the most that a contract allows. An effort is
 * never raised, and only a model that reasons is told one that the body does not state.
 */
export function effortInForce(
  body: JsonObject,
  effortMax: ReasoningEffort,
  modelReasons: boolean,
): EffortInForce {
  const asked = statedEffort(body);
  if (asked === undefined) {
    const isBoundOtherwise = PROVIDER_MEMBERS.some((name) => body[name] != null);
    if (isBoundOtherwise) return { effort: undefined, reason: 'provider_member' };
    if (!modelReasons) return { effort: undefined, reason: 'model_does_not_reason' };
    return { effort: effortMax, reason: 'set' };
  }
  const rank = rankOf(asked);
  if (rank < 0) return { effort: asked, reason: 'effort_unknown' };
  if (rank > rankOf(effortMax)) return { effort: effortMax, reason: 'lowered' };
  return { effort: asked, reason: 'within' };
}

/** The effort that a body states; undefined where it states none. */
export function statedEffort({ reasoning_effort: stated }: JsonObject): string | undefined {
  return typeof stated === 'string' ? stated : undefined;
}

function rankOf(effort: string): number {
  return (REASONING_EFFORTS.codes as readonly string[]).indexOf(effort);
}
