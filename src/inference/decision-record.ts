import type { JsonObject } from '../kernel/json.js';
import { formatRub } from '../kernel/money.js';
import type { Automatic } from '../routing/automatic.js';
import { reasonOf } from '../routing/decision/explain.rules.js';
import type { Judged } from '../routing/decision/gates.rules.js';
import { reckonedQuality } from '../routing/decision/gates.rules.js';
import type { Features } from '../routing/decision/tables.js';
import { DECISION_MEMBER } from '../routing/replay/recorded.js';
import type { Bill } from './bill.js';

/**
 * A decision as a usage row keeps it: what it follows from, so that it can be made again, and what
 * it came to. The names are those of `DECISION_RECORD`.
 */
function decisionRecord(
  { useCase, known, inputs, decision }: Automatic,
  baselineMicro: bigint | undefined,
): JsonObject {
  const { features, situation, incumbent } = inputs;
  const { chosen, baseline } = decision;
  return {
    situation: known.sha256,
    contract_key: situation.terms.contractKey,
    contract_version: situation.terms.contractVersion,
    use_case: useCase,
    features: featuresRecord(features),
    incumbent,
    verdict: decision.verdict,
    model: chosen?.model.model ?? null,
    explored: decision.explored,
    quality_basis_points: chosen ? reckonedQuality(chosen.model, situation.terms) : null,
    baseline_model: baseline?.model.model ?? null,
    baseline_cost_rub: baselineMicro === undefined ? null : formatRub(baselineMicro),
  };
}

function featuresRecord(features: Features): JsonObject {
  return {
    operation: features.operation,
    needs: features.needs,
    text_tokens: features.textTokens,
    images: features.images,
    images_low: features.imagesLow,
    inputs: features.inputs,
    turns: features.turns,
    output_tokens_max: features.outputTokensMax,
    choices: features.choices,
    data_class: features.dataClass,
    jurisdictions_allowed: features.jurisdictionsAllowed,
    models_allowed: features.modelsAllowed,
    models_barred: features.modelsBarred,
    explores: features.explores,
  };
}

/** The member under which metadata of a usage row keeps it. */
export function decisionMember(decided: Automatic, baselineMicro: bigint | undefined): JsonObject {
  return { [DECISION_MEMBER]: decisionRecord(decided, baselineMicro) };
}

/** An answer shows so many candidates; the explanation of the request shows all. */
const SHOWN_MAX = 10;

/** What an answer says of the decision of the router. */
export function decisionReceipt(
  { useCase, known, inputs, decision }: Automatic,
  { baselineMicro, costMicro }: Bill,
): JsonObject {
  const { terms, killSwitch } = inputs.situation;
  return {
    origin: terms.origin,
    contract: terms.contractKey,
    contract_version: terms.contractVersion,
    mode: terms.mode,
    use_case: useCase,
    kill_switch: killSwitch.state,
    verdict: decision.verdict,
    complexity: decision.complexity,
    quality_floor_basis_points: decision.qualityFloor,
    explored: decision.explored,
    kept_incumbent: decision.keptIncumbent,
    baseline_model: decision.baseline?.model.model ?? null,
    baseline_cost_rub: rubles(baselineMicro),
    cost_saved_rub: rubles(baselineMicro === undefined ? undefined : baselineMicro - costMicro),
    candidates_total: decision.candidates.length,
    situation: known.sha256,
    stages: decision.stages.map(({ stage, candidatesLeft, leader }) => ({
      stage,
      candidates_left: candidatesLeft,
      leader: leader?.model.model ?? null,
    })),
  };
}

/** The candidates of a decision, the chosen one first, then by utility. */
export function decidedCandidates({ inputs, decision }: Automatic): JsonObject[] {
  const { chosen, candidates } = decision;
  const rank = (one: Judged) => (one === chosen ? Number.MAX_SAFE_INTEGER : one.utility);
  const shown =
    candidates.length <= SHOWN_MAX
      ? candidates
      : [...candidates].sort((left, right) => rank(right) - rank(left)).slice(0, SHOWN_MAX);
  return shown.map((one) => ({
    model: one.model.model,
    chosen: one === chosen,
    ...(one.rejection && {
      rejected: one.rejection,
      reason: reasonOf(one, one.rejection, decision, inputs),
    }),
    ...(one.deployment && { expected_rub: rubles(BigInt(one.costMicro)) }),
    quality_basis_points: reckonedQuality(one.model, inputs.situation.terms),
    ...(one.utility >= 0 && { utility_basis_points: one.utility }),
  }));
}

function rubles(micro: bigint | undefined): number | null {
  return micro === undefined ? null : Number(formatRub(micro));
}
