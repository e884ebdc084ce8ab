import { NORMAL_95 } from '../../kernel/interval.rules.js';
import { decideRoute } from '../decision/decide.rules.js';
import type { Features, RouteModel, Situation, Terms } from '../decision/tables.js';
import { SCORECARD_SOURCES } from '../decision/vocabulary.js';
import type { DecisionRecord } from './recorded.js';

/** A decision with what it was made in and what became of it. */
export interface PastDecision {
  readonly requestId: string;
  readonly record: DecisionRecord;
  readonly situation: Situation;
  /** The model that really answered; another than the chosen one after a fallback. */
  readonly answeredBy: string;
  readonly costMicro: bigint;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A list price that a what-if supposes, in micro-rubles for a million tokens. */
export interface SupposedPrice {
  readonly inputMicroPerMillion: bigint;
  readonly outputMicroPerMillion: bigint;
}

/** What is supposed of the past. What is left out was as it was. */
export interface Supposition {
  readonly terms?: Terms;
  readonly prices?: ReadonlyMap<string, SupposedPrice>;
  /** Estimates of today, by use case and model. */
  readonly estimates?: (useCase: string, model: RouteModel) => RouteModel;
}

/** The same situation with what is supposed in it, for requests of a use case. */
export function suppose(
  situation: Situation,
  useCase: string,
  { terms, prices, estimates }: Supposition,
): Situation {
  const models = situation.models.map((model) => {
    const estimated = estimates ? estimates(useCase, model) : model;
    const price = prices?.get(model.model);
    if (!price) return estimated;
    const deployments = estimated.deployments.map((each) => ({ ...each, ...price }));
    return { ...estimated, deployments };
  });
  return { ...situation, terms: terms ?? situation.terms, models };
}

/** Decides again what was decided, in a situation. */
export function decideAgain(
  { requestId, record }: Pick<PastDecision, 'requestId' | 'record'>,
  situation: Situation,
) {
  const { features, incumbent } = record;
  return decideRoute({ features: features as Features, situation, incumbent, seed: requestId });
}

/** How many tokens a model's answers have had in a use case. */
export interface AnswerLength {
  readonly answers: number;
  readonly meanTokens: number;
  readonly standardDeviation: number;
}

/** Fewer answers of a model than this say nothing of how long its answers are. */
const ANSWERS_MIN = 30;
const PRICE_UNIT = 1_000_000;

/** One decision asked again. */
export interface AskedAgain {
  readonly past: PastDecision;
  readonly model: string | null;
  /** Undefined where the same model answers at the same price. */
  readonly moved: Moved | undefined;
}

/** What a decision that came out otherwise would have cost and been worth. */
export interface Moved {
  readonly before: RouteModel | undefined;
  readonly after: RouteModel | undefined;
  /** At the tokens that were billed, in micro-rubles rounded half up; undefined without a price. */
  readonly sameTokensMicro: bigint | undefined;
  readonly price: SupposedPrice | undefined;
}

/** Asks one decision again under a supposition. */
export function askAgain(
  past: PastDecision,
  supposed: Situation,
  isSupposedPrice: boolean,
): AskedAgain {
  const { chosen } = decideAgain(past, supposed);
  const model = chosen?.model.model ?? null;
  const isSame = model === past.record.model;
  if (isSame && !isSupposedPrice) return { past, model, moved: undefined };
  const find = (id: string | null) => supposed.models.find((each) => each.model === id);
  // After a fallback the same choice would have ended in the same fallback.
  const after = isSame ? find(past.answeredBy) : chosen?.model;
  const price = priceOf(after);
  return {
    past,
    model,
    moved: {
      before: past.situation.models.find((each) => each.model === past.answeredBy),
      after,
      sameTokensMicro: price && costOf(price, past.inputTokens, past.outputTokens),
      price,
    },
  };
}

function priceOf(model: RouteModel | undefined): SupposedPrice | undefined {
  const priced = model?.deployments.find(
    ({ inputMicroPerMillion }) => inputMicroPerMillion !== null,
  );
  if (!priced || priced.inputMicroPerMillion === null) return undefined;
  const { inputMicroPerMillion, outputMicroPerMillion } = priced;
  return { inputMicroPerMillion, outputMicroPerMillion: outputMicroPerMillion ?? 0n };
}

function costOf(price: SupposedPrice, inputTokens: number, outputTokens: number): bigint {
  const input = Number(price.inputMicroPerMillion) * inputTokens;
  const output = Number(price.outputMicroPerMillion) * outputTokens;
  return BigInt(Math.round((input + output) / PRICE_UNIT));
}

/** A difference with its interval; null in all three where the data does not carry it. */
export interface Difference<N> {
  readonly low: N | null;
  readonly expected: N | null;
  readonly high: N | null;
  /** What would have to be known; empty where the difference is. */
  readonly needed: readonly string[];
}

/**
 * What the moved decisions would have cost more, or less: their input as it was, and answers as
 * long as those of the new model are in that use case, with the normal interval of 95 % of their
 * mean. Refuses where a model has fewer than `ANSWERS_MIN` recorded answers there.
 */
export function costDifference(
  asked: readonly AskedAgain[],
  lengthOf: (useCase: string, model: string) => AnswerLength | undefined,
): Difference<bigint> {
  let [low, expected, high] = [0n, 0n, 0n];
  const needed = new Set<string>();
  for (const { past, moved } of asked) {
    if (!moved) continue;
    const { useCase } = past.record;
    const { after, price } = moved;
    // A refused request would have cost nothing.
    if (!after) {
      [low, expected, high] = [
        low - past.costMicro,
        expected - past.costMicro,
        high - past.costMicro,
      ];
      continue;
    }
    const isSameModel = after.model === past.answeredBy;
    const length = isSameModel ? exactly(past.outputTokens) : lengthOf(useCase, after.model);
    if (!price) needed.add(`the list price of ${after.model}`);
    else if (!length || length.answers < ANSWERS_MIN) {
      needed.add(`${ANSWERS_MIN} recorded answers of ${after.model} for ${useCase}`);
    } else {
      const spread = (NORMAL_95 * length.standardDeviation) / Math.sqrt(length.answers);
      const at = (tokens: number) =>
        costOf(price, past.inputTokens, Math.max(0, tokens)) - past.costMicro;
      low += at(length.meanTokens - spread);
      expected += at(length.meanTokens);
      high += at(length.meanTokens + spread);
    }
  }
  if (needed.size > 0) return { low: null, expected: null, high: null, needed: [...needed] };
  return { low, expected, high, needed: [] };
}

function exactly(tokens: number): AnswerLength {
  return { answers: ANSWERS_MIN, meanTokens: tokens, standardDeviation: 0 };
}

/**
 * How the mean quality of all decisions would have changed, in basis points: of the moved ones the
 * estimates of the new model less those of the old one, ends against opposite ends. Refuses where
 * one of them is not measured.
 */
export function qualityDifference(asked: readonly AskedAgain[]): Difference<number> {
  let [low, expected, high] = [0, 0, 0];
  const needed = new Set<string>();
  for (const { past, moved } of asked) {
    if (!moved || moved.before?.model === moved.after?.model) continue;
    const { before, after } = moved;
    const { useCase } = past.record;
    for (const [model, id] of [[before, past.answeredBy] as const, [after, ''] as const]) {
      const isMeasured = model && SCORECARD_SOURCES.find(model.qualitySource)?.isMeasured;
      const name = model?.model ?? id;
      if (!isMeasured && name !== '') needed.add(`a measured scorecard of ${name} for ${useCase}`);
    }
    if (!after) needed.add('an answer to what would have been refused');
    if (!before || !after) continue;
    low += after.qualityLowBasisPoints - before.qualityHighBasisPoints;
    expected += after.qualityBasisPoints - before.qualityBasisPoints;
    high += after.qualityHighBasisPoints - before.qualityLowBasisPoints;
  }
  if (needed.size > 0) return { low: null, expected: null, high: null, needed: [...needed] };
  const mean = (sum: number) => Math.round(sum / Math.max(1, asked.length));
  return { low: mean(low), expected: mean(expected), high: mean(high), needed: [] };
}
