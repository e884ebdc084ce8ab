import {
  type PricedPart,
  priceAhead,
  type Span,
} from '../../catalog/providers/price-ahead.rules.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { divide } from '../../kernel/money.js';
import type { FORECAST_FIELDS } from './tables.js';
import {
  QUANTILES,
  RECORDED_ENOUGH,
  type RiskFlag,
  STUDENT_95,
  VARIATION_DEFAULT,
  VARIATION_MAX,
} from './vocabulary.js';

/** What a unit costs, as recorded requests say. */
export interface RecordedUnit {
  readonly requests: number;
  readonly meanMicro: number;
  /** The standard deviation of the cost of a request. */
  readonly deviationMicro: number;
}

/** The recorded cost of a unit, where any request was recorded. */
export function recordedUnit(rows: readonly RecordedUnit[]): RecordedUnit | undefined {
  const [row] = rows;
  return row && row.requests > 0 ? row : undefined;
}

/**
 * The relative standard deviation of a run by recorded requests. Of few of them neither mean nor
 * deviation is sure: the deviation is then at least the default one, and widened as the interval
 * for the next value of a small sample is, by Student's quantile and √(1 + 1/n).
 */
export function recordedVariation({ requests, meanMicro, deviationMicro }: RecordedUnit): number {
  const own = meanMicro > 0 ? deviationMicro / meanMicro : 0;
  if (requests >= RECORDED_ENOUGH) return Math.min(VARIATION_MAX, own);
  const student = STUDENT_95[Math.max(1, requests - 1) - 1] ?? QUANTILES.worst;
  const widened = (student / QUANTILES.worst) * Math.sqrt(1 + 1 / requests);
  return Math.min(VARIATION_MAX, Math.max(own, VARIATION_DEFAULT) * widened);
}

/** What a unit costs at the list prices of models, when any of them may answer. */
export interface ModelsUnit {
  readonly micro: bigint;
  /** The relative deviation: that between the models, and the default one of their units. */
  readonly variation: number;
}

/** The mean of list prices, rounded up, and how far a unit may be from it; undefined of none. */
export function unitOfAny(prices: readonly bigint[]): ModelsUnit | undefined {
  if (prices.length === 0) return undefined;
  const count = BigInt(prices.length);
  const micro = (prices.reduce((sum, each) => sum + each, 0n) + count - 1n) / count;
  const mean = Number(micro);
  const squares = prices.reduce((sum, each) => sum + (Number(each) - mean) ** 2, 0);
  const between = mean > 0 ? Math.sqrt(squares / prices.length) / mean : 0;
  const variation = Math.sqrt((1 + between ** 2) * (1 + VARIATION_DEFAULT ** 2) - 1);
  return { micro, variation: Math.min(VARIATION_MAX, variation) };
}

/** A run, with what a budget leaves it. Amounts in micro-rubles. */
export interface ForecastRun {
  readonly units: number;
  /**
   * The mean cost of the tokens of a unit, without retries: as recorded, else at the price rows of
   * today.
   */
  readonly unitMicro: bigint;
  /** What the tools of a unit cost, which no price row decides. */
  readonly toolMicro: bigint;
  /** Whose price rows the tokens follow; none where the cost of a unit was stated. */
  readonly parts: readonly PricedPart[];
  /** When the run is made. */
  readonly span: Span;
  readonly retryShare: number;
  readonly variation: number;
  /** The recorded requests that the cost of a unit comes from. */
  readonly requests: number;
  /** The cost of a unit is that of models of which nobody knows which one is asked. */
  readonly isOfAnyModel: boolean;
  readonly budgetLeftMicro: bigint | null;
  /** A budget of the scope wants an approval at its cap. */
  readonly budgetAsks: boolean;
  readonly approvalAboveMicro: bigint;
}

/** How the scenarios are computed, as every forecast says. */
const DISTRIBUTION =
  'The cost of the run is log-normal: its mean is units × cost of a unit × (1 + retries), ' +
  'its relative standard deviation is that of a unit, since the units of a run vary together. ' +
  'Optimistic is its 10th, worst its 95th percentile; base is the mean.';

const MILLION = 1_000_000n;
const NEAR_PERCENT = 80n;
const WIDE = 3n;

type Forecast = Pick<
  ValuesOf<typeof FORECAST_FIELDS>,
  | 'costPerUnitMicro'
  | 'priceRows'
  | 'priceChangeMicro'
  | 'optimisticMicro'
  | 'baseMicro'
  | 'worstMicro'
  | 'distribution'
  | 'intervalPercent'
  | 'riskFlags'
  | 'approvalRequired'
>;

/**
 * The scenarios of a run, and what stands against it. Every amount is rounded up. Its units are
 * spread evenly over its time, and each day is priced by the rows in force on it.
 */
export function forecast(run: ForecastRun): Forecast {
  const units = BigInt(run.units);
  const factor = 1 + run.retryShare;
  const unchangedMicro = scaled(run.unitMicro + run.toolMicro, factor) * units;
  const tokensMicro = unchangedMicro - scaled(run.toolMicro, factor) * units;
  const ahead = priceAhead(tokensMicro, run.parts, run.span);
  const baseMicro = unchangedMicro + (ahead.changeMicro ?? 0n);
  const costPerUnitMicro = divide(baseMicro, units, 'ceil');
  const sigma = Math.sqrt(Math.log(1 + run.variation ** 2));
  const at = (z: number) => scaled(baseMicro, Math.exp(z * sigma - sigma ** 2 / 2));
  const [optimisticMicro, worstMicro] = [at(QUANTILES.optimistic), at(QUANTILES.worst)];
  const isUnpriced = ahead.changeMicro === null;
  const riskFlags = risksOf(run, { baseMicro, worstMicro, isUnpriced });
  const overBudget = riskFlags.includes('over_budget') && run.budgetAsks;
  return {
    costPerUnitMicro,
    priceRows: ahead.rows,
    priceChangeMicro: ahead.changeMicro,
    optimisticMicro,
    baseMicro,
    worstMicro,
    distribution: DISTRIBUTION,
    intervalPercent: 85,
    riskFlags,
    approvalRequired: overBudget || riskFlags.includes('over_limit'),
  };
}

/** An amount times a factor, up to a millionth of it and rounded up. */
function scaled(micro: bigint, factor: number): bigint {
  return (micro * BigInt(Math.round(factor * 1_000_000)) + MILLION - 1n) / MILLION;
}

interface Scenarios {
  readonly baseMicro: bigint;
  readonly worstMicro: bigint;
  /** A price row of the run has no price for what is used. */
  readonly isUnpriced: boolean;
}

function risksOf(run: ForecastRun, { baseMicro, worstMicro, isUnpriced }: Scenarios): RiskFlag[] {
  const { budgetLeftMicro: left, approvalAboveMicro, requests, isOfAnyModel } = run;
  const flags: readonly (readonly [RiskFlag, boolean])[] = [
    ['over_budget', left !== null && worstMicro > left],
    ['near_budget', left !== null && baseMicro * 100n > left * NEAR_PERCENT],
    ['over_limit', worstMicro > approvalAboveMicro],
    ['wide_interval', worstMicro > baseMicro * WIDE],
    ['no_history', requests === 0],
    ['few_requests', requests > 0 && requests < RECORDED_ENOUGH],
    ['unknown_model', isOfAnyModel],
    ['price_unknown', isUnpriced],
  ];
  return flags.flatMap(([flag, isRaised]) => (isRaised ? [flag] : []));
}

/** A forecast whose run is over, with what was really spent. */
export interface EndedForecast {
  readonly baseMicro: bigint;
  readonly actualMicro: bigint;
}

/** How far forecasts were off, together. */
export interface ForecastError {
  readonly forecasts: number;
  readonly forecastMicro: bigint;
  readonly actualMicro: bigint;
  /** Σ |base − actual|. */
  readonly offMicro: bigint;
  /** Σ |base − actual| by Σ actual in basis points, half up; null where nothing was spent. */
  readonly errorBasisPoints: number | null;
}

/** The weighted absolute error of forecasts (WAPE): one that nobody spent for weighs its base. */
export function forecastErrorOf(ended: readonly EndedForecast[]): ForecastError {
  const sum = (of: (each: EndedForecast) => bigint) =>
    ended.reduce((total, each) => total + of(each), 0n);
  const actualMicro = sum((each) => each.actualMicro);
  const offMicro = sum(({ baseMicro, actualMicro: actual }) =>
    baseMicro > actual ? baseMicro - actual : actual - baseMicro,
  );
  const points =
    actualMicro === 0n ? null : (offMicro * 20_000n + actualMicro) / (2n * actualMicro);
  return {
    forecasts: ended.length,
    forecastMicro: sum((each) => each.baseMicro),
    actualMicro,
    offMicro,
    errorBasisPoints: points === null ? null : Number(points),
  };
}
