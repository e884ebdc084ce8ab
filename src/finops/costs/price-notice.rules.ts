import { createHash } from 'node:crypto';
import { type PriceRow, priceOn } from '../../catalog/providers/price.js';
import { USAGE_DIMENSIONS, type UsageDimension } from '../../catalog/providers/vocabulary.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';

/** The dated rows of a deployment. */
interface DatedPrices {
  /** `<provider id>:<public model id>`. */
  readonly key: string;
  readonly providerId: string;
  /** The public id of the model. */
  readonly id: string;
  readonly prices: readonly PriceRow[];
}

/** A price row that begins later, beside the one that it takes over from. */
export interface PriceChange {
  readonly deployment: string;
  readonly provider: string;
  readonly model: string;
  readonly row: PriceRow;
  readonly before: PriceRow;
  /** Of the prices of both rows, as 64 hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The rows that begin after a day and change a price, each beside the row of the day before it. Of
 * several rows of one day the last is meant. A first row of a deployment changes nothing.
 */
export function changesAfter(today: string, { key, ...facts }: DatedPrices): PriceChange[] {
  const { prices, providerId: provider, id: model } = facts;
  const days = [...new Set(prices.map(({ effectiveFrom }) => effectiveFrom))];
  return days.flatMap((day) => {
    const [row, before] = [priceOn(prices, day), priceOn(prices, dayBefore(day))];
    if (day <= today || !row || !before || changed(row, before).length === 0) return [];
    const sha256 = hashOf(row, before);
    return [{ deployment: key, provider, model, row, before, sha256 }];
  });
}

/** The dimensions whose price a row changes. */
function changed(row: PriceRow, before: PriceRow): UsageDimension[] {
  return USAGE_DIMENSIONS.codes.filter(
    (each) => row.microRubPerMillion[each] !== before.microRubPerMillion[each],
  );
}

/** The tokens of a deployment in the last days, by the sums of usage. */
interface RecentUsage {
  readonly requests: bigint;
  readonly tokens: Readonly<Record<UsageDimension, bigint>>;
}

/** What a change makes of a dimension. */
interface DimensionChange {
  readonly dimension: UsageDimension;
  readonly priceBeforeMicro: MicroRub | null;
  readonly priceMicro: MicroRub | null;
  readonly tokens: bigint;
  readonly differenceMicro: MicroRub;
}

const TOKENS_PER_PRICE = 1_000_000n;

/**
 * What a change would have made of the usage of the last days: of each dimension that was used and
 * whose price changes, tokens × (new − old price) ÷ 1,000,000, rounded half to even; the whole is
 * their sum. No dimension where the change is of none that was used.
 */
export function differenceOf({ row, before }: PriceChange, { tokens }: RecentUsage) {
  const dimensions = changed(row, before).flatMap((dimension): DimensionChange[] => {
    if (tokens[dimension] === 0n) return [];
    const priceMicro = row.microRubPerMillion[dimension] ?? null;
    const priceBeforeMicro = before.microRubPerMillion[dimension] ?? null;
    const worth = tokens[dimension] * ((priceMicro ?? 0n) - (priceBeforeMicro ?? 0n));
    const differenceMicro = divide(worth, TOKENS_PER_PRICE, 'half_even');
    return [
      { dimension, priceBeforeMicro, priceMicro, tokens: tokens[dimension], differenceMicro },
    ];
  });
  const differenceMicro = dimensions.reduce((sum, each) => sum + each.differenceMicro, 0n);
  return { dimensions, differenceMicro };
}

function hashOf(...rows: readonly PriceRow[]): string {
  const prices = rows.map(({ microRubPerMillion: each, vatBasis }) => [
    vatBasis,
    ...USAGE_DIMENSIONS.codes.map((dimension) => String(each[dimension] ?? '')),
  ]);
  return createHash('sha256').update(JSON.stringify(prices), 'utf8').digest('hex');
}

function dayBefore(day: string): string {
  return moscowDay(Date.parse(`${day}T00:00:00Z`) - 86_400_000);
}
