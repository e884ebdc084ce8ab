import { divide, type MicroRub, type Rounding } from '../../kernel/money.js';
import {
  type CostTier,
  type SourceKind,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type VatBasis,
} from './vocabulary.js';

/** Tokens by dimension, each a non-negative safe integer. The dimensions are disjoint. */
export type UsageVector = Readonly<Record<UsageDimension, number>>;

/** Micro-rubles for a million tokens: P RUB per 1M tokens is P × 1,000,000. */
export type PriceVector = Readonly<Partial<Record<UsageDimension, MicroRub>>>;

/** One dated price. Rows are added, never overwritten: a call is priced by the row of its day. */
export interface PriceRow {
  /** The first day in force, `YYYY-MM-DD` in Moscow time. */
  readonly effectiveFrom: string;
  readonly microRubPerMillion: PriceVector;
  readonly sourceKind: SourceKind;
  readonly vatBasis: VatBasis;
  /** True where it was added later and takes the place of a row that begins on the same day. */
  readonly supersedes?: true;
}

/** The prices that a vendor states, in micro-rubles for a million tokens. */
export interface StatedPrices {
  readonly input: MicroRub;
  readonly inputCached?: MicroRub;
  readonly cacheWrite?: MicroRub;
  readonly output?: MicroRub;
  readonly outputReasoning?: MicroRub;
}

/**
 * A dated row of a vendor. What is not stated costs as its kind, which is how vendors bill it:
 * cached and written-to-cache tokens as input, reasoning tokens as output.
 */
export function listPrice(
  effectiveFrom: string,
  {
    input,
    inputCached = input,
    cacheWrite = input,
    output,
    outputReasoning = output,
  }: StatedPrices,
  sourceKind: SourceKind,
  vatBasis: VatBasis = 'included',
): PriceRow {
  const prompt = { input_uncached: input, input_cached: inputCached, cache_write: cacheWrite };
  const answer = { output_text: output, output_reasoning: outputReasoning };
  const microRubPerMillion = output === undefined ? prompt : { ...prompt, ...answer };
  return { effectiveFrom, microRubPerMillion, sourceKind, vatBasis };
}

/** Usage of nothing. */
export const NO_USAGE: UsageVector = {
  input_uncached: 0,
  input_cached: 0,
  cache_write: 0,
  output_text: 0,
  output_reasoning: 0,
};

/** How many tokens a price is for. */
const TOKENS_PER_PRICE = 1_000_000n;

/** What an answer from the cache costs, as a share of each listed price of its model. */
export const CACHED_ANSWER_BASIS_POINTS = 1_000;

/** The price of an answer from the cache: its published share of each listed price, half up. */
export function cachedAnswerPrice(listed: PriceRow): PriceRow {
  const shares = Object.entries(listed.microRubPerMillion).map(([dimension, micro]) => [
    dimension,
    divide(micro * BigInt(CACHED_ANSWER_BASIS_POINTS), 10_000n, 'half_up'),
  ]);
  return { ...listed, microRubPerMillion: Object.fromEntries(shares) };
}

/** The row in force on a day (`YYYY-MM-DD`): the latest that has begun. Rows are oldest first. */
export function priceOn(rows: readonly PriceRow[], day: string): PriceRow | undefined {
  return rows.findLast((row) => row.effectiveFrom <= day);
}

/** Tokens by dimension, also of many requests together. */
type UsedTokens = Readonly<Record<UsageDimension, bigint | number>>;

type Prices = Pick<PriceRow, 'microRubPerMillion'>;

/** The dimensions in which tokens were used and that have no price. */
export function unpricedDimensions(usage: UsedTokens, price: Prices): UsageDimension[] {
  const { microRubPerMillion: each } = price;
  return USAGE_DIMENSIONS.codes.filter((one) => usage[one] && each[one] === undefined);
}

/**
 * The cost of usage in micro-rubles: Σ tokens × price ÷ 1,000,000, rounded once.
 * @returns undefined when tokens were used in a dimension without a price; none is priced zero
 */
export function usageCost(
  usage: UsageVector,
  price: Prices,
  rounding: Rounding,
): MicroRub | undefined {
  const worth = usageWorth(usage, price);
  return worth === undefined ? undefined : divide(worth, TOKENS_PER_PRICE, rounding);
}

/**
 * The same without a rounding: Σ tokens × price, in millionths of a micro-ruble.
 * @returns undefined when tokens were used in a dimension without a price
 */
export function usageWorth(usage: UsedTokens, price: Prices): bigint | undefined {
  let sum = 0n;
  for (const dimension of USAGE_DIMENSIONS.codes) {
    const tokens = usage[dimension];
    if (!tokens) continue;
    const each = price.microRubPerMillion[dimension];
    if (each === undefined) return undefined;
    sum += BigInt(tokens) * each;
  }
  return sum;
}

const INPUTS: readonly UsageDimension[] = ['input_uncached', 'input_cached', 'cache_write'];
const OUTPUTS: readonly UsageDimension[] = ['output_text', 'output_reasoning'];

/**
 * The most that a request can cost, in micro-rubles, rounded up: every input token at the dearest
 * input price and every output token at the dearest output price, however the tokens will split.
 * @returns undefined when a dimension that the request may use has no price
 */
export function upperEstimate(
  inputTokensMax: number,
  outputTokensMax: number,
  price: PriceRow,
): MicroRub | undefined {
  const input = dearest(price, INPUTS);
  const output = dearest(price, OUTPUTS);
  if (input === undefined || (output === undefined && outputTokensMax > 0)) return undefined;
  const sum = BigInt(inputTokensMax) * input + BigInt(outputTokensMax) * (output ?? 0n);
  return divide(sum, TOKENS_PER_PRICE, 'ceil');
}

/** Low under 100 RUB for a million output tokens (input for embeddings), high from 700 RUB. */
export function costTier(price: PriceRow): CostTier {
  const vector = price.microRubPerMillion;
  const each = vector.output_text ?? vector.input_uncached ?? 0n;
  if (each < 100_000_000n) return 'low';
  return each < 700_000_000n ? 'medium' : 'high';
}

function dearest(price: PriceRow, dimensions: readonly UsageDimension[]): MicroRub | undefined {
  let most: MicroRub | undefined;
  for (const dimension of dimensions) {
    const each = price.microRubPerMillion[dimension];
    if (each === undefined) return undefined;
    if (most === undefined || each > most) most = each;
  }
  return most;
}
