import { wholeKopecks } from '../advances/kopecks.rules.js';
import type {
  CorrectionLine,
  MonthCloseContent,
  MonthDocument,
  MonthLot,
  UsageLine,
} from './tables.js';
import { MISSING_REQUISITES, MONTH_DOCUMENTS } from './vocabulary.js';

/** What the documents of a month are made of. */
interface DocumentFacts {
  readonly month: string;
  readonly buyerName: string;
  /** The last day of the month. */
  readonly date: string;
  readonly lines: readonly UsageLine[];
  readonly corrections: readonly CorrectionLine[];
  readonly lots: readonly MonthLot[];
  readonly bonus: MonthCloseContent['bonus'];
}

type DocumentLine = Omit<MonthDocument['lines'][number], 'position'>;

/** What tells a document from others of its kind. */
interface Draft {
  readonly date: string;
  readonly basis: string | null;
  readonly lotId: string | null;
  readonly lines: readonly DocumentLine[];
  readonly missing?: readonly string[];
}

type Subject = (typeof MONTH_DOCUMENTS.rows)[number]['subject'];

const OPERATIONS = { chat: 'ответы модели', embeddings: 'векторы текстов' } as const;

function nameOf({ operation, model }: Pick<UsageLine, 'operation' | 'model'>): string {
  if (operation === null || model === null) return 'Услуги шлюза: возвраты без указания модели';
  return `Услуги шлюза: ${OPERATIONS[operation]}, модель ${model}`;
}

function taxed({ vatRatePercent, netMicro, vatMicro, grossMicro }: Omit<DocumentLine, 'name'>) {
  return { vatRatePercent, netMicro, vatMicro, grossMicro };
}

function lotLine(name: string, lot: MonthLot, grossMicro: bigint, vatMicro: bigint): DocumentLine {
  const { vatRatePercent } = lot;
  return { name, vatRatePercent, netMicro: grossMicro - vatMicro, vatMicro, grossMicro };
}

/** 2025-12-05 as documents write it. */
function dayText(day: string): string {
  return day.split('-').reverse().join('.');
}

function moves(lots: readonly MonthLot[], what: 'offset' | 'return', words: string) {
  return lots.flatMap((lot) => {
    const [gross, vat] =
      what === 'offset'
        ? [lot.offsetGrossMicro, lot.offsetVatMicro]
        : [lot.returnGrossMicro, lot.returnVatMicro];
    if (gross === 0n && vat === 0n) return [];
    return [lotLine(`${words} от ${dayText(lot.receivedOn)}`, lot, gross, vat)];
  });
}

function advanceInvoices({ lots, month }: DocumentFacts): Draft[] {
  return lots
    .filter((lot) => lot.receivedOn.startsWith(month) && lot.invoiceGrossMicro > 0n)
    .map((lot) => ({
      date: lot.receivedOn,
      basis: null,
      lotId: lot.lotId,
      lines: [lotLine('Аванс за услуги шлюза', lot, lot.invoiceGrossMicro, lot.invoiceVatMicro)],
    }));
}

function corrections({ corrections: lines, date }: DocumentFacts): Draft[] {
  const months = [...new Set(lines.map(({ month }) => month))];
  return months.map((month) => ({
    date,
    basis: `УПД за ${month}`,
    lotId: null,
    lines: lines
      .filter((line) => line.month === month)
      .map((line) => ({ name: nameOf(line), ...taxed(line) })),
    missing: ['basis.number', 'basis.date'],
  }));
}

function bonusLine(name: string, exactMicro: bigint): DocumentLine {
  const grossMicro = wholeKopecks(exactMicro);
  return { name, vatRatePercent: 0, netMicro: grossMicro, vatMicro: 0n, grossMicro };
}

/** A line of nothing, as of services that were refunded in full in their own month, is left out. */
function isOfSomething({ netMicro, vatMicro, grossMicro }: DocumentLine): boolean {
  return netMicro !== 0n || vatMicro !== 0n || grossMicro !== 0n;
}

/**
 * The documents of a month. What no row knows (numbers, requisites, signatures) is named as
 * missing, and never made up. A document without a line is left out.
 */
export function documentsOf(facts: DocumentFacts): MonthDocument[] {
  const { date, buyerName, lots, bonus } = facts;
  const monthly = (lines: readonly DocumentLine[]) => [{ date, basis: null, lotId: null, lines }];
  const services = facts.lines.map((line) => ({ name: nameOf(line), ...taxed(line) }));
  const bySubject: Readonly<Record<Subject, readonly Draft[]>> = {
    services: monthly(services),
    correction: corrections(facts),
    advance: advanceInvoices(facts),
    offset: monthly(moves(lots, 'offset', 'Зачёт аванса')),
    return: monthly(moves(lots, 'return', 'Возврат аванса')),
    bonus: monthly([bonusLine('Бонус на услуги шлюза, без НДС', bonus.givenMicro)]),
    withdrawal: monthly([bonusLine('Уменьшение бонуса, без НДС', bonus.withdrawnMicro)]),
  };
  return MONTH_DOCUMENTS.rows.flatMap(({ code: kind, title, subject, inPlaceOf }) =>
    bySubject[subject]
      .map(({ lines, ...draft }) => ({ ...draft, lines: lines.filter(isOfSomething) }))
      .filter(({ lines }) => lines.length > 0)
      .map(({ lines, missing = [], ...draft }) => ({
        ...{ kind, title, ...draft, inPlaceOf, currency: 'RUB', buyerName },
        lines: lines.map((line, index) => ({ position: index + 1, ...line })),
        ...sumsOf(lines),
        missing: [...MISSING_REQUISITES, ...missing],
      })),
  );
}

function sumsOf(lines: readonly DocumentLine[]) {
  const sum = (name: 'netMicro' | 'vatMicro' | 'grossMicro') =>
    lines.reduce((total, line) => total + line[name], 0n);
  return { netMicro: sum('netMicro'), vatMicro: sum('vatMicro'), grossMicro: sum('grossMicro') };
}
