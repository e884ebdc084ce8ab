import { allocate, divide, type MicroRub } from '../../kernel/money.js';
import { MOSCOW_OFFSET_MS, moscowDay } from '../../kernel/time.js';
import { type PriceRow, priceOn } from './price.js';
import type { UsageDimension } from './vocabulary.js';

/** The part of an amount that is used at one deployment, and so follows its price rows. */
export interface PricedPart {
  /** The key of the deployment. */
  readonly deployment: string;
  /** Its dated rows, oldest first; none where the deployment is not there any more. */
  readonly rows: readonly PriceRow[];
  /** What the part weighs in the amount. */
  readonly weight: bigint;
  /**
   * What the usage of the whole span costs at a row, as a multiple of 1/`unit` micro-rubles;
   * undefined where the row has no price for it.
   */
  readonly worthAt: (row: PriceRow) => bigint | undefined;
  /** The used dimensions that a row has no price for. */
  readonly unpricedAt: (row: PriceRow) => readonly UsageDimension[];
  readonly unit: bigint;
  /**
   * What the same usage cost when it was recorded; absent where the amount is at the row in force
   * when the span begins.
   */
  readonly recorded?: RecordedWorth;
  /** The rate of VAT that the amount is net of; absent where it holds the tax. */
  readonly vatRateBasisPoints?: number;
}

/** What recorded usage cost at the rows of its own days, in the unit of its part. */
interface RecordedWorth {
  readonly worth: bigint;
  /** How far that may be off, since each request was rounded to a micro-ruble. */
  readonly rounding: bigint;
}

/** A span of time that has not come yet. */
export interface Span {
  readonly from: Date;
  readonly until: Date;
}

/** A price row that figures for days to come were computed from. */
interface RowAhead {
  readonly deployment: string;
  readonly effectiveFrom: string;
  /** The first and the last day of the span that it holds for. */
  readonly fromDay: string;
  readonly untilDay: string;
  /**
   * What it changes of the amount, against the rows that the amount was computed by; null where the
   * row has no price for what is used.
   */
  readonly changeMicro: MicroRub | null;
  /**
   * The part of the change that comes from the row in force when the span begins: 0 unless the
   * usage was recorded at other prices.
   */
  readonly repricedMicro: MicroRub | null;
  /** The used dimensions that the row has no price for. */
  readonly unpriced: readonly UsageDimension[];
}

/** What price rows change of an amount, with every row that was used. */
export interface PriceAhead {
  /** Null where a row has no price for what is used. */
  readonly changeMicro: MicroRub | null;
  readonly rows: readonly RowAhead[];
}

/**
 * What the rows in force in a span change of an amount: of recorded usage against the rows of its
 * own days, else against the row in force at the begin. The amount is split by the weights of the
 * parts, and each part by the time that each row holds for, both to the micro-ruble by the largest
 * remainders. Of each of these, the new figure is the old one × worth at its row ÷ worth as the
 * amount was computed, rounded up; where that was free, the worth at its row for its time. Without
 * another row within the span the change is 0.
 */
export function priceAhead(
  amountMicro: MicroRub,
  parts: readonly PricedPart[],
  span: Span,
): PriceAhead {
  const weights = parts.map(({ weight }) => weight);
  const hasWeight = weights.some((weight) => weight > 0n);
  const shares = hasWeight ? allocate(amountMicro, weights) : weights;
  const rows = parts.flatMap((part, index) => rowsAhead(part, shares[index] ?? 0n, span));
  const sum = (total: MicroRub | null, { changeMicro }: RowAhead) =>
    total === null || changeMicro === null ? null : total + changeMicro;
  return { changeMicro: rows.reduce(sum, 0n), rows };
}

function rowsAhead(part: PricedPart, shareMicro: MicroRub, span: Span): RowAhead[] {
  const stretches = stretchesOf(part.rows, span);
  const [first] = stretches;
  if (!first) return [];
  const times = stretches.map(({ from, until }) => BigInt(until - from));
  const all = times.reduce((sum, time) => sum + time, 0n);
  const before = allocate(shareMicro, times);
  const base = baseWorth(part, first.row);
  return stretches.map(({ row, from, until }, index): RowAhead => {
    const stretch = { micro: before[index] ?? 0n, time: times[index] ?? 0n, all };
    return {
      deployment: part.deployment,
      effectiveFrom: row.effectiveFrom,
      fromDay: moscowDay(from),
      untilDay: moscowDay(until - 1),
      changeMicro: changeAt(part, row, base, stretch),
      repricedMicro: changeAt(part, first.row, base, stretch),
      unpriced: part.unpricedAt(row),
    };
  });
}

/** What the amount was computed by: the recorded prices where they differ from the first row. */
function baseWorth({ worthAt, recorded }: PricedPart, first: PriceRow): bigint | undefined {
  const atFirst = worthAt(first);
  if (!recorded) return atFirst;
  const { worth, rounding } = recorded;
  if (atFirst === undefined) return worth;
  const off = atFirst > worth ? atFirst - worth : worth - atFirst;
  return off <= rounding ? atFirst : worth;
}

/** A part of the amount for a part of the span. */
interface Share {
  readonly micro: MicroRub;
  readonly time: bigint;
  /** How long the whole span is. */
  readonly all: bigint;
}

function changeAt(
  { worthAt, unit, vatRateBasisPoints }: PricedPart,
  row: PriceRow,
  base: bigint | undefined,
  { micro, time, all }: Share,
): MicroRub | null {
  const worth = worthAt(row);
  if (worth === undefined || base === undefined) return null;
  if (worth === base) return 0n;
  if (base > 0n) return divide(micro * worth, base, 'ceil') - micro;
  // Every charge holds the tax, whatever is known of the list price.
  const tax = BigInt(vatRateBasisPoints ?? 0);
  return divide(worth * time * WHOLE, unit * all * (WHOLE + tax), 'ceil') - micro;
}

/** All of an amount, in basis points. */
const WHOLE = 10_000n;

interface Stretch {
  readonly row: PriceRow;
  readonly from: number;
  readonly until: number;
}

/** The rows in force one after the other within a span, with times in epoch milliseconds. */
function stretchesOf(rows: readonly PriceRow[], span: Span): Stretch[] {
  const [from, until] = [span.from.getTime(), span.until.getTime()];
  const begins = [...new Set(rows.map(({ effectiveFrom }) => beginOf(effectiveFrom)))]
    .filter((begin) => begin > from && begin < until)
    .sort((one, other) => one - other);
  return [from, ...begins].flatMap((begin, index) => {
    const row = priceOn(rows, moscowDay(begin));
    const end = begins[index] ?? until;
    return row && begin < end ? [{ row, from: begin, until: end }] : [];
  });
}

/** When a day begins in Moscow, in epoch milliseconds. */
function beginOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) - MOSCOW_OFFSET_MS;
}
