import { type MicroRub, taxInside } from '../../kernel/money.js';
import { moscowDay, VAT_RATES, vatRateOn } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { documentsOf } from './documents.rules.js';
import { inKopecks } from './kopecks.rules.js';
import type { MonthCloseContent } from './tables.js';

/** What the usage rows of a month say of one rate, operation and model; refunds are taken off. */
export interface UsageGroup {
  readonly rate: number;
  readonly operation: 'chat' | 'embeddings' | null;
  readonly model: string | null;
  readonly requests: bigint;
  readonly grossMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** What the lines of the ledger of a month say of one kind and rate. */
export interface LedgerGroup {
  readonly type: 'top_up' | 'finalize' | 'refund' | 'adjustment' | 'credit';
  readonly rate: number;
  readonly lines: bigint;
  /** The change of the balance. */
  readonly postedMicro: MicroRub;
  readonly vatMicro: MicroRub;
}

/** What the books say of a month. */
export interface MonthBooks {
  readonly month: string;
  readonly window: Window;
  readonly buyerName: string;
  readonly openingMicro: MicroRub;
  readonly closingMicro: MicroRub;
  /** All top-ups until the end of the month. */
  readonly receivedMicro: MicroRub;
  readonly ledger: readonly LedgerGroup[];
  readonly usage: readonly UsageGroup[];
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
    chargesMicro: -postedBy(books, 'finalize'),
    closingMicro: books.closingMicro,
  };
}

/**
 * Why a month cannot be closed: its balance does not move by its lines, or usage does not explain
 * the ledger, rate by rate. None where all is right.
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
  return [
    ...(isMoved ? [] : ['the balance does not move by its lines']),
    ...unexplained.map((rate) => `usage does not explain the charges of ${rate / 100} % VAT`),
  ];
}

function rateFrom(rate: number): string {
  const row = VAT_RATES.findLast(({ basisPoints }) => basisPoints === rate);
  if (!row) throw new RangeError(`no VAT rate is ${rate} basis points`);
  return row.effectiveFrom;
}

function taxedOf(rate: number, grossMicro: MicroRub, vatMicro: MicroRub) {
  const netMicro = grossMicro - vatMicro;
  return { vatRatePercent: rate / 100, netMicro, vatMicro, grossMicro };
}

function linesOf(usage: readonly UsageGroup[]) {
  const gross = inKopecks(usage.map(({ grossMicro }) => grossMicro));
  const vat = inKopecks(usage.map(({ vatMicro }) => vatMicro));
  const lines = usage.map(({ rate, operation, model, requests, grossMicro, vatMicro }, index) => ({
    rateFrom: rateFrom(rate),
    operation,
    model,
    requests,
    ...taxedOf(rate, gross.parts[index] ?? 0n, vat.parts[index] ?? 0n),
    exactMicro: grossMicro,
    exactVatMicro: vatMicro,
  }));
  const total = {
    netMicro: gross.sumMicro - vat.sumMicro,
    vatMicro: vat.sumMicro,
    grossMicro: gross.sumMicro,
    rounding: 'half_up_largest_remainder' as const,
    remainderMicro: gross.remainderMicro,
    vatRemainderMicro: vat.remainderMicro,
  };
  return { lines, total };
}

function advancesOf({ ledger }: MonthBooks) {
  const received = ledger.filter(({ type }) => type === 'top_up');
  const gross = inKopecks(received.map(({ postedMicro }) => postedMicro));
  const vat = inKopecks(received.map(({ vatMicro }) => vatMicro));
  return received.map(({ rate, lines }, index) => ({
    rateFrom: rateFrom(rate),
    payments: Number(lines),
    ...taxedOf(rate, gross.parts[index] ?? 0n, vat.parts[index] ?? 0n),
  }));
}

function remainderOf({ closingMicro, receivedMicro }: MonthBooks, lastDay: string) {
  const rate = vatRateOn(lastDay);
  const paidMicro = closingMicro < receivedMicro ? closingMicro : receivedMicro;
  const { sumMicro } = inKopecks([paidMicro > 0n ? paidMicro : 0n]);
  const { sumMicro: vatMicro } = inKopecks([taxInside(sumMicro, rate).vat]);
  return { rateFrom: rateFrom(rate), ...taxedOf(rate, sumMicro, vatMicro) };
}

/** The closed month: lines, totals, advances and documents of books that add up. */
export function closeOf(books: MonthBooks): Omit<MonthCloseContent, 'provenance'> {
  const { month, window, buyerName, usage } = books;
  const lastDay = moscowDay(window.to.getTime() - 1);
  const { lines, total } = linesOf(usage);
  const remainder = remainderOf(books, lastDay);
  return {
    month,
    ...window,
    movements: movementsOf(books),
    lines,
    total,
    advances: advancesOf(books),
    remainder,
    documents: documentsOf({ buyerName, date: lastDay, lines, remainder }),
  };
}
