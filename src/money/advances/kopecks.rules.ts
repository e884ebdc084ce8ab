import { divide, type MicroRub } from '../../kernel/money.js';

/** One kopeck in micro-rubles. */
export const MICRO_PER_KOPECK = 10_000n;

/** An amount in whole kopecks, still in micro-rubles, half up. */
export function wholeKopecks(micro: MicroRub): MicroRub {
  return divide(micro, MICRO_PER_KOPECK, 'half_up') * MICRO_PER_KOPECK;
}

/** `amount × part / whole` in whole kopecks, still in micro-rubles, half up. */
export function shareInKopecks(amount: MicroRub, part: MicroRub, whole: MicroRub): MicroRub {
  return divide(amount * part, whole * MICRO_PER_KOPECK, 'half_up') * MICRO_PER_KOPECK;
}
