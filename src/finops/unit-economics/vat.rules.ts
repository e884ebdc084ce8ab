import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { divide, formatRub, taxInside } from '../../kernel/money.js';
import { VAT_RATES, vatRateOn } from '../../kernel/time.js';
import type { Vat, VatAsked } from './tables.js';
import { BASIS_POINTS } from './vocabulary.js';

const FIRST_DAY = VAT_RATES[0].effectiveFrom;

/** Every fault of an amount: which side it states, and whether its day has a rate. */
export function vatFaults({ netMicro, grossMicro, supplyDay }: VatAsked, today: string): Fault[] {
  const day = supplyDay ?? today;
  if (day < FIRST_DAY) {
    const what = `must be ${FIRST_DAY} or later, where the published rates begin`;
    return [fault('input.supplyDay', 'out_of_range', what)];
  }
  if (netMicro === null && grossMicro === null) {
    return [fault('input.grossRub', 'missing', 'or net_rub is needed')];
  }
  if (netMicro === null || grossMicro === null) return [];
  const { grossMicro: expected } = normalVat({ netMicro, grossMicro: null }, day);
  if (expected === grossMicro) return [];
  const what = `must be ${formatRub(expected)}, the stated net with its VAT; state one of them`;
  return [fault('input.grossRub', 'invalid', what)];
}

/**
 * An amount with its tax apart. From a net amount VAT is net × rate; from a gross one it is what is
 * inside, gross × rate / (1 + rate). Both are rounded half up to the micro-ruble, and net + VAT is
 * gross exactly.
 */
function normalVat(
  { netMicro, grossMicro }: Pick<VatAsked, 'netMicro' | 'grossMicro'>,
  day: string,
): Omit<Vat, 'vatDifferenceMicro'> {
  const rate = vatRateOn(day);
  const effectiveFrom = VAT_RATES.findLast((row) => row.effectiveFrom <= day)?.effectiveFrom ?? day;
  const facts = { supplyDay: day, vatRateBasisPoints: rate, rateEffectiveFrom: effectiveFrom };
  if (netMicro !== null) {
    const vatMicro = divide(netMicro * BigInt(rate), BigInt(BASIS_POINTS), 'half_up');
    return { netMicro, vatMicro, grossMicro: netMicro + vatMicro, ...facts };
  }
  const { net, vat, gross } = taxInside(grossMicro ?? 0n, rate);
  return { netMicro: net, vatMicro: vat, grossMicro: gross, ...facts };
}

/** The normalized amount, and how far a stated VAT is from the one that the rate gives. */
export function vatOf(asked: VatAsked, today: string): Vat {
  const normal = normalVat(asked, asked.supplyDay ?? today);
  const { statedVatMicro: stated } = asked;
  return { ...normal, vatDifferenceMicro: stated === null ? null : stated - normal.vatMicro };
}
