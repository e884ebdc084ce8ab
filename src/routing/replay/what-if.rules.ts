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

/** What of a model a difference is reckoned by: situations are too large to be held for it. */
export type Rated = Pick<
  RouteModel,
  | 'model'
  | 'qualitySource'
  | 'qualityBasisPoints'
  | 'qualityLowBasisPoints'
  | 'qualityHighBasisPoints'
>;

/** A decision that comes out otherwise, or at another price. */
export interface Moved extends Pick<PastDecision, 'answeredBy' | 'costMicro'> {
  readonly useCase: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The model that comes out; null where none may answer. */
  readonly model: string | null;
  readonly before: Rated | undefined;
  readonly after: Rated | undefined;
  /** At the tokens that were billed, in micro-rubles rounded half up; undefined without a price. */
  readonly sameTokensMicro: bigint | undefined;
  readonly price: SupposedPrice | undefined;
}

/**
 * Asks one decision again under a supposition.
 * @returns undefined where the same model answers at the same price
 */
export function askAgain(
  past: PastDecision,
  supposed: Situation,
  isSupposedPrice: boolean,
): Moved | undefined {
  const { answeredBy, costMicro, inputTokens, outputTokens, record, situation } = past;
  const { chosen } = decideAgain(past, supposed);
  const model = chosen?.model.model ?? null;
  const isSame = model === record.model;
  if (isSame && !isSupposedPrice) return undefined;
  // After a fallback the same choice would have ended in the same fallback.
  const after = isSame ? supposed.models.find((each) => each.model === answeredBy) : chosen?.model;
  const before = situation.models.find((each) => each.model === answeredBy);
  const price = priceOf(after);
  return {
    answeredBy,
    costMicro,
    inputTokens,
    outputTokens,
    useCase: record.useCase,
    model,
    before: before && ratedOf(before),
    after: after && ratedOf(after),
    sameTokensMicro: price && costOf(price, inputTokens, outputTokens),
    price,
  };
}

function ratedOf(one: RouteModel): Rated {
  const { model, qualitySource, qualityBasisPoints } = one;
  const { qualityLowBasisPoints, qualityHighBasisPoints } = one;
  return {
    model,
    qualitySource,
    qualityBasisPoints,
    qualityLowBasisPoints,
    qualityHighBasisPoints,
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
  moves: readonly Moved[],
  lengthOf: (useCase: string, model: string) => AnswerLength | undefined,
): Difference<bigint> {
  let [low, expected, high] = [0n, 0n, 0n];
  const needed = new Set<string>();
  for (const { useCase, answeredBy, costMicro, inputTokens, outputTokens, after, price } of moves) {
    // A refused request would have cost nothing.
    if (!after) {
      [low, expected, high] = [low - costMicro, expected - costMicro, high - costMicro];
      continue;
    }
    const isSameModel = after.model === answeredBy;
    const length = isSameModel ? exactly(outputTokens) : lengthOf(useCase, after.model);
    if (!price) needed.add(`the list price of ${after.model}`);
    else if (!length || length.answers < ANSWERS_MIN) {
      needed.add(`${ANSWERS_MIN} recorded answers of ${after.model} for ${useCase}`);
    } else {
      const spread = (NORMAL_95 * length.standardDeviation) / Math.sqrt(length.answers);
      const at = (tokens: number) => costOf(price, inputTokens, Math.max(0, tokens)) - costMicro;
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
export function qualityDifference(moves: readonly Moved[], decisions: number): Difference<number> {
  let [low, expected, high] = [0, 0, 0];
  const needed = new Set<string>();
  for (const { useCase, answeredBy, before, after } of moves) {
    if (before?.model === after?.model) continue;
    for (const [model, id] of [[before, answeredBy] as const, [after, ''] as const]) {
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
  const mean = (sum: number) => Math.round(sum / Math.max(1, decisions));
  return { low: mean(low), expected: mean(expected), high: mean(high), needed: [] };
}
