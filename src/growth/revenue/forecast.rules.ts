import { divide, type MicroRub } from '../../kernel/money.js';

/** What a price is worth at a probability in percent, rounded half up to the micro-ruble. */
export function forecastOf(priceMicro: MicroRub, probabilityPercent: number): MicroRub {
  return divide(priceMicro * BigInt(probabilityPercent), 100n, 'half_up');
}
