import { type MicroRub, taxInside } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { wholeKopecks } from '../advances/kopecks.rules.js';
import { type AdvanceState, type Lot, movedSince } from '../advances/lots.rules.js';
import { rateFrom, taxedOf } from './rates.rules.js';
import type { MonthCloseContent, MonthLot, RateTransition } from './tables.js';

interface Advances {
  readonly advances: { readonly opening: AdvanceState; readonly closing: AdvanceState };
}

/** The advances that were open in a month: left from before, received in it, or moved by it. */
export function monthLots({ advances: { opening, closing } }: Advances): MonthLot[] {
  return closing.lots.flatMap((lot, index) => {
    const before = opening.lots[index];
    const isOpen = before?.leftMicro !== 0n || lot.leftMicro !== 0n;
    const found = monthLot(lot, before);
    const isMoved = found.consumedMicro !== 0n || found.returnedMicro !== 0n;
    return isOpen || isMoved ? [found] : [];
  });
}

function monthLot(lot: Lot, before: Lot | undefined): MonthLot {
  const { offset, restored, returned } = movedSince(lot, before);
  return {
    lotId: lot.id,
    receivedOn: moscowDay(lot.at.getTime()),
    rateFrom: rateFrom(lot.rate),
    vatRatePercent: lot.rate / 100,
    paidMicro: lot.paidMicro,
    settledMicro: lot.settledMicro,
    invoiceGrossMicro: lot.invoice.grossMicro,
    invoiceVatMicro: lot.invoice.vatMicro,
    openingMicro: before?.leftMicro ?? lot.invoice.exactMicro,
    consumedMicro: offset.exactMicro,
    restoredMicro: restored.exactMicro,
    returnedMicro: returned.exactMicro,
    closingMicro: lot.leftMicro,
    offsetGrossMicro: offset.grossMicro - restored.grossMicro,
    offsetVatMicro: offset.vatMicro - restored.vatMicro,
    returnGrossMicro: returned.grossMicro,
    returnVatMicro: returned.vatMicro,
    restGrossMicro: lot.rest.grossMicro,
    restVatMicro: lot.rest.vatMicro,
  };
}

function sumOf(lots: readonly MonthLot[], amount: (lot: MonthLot) => MicroRub): MicroRub {
  return lots.reduce((sum, lot) => sum + amount(lot), 0n);
}

function byRate(lots: readonly MonthLot[]): [number, MonthLot[]][] {
  const rates = [...new Set(lots.map(({ vatRatePercent }) => vatRatePercent))].sort(
    (a, b) => a - b,
  );
  return rates.map((rate) => [rate, lots.filter((lot) => lot.vatRatePercent === rate)]);
}

/** What is left of advances by rate; a rate of which nothing is left is left out. */
export function remaindersOf(lots: readonly MonthLot[]): MonthCloseContent['remainders'] {
  return byRate(lots.filter(({ closingMicro }) => closingMicro > 0n)).map(([percent, of]) => {
    const rate = percent * 100;
    const gross = sumOf(of, ({ restGrossMicro }) => restGrossMicro);
    const vat = sumOf(of, ({ restVatMicro }) => restVatMicro);
    return { rateFrom: rateFrom(rate), ...taxedOf(rate, gross, vat) };
  });
}

/**
 * What services of another rate have used of advances. The tax of services follows from the day of
 * service, that of an advance from the day of its receipt and is deducted as it was paid; what lies
 * between the two is told.
 */
export function transitionsOf(lots: readonly MonthLot[], suppliedAt: number): RateTransition[] {
  const others = lots.filter(
    ({ vatRatePercent, offsetGrossMicro }) =>
      vatRatePercent * 100 !== suppliedAt && offsetGrossMicro !== 0n,
  );
  return byRate(others).map(([receivedAtPercent, of]) => {
    const grossMicro = sumOf(of, ({ offsetGrossMicro }) => offsetGrossMicro);
    const advanceVatMicro = sumOf(of, ({ offsetVatMicro }) => offsetVatMicro);
    const supplyVatMicro = wholeKopecks(taxInside(grossMicro, suppliedAt).vat);
    const differenceMicro = supplyVatMicro - advanceVatMicro;
    const suppliedAtPercent = suppliedAt / 100;
    return {
      ...{ receivedAtPercent, suppliedAtPercent, grossMicro },
      ...{ advanceVatMicro, supplyVatMicro, differenceMicro },
    };
  });
}

/** What the operator gave, as the month has moved it. */
export function bonusOf({ advances: { opening, closing } }: Advances): MonthCloseContent['bonus'] {
  const [before, after] = [opening.bonus, closing.bonus];
  return {
    openingMicro: before.leftMicro,
    givenMicro: after.givenMicro - before.givenMicro,
    usedMicro: after.usedMicro - before.usedMicro,
    restoredMicro: after.restoredMicro - before.restoredMicro,
    withdrawnMicro: after.withdrawnMicro - before.withdrawnMicro,
    closingMicro: after.leftMicro,
  };
}
