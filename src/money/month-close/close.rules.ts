import type { MicroRub } from '../../kernel/money.js';
import { moscowDay, vatRateOn } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { wholeKopecks } from '../advances/kopecks.rules.js';
import { type AdvanceState, paidLeft } from '../advances/lots.rules.js';
import { documentsOf } from './documents.rules.js';
import { inKopecks } from './kopecks.rules.js';
import { bonusOf, monthLots, remaindersOf, transitionsOf } from './lots.rules.js';
import { rateFrom, taxedOf } from './rates.rules.js';
import type { MonthCloseContent, MonthLot } from './tables.js';
import { LOTS_MAX } from './vocabulary.js';

/** What the usage rows of a month say of one rate, operation and model; refunds are taken off. */
export interface UsageGroup {
  /** The earlier month, `YYYY-MM`, whose charges refunds of this month give back; else null. */
  readonly corrects: string | null;
  readonly rate: number;
  readonly operation: 'chat' | 'embeddings' | null;
  readonly model: string | null;
  readonly requests: bigint;
  readonly grossMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** What the lines of the ledger of a month say of one kind and rate. */
export interface LedgerGroup {
  readonly type: 'top_up' | 'finalize' | 'refund' | 'adjustment' | 'credit' | 'balance_return';
  readonly rate: number;
  readonly lines: bigint;
  /** The change of the balance. */
  readonly postedMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** An amount with the tax inside. */
interface Taxed {
  readonly grossMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** An earlier month whose charges refunds of this month give back. */
export interface CorrectedMonth {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Its charges less all their refunds until this month began, and until it ended. */
  readonly before: Taxed;
  readonly after: Taxed;
}

/** What the books say of a month. */
export interface MonthBooks {
  readonly month: string;
  readonly window: Window;
  readonly buyerName: string;
  readonly openingMicro: MicroRub;
  readonly closingMicro: MicroRub;
  /** Whence the account had what it owned when the month began, and when it ended. */
  readonly advances: { readonly opening: AdvanceState; readonly closing: AdvanceState };
  readonly ledger: readonly LedgerGroup[];
  readonly usage: readonly UsageGroup[];
  /** The months that refunds of this month correct. */
  readonly corrected: readonly CorrectedMonth[];
}

function sumOf<T>(items: readonly T[], amount: (item: T) => MicroRub): MicroRub {
  return items.reduce((sum, item) => sum + amount(item), 0n);
}

function postedBy({ ledger }: MonthBooks, type: LedgerGroup['type']): MicroRub {
  return sumOf(
    ledger.filter((group) => group.type === type),
    ({ postedMicro }) => postedMicro,
  );
}

/** Services by the ledger, which is authoritative: charges less refunds, with their tax. */
function supplied({ ledger }: MonthBooks) {
  const of = (type: LedgerGroup['type']) => ledger.filter((group) => group.type === type);
  const charges = of('finalize');
  const refunds = of('refund');
  return {
    grossMicro: -sumOf([...charges, ...refunds], ({ postedMicro }) => postedMicro),
    vatMicro:
      sumOf(charges, ({ vatMicro }) => vatMicro) - sumOf(refunds, ({ vatMicro }) => vatMicro),
  };
}

function movementsOf(books: MonthBooks) {
  return {
    openingMicro: books.openingMicro,
    topUpsMicro: postedBy(books, 'top_up'),
    creditsMicro: postedBy(books, 'credit'),
    adjustmentsMicro: postedBy(books, 'adjustment'),
    refundsMicro: postedBy(books, 'refund'),
    returnsMicro: -postedBy(books, 'balance_return'),
    chargesMicro: -postedBy(books, 'finalize'),
    closingMicro: books.closingMicro,
  };
}

/** Whether the lots, the bonus and the debt are what the account owned, and nothing unpaid left. */
function explains(state: AdvanceState, postedMicro: MicroRub): boolean {
  const { bonus, owedMicro, unpaidReturnMicro } = state;
  return paidLeft(state) + bonus.leftMicro - owedMicro === postedMicro && unpaidReturnMicro === 0n;
}

/**
 * Why a month cannot be closed: its balance does not move by its lines, usage does not explain the
 * ledger, rate by rate, or the advances do not explain the balance. None where all is right.
 */
export function unbalanced(books: MonthBooks): string[] {
  const moved = sumOf(books.ledger, ({ postedMicro }) => postedMicro);
  const isMoved = books.openingMicro + moved === books.closingMicro;
  const rates = new Set([...books.ledger, ...books.usage].map(({ rate }) => rate));
  const unexplained = [...rates].filter((rate) => {
    const ledger = supplied({ ...books, ledger: books.ledger.filter((one) => one.rate === rate) });
    const usage = books.usage.filter((group) => group.rate === rate);
    return (
      ledger.grossMicro !== sumOf(usage, ({ grossMicro }) => grossMicro) ||
      ledger.vatMicro !== sumOf(usage, ({ vatMicro }) => vatMicro)
    );
  });
  const { opening, closing } = books.advances;
  const isExplained =
    explains(opening, books.openingMicro) && explains(closing, books.closingMicro);
  return [
    ...(isMoved ? [] : ['the balance does not move by its lines']),
    ...unexplained.map((rate) => `usage does not explain the charges of ${rate / 100} % VAT`),
    ...(isExplained ? [] : ['the advances do not explain the balance']),
    ...(monthLots(books).length <= LOTS_MAX ? [] : [`more than ${LOTS_MAX} advances were open`]),
  ];
}

/**
 * Groups in whole kopecks with their sum, which may be stated; `sign` is -1 for what takes off.
 */
function summed(groups: readonly UsageGroup[], sign: 1n | -1n, stated?: Taxed) {
  const of = (name: keyof Taxed) =>
    inKopecks(
      groups.map((group) => sign * group[name]),
      stated?.[name],
    );
  const [gross, vat] = [of('grossMicro'), of('vatMicro')];
  const lines = groups.map(({ rate, operation, model, ...group }, index) => ({
    rateFrom: rateFrom(rate),
    operation,
    model,
    ...taxedOf(rate, gross.parts[index] ?? 0n, vat.parts[index] ?? 0n),
    exactMicro: sign * group.grossMicro,
    exactVatMicro: sign * group.vatMicro,
  }));
  return { lines, ...totalOf([{ gross, vat }]) };
}

type Rounded = ReturnType<typeof inKopecks>;

function totalOf(sums: readonly { readonly gross: Rounded; readonly vat: Rounded }[]) {
  const grossMicro = sumOf(sums, ({ gross }) => gross.sumMicro);
  const vatMicro = sumOf(sums, ({ vat }) => vat.sumMicro);
  const total = {
    netMicro: grossMicro - vatMicro,
    vatMicro,
    grossMicro,
    rounding: 'half_up_largest_remainder' as const,
    remainderMicro: sumOf(sums, ({ gross }) => gross.remainderMicro),
    vatRemainderMicro: sumOf(sums, ({ vat }) => vat.remainderMicro),
  };
  return { total, sums };
}

function servicesOf(usage: readonly UsageGroup[]) {
  const own = usage.filter(({ corrects }) => corrects === null);
  const { lines, total } = summed(own, 1n);
  return {
    lines: lines.map((line, index) => ({ ...line, requests: own[index]?.requests ?? 0n })),
    total,
  };
}

/**
 * Each month that is corrected has a document. It takes off the kopecks of what stood before less
 * those of what stands after it, so that all corrections of a month that was refunded in full are
 * together its УПД; what has left none, since it was below half a kopeck, is not corrected either.
 */
function correctionsOf({ usage, corrected }: MonthBooks) {
  const found = corrected.map(({ month, before, after }) => {
    const fallen = (name: keyof Taxed) => wholeKopecks(before[name]) - wholeKopecks(after[name]);
    const { lines, sums } = summed(
      usage.filter(({ corrects }) => corrects === month),
      -1n,
      { grossMicro: fallen('grossMicro'), vatMicro: fallen('vatMicro') },
    );
    return { sums, lines: lines.map((line) => ({ month, ...line })) };
  });
  return {
    corrections: found.flatMap(({ lines }) => lines),
    correctionTotal: totalOf(found.flatMap(({ sums }) => sums)).total,
  };
}

/** What was received as an advance, as its invoices say it: what paid a debt is none. */
function advancesOf({ month }: MonthBooks, lots: readonly MonthLot[]) {
  const received = lots.filter(
    ({ receivedOn, invoiceGrossMicro }) => receivedOn.startsWith(month) && invoiceGrossMicro > 0n,
  );
  const rates = [...new Set(received.map(({ vatRatePercent }) => vatRatePercent * 100))];
  return rates
    .sort((one, other) => one - other)
    .map((rate) => {
      const of = received.filter(({ vatRatePercent }) => vatRatePercent * 100 === rate);
      const gross = sumOf(of, ({ invoiceGrossMicro }) => invoiceGrossMicro);
      const vat = sumOf(of, ({ invoiceVatMicro }) => invoiceVatMicro);
      return { rateFrom: rateFrom(rate), payments: of.length, ...taxedOf(rate, gross, vat) };
    });
}

/** All remainders together, as they were told before each had its rate. */
function wholeRemainder(remainders: MonthCloseContent['remainders'], rate: number) {
  const gross = sumOf(remainders, ({ grossMicro }) => grossMicro);
  const vat = sumOf(remainders, ({ vatMicro }) => vatMicro);
  return { rateFrom: rateFrom(rate), ...taxedOf(rate, gross, vat) };
}

/** The closed month: lines, totals, advances and documents of books that add up. */
export function closeOf(books: MonthBooks): Omit<MonthCloseContent, 'provenance'> {
  const { month, window, buyerName, usage } = books;
  const lastDay = moscowDay(window.to.getTime() - 1);
  const services = servicesOf(usage);
  const corrected = correctionsOf(books);
  const lots = monthLots(books);
  const bonus = bonusOf(books);
  const remainders = remaindersOf(lots);
  return {
    month,
    ...window,
    movements: movementsOf(books),
    ...services,
    ...corrected,
    advances: advancesOf(books, lots),
    lots,
    remainder: wholeRemainder(remainders, vatRateOn(lastDay)),
    remainders,
    transitions: transitionsOf(lots, vatRateOn(lastDay)),
    bonus,
    owedMicro: books.advances.closing.owedMicro,
    documents: documentsOf({
      ...{ buyerName, month, date: lastDay, lots, bonus },
      lines: services.lines,
      corrections: corrected.corrections,
    }),
  };
}
