import type { MonthCloseContent, MonthDocument, UsageLine } from './tables.js';
import { MISSING_REQUISITES, MONTH_DOCUMENTS } from './vocabulary.js';

/** What the documents of a month are made of. */
interface DocumentFacts {
  readonly buyerName: string;
  /** The last day of the month. */
  readonly date: string;
  readonly lines: readonly UsageLine[];
  readonly remainder: MonthCloseContent['remainder'];
}

type DocumentLine = MonthDocument['lines'][number];

const OPERATIONS = { chat: 'ответы модели', embeddings: 'векторы текстов' } as const;

function nameOf({ operation, model }: UsageLine): string {
  if (operation === null || model === null) return 'Возвраты без указания запроса';
  return `Услуги шлюза: ${OPERATIONS[operation]}, модель ${model}`;
}

function numbered(lines: readonly Omit<DocumentLine, 'position'>[]): DocumentLine[] {
  return lines.map((line, index) => ({ position: index + 1, ...line }));
}

function servicesOf(lines: readonly UsageLine[]): DocumentLine[] {
  return numbered(
    lines.map((line) => {
      const { vatRatePercent, netMicro, vatMicro, grossMicro } = line;
      return { name: nameOf(line), vatRatePercent, netMicro, vatMicro, grossMicro };
    }),
  );
}

function advanceOf({ rateFrom: _from, ...taxed }: DocumentFacts['remainder']): DocumentLine[] {
  if (taxed.grossMicro === 0n) return [];
  return numbered([{ name: 'Аванс за услуги шлюза, остаток на конец месяца', ...taxed }]);
}

/**
 * The documents of a month. What no row knows (numbers, requisites, signatures) is named as
 * missing, and never made up. A document without a line is left out.
 */
export function documentsOf({ buyerName, date, lines, remainder }: DocumentFacts): MonthDocument[] {
  const bySubject = { services: servicesOf(lines), advance: advanceOf(remainder) };
  return MONTH_DOCUMENTS.rows
    .map(({ code, title, subject }) => {
      const of = bySubject[subject];
      const sum = (name: 'netMicro' | 'vatMicro' | 'grossMicro') =>
        of.reduce((total, line) => total + line[name], 0n);
      const sums = {
        netMicro: sum('netMicro'),
        vatMicro: sum('vatMicro'),
        grossMicro: sum('grossMicro'),
      };
      const missing = [...MISSING_REQUISITES];
      return { kind: code, title, date, currency: 'RUB', buyerName, lines: of, ...sums, missing };
    })
    .filter(({ lines: of }) => of.length > 0);
}
