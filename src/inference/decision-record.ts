import type { JsonObject } from '../kernel/json.js';
import { formatRub, MICRO_PER_RUB } from '../kernel/money.js';
import type { Decided } from '../routing/automatic.js';
import { reasonOf } from '../routing/decision/explain.rules.js';
import type { Features } from '../routing/decision/tables.js';
import { DECISION_MEMBER } from '../routing/replay/recorded.js';
import type { Bill } from './bill.js';

/**
 * A decision as a usage row keeps it: what it follows from, so that it can be made again, and what
 * it came to. The names are those of `DECISION_RECORD`.
 */
function decisionRecord(
  { useCase, known, inputs, decision }: Decided,
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
    quality_basis_points: chosen?.quality ?? null,
    baseline_model: baseline?.model.model ?? null,
    baseline_cost_rub: baselineMicro === undefined ? null : formatRub(baselineMicro),
  };
}

function featuresRecord(features: Features): JsonObject {
  return {
    operation: features.operation,
    needs: features.needs,
    text_tokens: features.textTokens,
    window_tokens: features.windowTokens,
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
export function decisionMember(decided: Decided, baselineMicro: bigint | undefined): JsonObject {
  return { [DECISION_MEMBER]: decisionRecord(decided, baselineMicro) };
}

/** What an answer says of the decision of the router. */
export function decisionReceipt(
  { useCase, known, inputs, decision }: Decided,
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
    ties: inputs.situation.ties,
    verdict: decision.verdict,
    complexity: decision.complexity,
    quality_floor_basis_points: decision.qualityFloor,
    explored: decision.explored,
    kept_incumbent: decision.keptIncumbent,
    baseline_model: decision.baseline?.model.model ?? null,
    baseline_cost_rub: rubles(baselineMicro),
    cost_saved_rub: rubles(baselineMicro === undefined ? undefined : baselineMicro - costMicro),
    candidates_total: decision.candidatesTotal,
    situation: known.sha256,
    stages: decision.stages.map(({ stage, candidatesLeft, leader }) => ({
      stage,
      candidates_left: candidatesLeft,
      leader: leader?.model.model ?? null,
    })),
  };
}

const MICRO = Number(MICRO_PER_RUB);

/** The candidates that an answer shows. */
export function decidedCandidates({ inputs, decision }: Decided): JsonObject[] {
  const { chosen, shown } = decision;
  return shown.map((one) => ({
    model: one.model.model,
    chosen: one === chosen,
    ...(one.rejection && {
      rejected: one.rejection,
      reason: reasonOf(one, one.rejection, decision, inputs),
    }),
    ...(one.deployment && { expected_rub: one.costMicro / MICRO }),
    quality_basis_points: one.quality,
    ...(one.utility >= 0 && { utility_basis_points: one.utility }),
  }));
}

function rubles(micro: bigint | undefined): number | null {
  return micro === undefined ? null : Number(formatRub(micro));
}
