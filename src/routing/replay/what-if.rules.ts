import {
  cachedAnswerPrice,
  listPrice,
  type PriceRow,
  type PriceVector,
  type UsageVector,
  usageWorth,
} from '../../catalog/providers/price.js';
import { USAGE_DIMENSIONS } from '../../catalog/providers/vocabulary.js';
import { NORMAL_95 } from '../../kernel/interval.rules.js';
import { divide } from '../../kernel/money.js';
import { decideRoute } from '../decision/decide.rules.js';
import type {
  Features,
  RouteDeployment,
  RouteModel,
  Situation,
  Terms,
} from '../decision/tables.js';
import { SCORECARD_SOURCES } from '../decision/vocabulary.js';
import type { DecisionRecord } from './recorded.js';

/** A decision with what it was made in and what became of it. */
export interface PastDecision {
  readonly requestId: string;
  readonly record: DecisionRecord;
  readonly situation: Situation;
  /** The model that really answered; another than the chosen one after a fallback. */
  readonly answeredBy: string;
  /** The deployment that did. */
  readonly deployment: string;
  readonly costMicro: bigint;
  readonly usage: UsageVector;
  /** What a million tokens cost it; of an answer from the cache, with its share of the price. */
  readonly prices: PriceVector;
  /** The answer came from the response cache. */
  readonly isHit: boolean;
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
  /** The row of a supposed day, by the key of a deployment; a stated price goes before it. */
  readonly rowOf?: (deployment: string) => PriceRow | undefined;
  /** The row with all its prices that a decision has read of a deployment, by its first day. */
  readonly listedOf?: (deployment: string, effectiveFrom: string) => PriceRow | undefined;
  /** Estimates of today, by use case and model. */
  readonly estimates?: (useCase: string, model: RouteModel) => RouteModel;
}

/** The same situation with what is supposed in it, for requests of a use case. */
export function suppose(
  situation: Situation,
  useCase: string,
  { terms, prices, rowOf, estimates }: Supposition,
): Situation {
  const models = situation.models.map((model) => {
    const estimated = estimates ? estimates(useCase, model) : model;
    const price = prices?.get(model.model);
    if (!price && !rowOf) return estimated;
    const deployments = estimated.deployments.map((each) => ({
      ...each,
      ...(price ?? decidingPrice(rowOf?.(each.deployment))),
    }));
    return { ...estimated, deployments };
  });
  return { ...situation, terms: terms ?? situation.terms, models };
}

/** What a decision reads of a row; nothing of one without a price of input. */
function decidingPrice(row: PriceRow | undefined) {
  const { input_uncached: input, output_text: output } = row?.microRubPerMillion ?? {};
  if (!row || input === undefined) return undefined;
  return {
    priceFrom: row.effectiveFrom,
    inputMicroPerMillion: input,
    outputMicroPerMillion: output ?? 0n,
  };
}

/** Whether what a request has used is priced otherwise by what is supposed of its deployment. */
function isRepriced(past: RecordedUse, { prices, rowOf }: Supposition): boolean {
  if (prices?.has(past.answeredBy)) return true;
  const row = rowOf?.(past.deployment);
  if (!row) return false;
  const { microRubPerMillion: each } = past.isHit ? cachedAnswerPrice(row) : row;
  return USAGE_DIMENSIONS.codes.some(
    (one) => past.usage[one] > 0 && each[one] !== past.prices[one],
  );
}

type RecordedUse = Pick<PastDecision, 'answeredBy' | 'deployment' | 'usage' | 'prices' | 'isHit'>;

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
const PRICE_UNIT = 1_000_000n;

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
export interface Moved extends Pick<PastDecision, 'answeredBy' | 'costMicro' | 'usage'> {
  readonly useCase: string;
  /** The model that comes out; null where none may answer. */
  readonly model: string | null;
  readonly before: Rated | undefined;
  readonly after: Rated | undefined;
  /** At the tokens that were billed, in micro-rubles half to even; undefined without a price. */
  readonly sameTokensMicro: bigint | undefined;
  /** What the model that comes out costs, by dimension; undefined without a price. */
  readonly prices: PriceVector | undefined;
}

/**
 * Asks one decision again under a supposition, in the situation that it makes.
 * @returns undefined where the same model answers at the same price
 */
export function askAgain(
  past: PastDecision,
  supposed: Situation,
  supposition: Supposition,
): Moved | undefined {
  const { answeredBy, costMicro, usage, record, situation } = past;
  const { chosen } = decideAgain(past, supposed);
  const model = chosen?.model.model ?? null;
  const isSame = model === record.model;
  if (isSame && !isRepriced(past, supposition)) return undefined;
  // After a fallback the same choice would have ended in the same fallback.
  const after = isSame ? supposed.models.find((each) => each.model === answeredBy) : chosen?.model;
  const before = situation.models.find((each) => each.model === answeredBy);
  const prices = after && pricesOf(past, after, supposition);
  const worth = prices && usageWorth(usage, { microRubPerMillion: prices });
  return {
    answeredBy,
    costMicro,
    usage,
    useCase: record.useCase,
    model,
    before: before && ratedOf(before),
    after: after && ratedOf(after),
    sameTokensMicro: worth === undefined ? undefined : divide(worth, PRICE_UNIT, 'half_even'),
    prices,
  };
}

/**
 * What a model would have cost: as supposed of it, else by the whole row of its deployment, else as
 * the decision knew it.
 */
export function pricesOf(
  past: RecordedUse,
  after: Pick<RouteModel, 'model' | 'deployments'>,
  { prices, rowOf, listedOf }: Supposition,
): PriceVector | undefined {
  const isSameModel = after.model === past.answeredBy;
  const known = after.deployments.find((each) => each.inputMicroPerMillion !== null);
  const deployment = isSameModel ? past.deployment : known?.deployment;
  const stated = prices?.get(after.model);
  const row = stated
    ? rowOfPrice(stated)
    : deployment === undefined
      ? undefined
      : rowOf?.(deployment);
  if (!row && isSameModel) return past.prices;
  const listed = row ?? (known && rowOfKnown(known, listedOf));
  return listed && (past.isHit ? cachedAnswerPrice(listed) : listed).microRubPerMillion;
}

/**
 * The price row that a decision read for a deployment. While that row is unchanged, it has its
 * prices of cached input and reasoning; otherwise it has only the prices that the decision kept.
 */
function rowOfKnown(
  { deployment, priceFrom, inputMicroPerMillion: input, outputMicroPerMillion }: RouteDeployment,
  listedOf: Supposition['listedOf'],
): PriceRow | undefined {
  if (input === null) return undefined;
  const output = outputMicroPerMillion ?? 0n;
  const whole = priceFrom === null ? undefined : listedOf?.(deployment, priceFrom);
  const { input_uncached: listedInput, output_text: listedOutput = 0n } =
    whole?.microRubPerMillion ?? {};
  const isAsRead = listedInput === input && listedOutput === output;
  return isAsRead
    ? whole
    : rowOfPrice({ inputMicroPerMillion: input, outputMicroPerMillion: output });
}

/** A price that tells neither cached input nor reasoning apart. */
function rowOfPrice({ inputMicroPerMillion, outputMicroPerMillion }: SupposedPrice): PriceRow {
  return listPrice('', { input: inputMicroPerMillion, output: outputMicroPerMillion }, 'operator');
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

/**
 * What the input of a request and an answer of another length cost, in micro-rubles half to even;
 * undefined without a price.
 */
function costWith(prices: PriceVector, usage: UsageVector, answerTokens: number) {
  const answerless = { ...usage, output_text: 0, output_reasoning: 0 };
  const input = usageWorth(answerless, { microRubPerMillion: prices });
  const each = answerTokens > 0 ? prices.output_text : 0n;
  if (input === undefined || each === undefined) return undefined;
  const output = BigInt(Math.round(Number(each) * answerTokens));
  return divide(input + output, PRICE_UNIT, 'half_even');
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
  for (const { useCase, answeredBy, costMicro, usage, after, ...moved } of moves) {
    // A refused request would have cost nothing.
    if (!after) {
      [low, expected, high] = [low - costMicro, expected - costMicro, high - costMicro];
      continue;
    }
    const { prices, sameTokensMicro } = moved;
    const isSameModel = after.model === answeredBy;
    const length = isSameModel ? undefined : lengthOf(useCase, after.model);
    const noPrice = `the list price of ${after.model}`;
    if (!prices) needed.add(noPrice);
    else if (isSameModel) {
      if (sameTokensMicro === undefined) needed.add(noPrice);
      const change = (sameTokensMicro ?? costMicro) - costMicro;
      [low, expected, high] = [low + change, expected + change, high + change];
    } else if (!length || length.answers < ANSWERS_MIN) {
      needed.add(`${ANSWERS_MIN} recorded answers of ${after.model} for ${useCase}`);
    } else {
      const spread = (NORMAL_95 * length.standardDeviation) / Math.sqrt(length.answers);
      const at = (tokens: number) => {
        const micro = costWith(prices, usage, Math.max(0, tokens));
        if (micro === undefined) needed.add(noPrice);
        return (micro ?? costMicro) - costMicro;
      };
      low += at(length.meanTokens - spread);
      expected += at(length.meanTokens);
      high += at(length.meanTokens + spread);
    }
  }
  if (needed.size > 0) return { low: null, expected: null, high: null, needed: [...needed] };
  return { low, expected, high, needed: [] };
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
