import { divide, type MicroRub } from '../../kernel/money.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';

/** Amounts in whole kopecks, still told in micro-rubles, that add up to their rounded sum. */
export interface InKopecks {
  readonly parts: readonly MicroRub[];
  /** The sum in whole kopecks, half up unless it was stated; it is the sum of the parts. */
  readonly sumMicro: MicroRub;
  /** What rounding has left: the exact sum less the rounded one. */
  readonly remainderMicro: MicroRub;
}

/**
 * Rounds amounts to kopecks so that they add up: the sum half up, each part down, and the kopecks
 * that are left one by one to the largest remainders, ties to the earlier part.
 * @param stated the sum in whole kopecks, within a kopeck of the exact one, where it follows from
 * other documents
 */
export function inKopecks(amounts: readonly MicroRub[], stated?: MicroRub): InKopecks {
  const exact = amounts.reduce((sum, amount) => sum + amount, 0n);
  const sum = divide(stated ?? exact, MICRO_PER_KOPECK, 'half_up');
  const floors = amounts.map((amount) => divide(amount, MICRO_PER_KOPECK, 'floor'));
  const left = Number(sum - floors.reduce((all, floor) => all + floor, 0n));
  const largest = amounts
    .map((amount, index) => ({ index, rest: amount - (floors[index] ?? 0n) * MICRO_PER_KOPECK }))
    .sort((a, b) => Number(b.rest - a.rest) || a.index - b.index)
    .slice(0, left);
  const raised = new Set(largest.map(({ index }) => index));
  const parts = floors.map((floor, at) => (floor + (raised.has(at) ? 1n : 0n)) * MICRO_PER_KOPECK);
  const sumMicro = sum * MICRO_PER_KOPECK;
  return { parts, sumMicro, remainderMicro: exact - sumMicro };
}
