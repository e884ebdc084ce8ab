import type { MicroRub } from '../../kernel/money.js';
import { VAT_RATES } from '../../kernel/time.js';

/** From which day on a rate is in force. @throws RangeError for a rate that was never in force */
export function rateFrom(rate: number): string {
  const row = VAT_RATES.findLast(({ basisPoints }) => basisPoints === rate);
  if (!row) throw new RangeError(`no VAT rate is ${rate} basis points`);
  return row.effectiveFrom;
}

/** Net, tax and gross of one rate. */
export function taxedOf(rate: number, grossMicro: MicroRub, vatMicro: MicroRub) {
  const netMicro = grossMicro - vatMicro;
  return { vatRatePercent: rate / 100, netMicro, vatMicro, grossMicro };
}
