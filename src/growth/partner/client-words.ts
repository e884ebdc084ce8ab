import type { CodeOf } from '../../kernel/vocabulary.js';
import type { Vertical } from '../value/vocabulary.js';
import type { REPORT_LANGUAGES } from './vocabulary.js';

/** A language of what clients read. */
export type ReportLanguage = CodeOf<typeof REPORT_LANGUAGES>;

/** The words of a report that a client reads. */
export interface ClientWords {
  readonly title: string;
  readonly heads: readonly string[];
  readonly verticals: Readonly<Record<Vertical, string>>;
  readonly fee: string;
  readonly total: string;
  readonly noTerms: string;
  readonly noUsage: string;
}

/** The words by language. */
export const CLIENT_WORDS: Readonly<Record<ReportLanguage, ClientWords>> = {
  ru: {
    title: 'Отчёт об использовании',
    heads: ['Направление', 'Запросы', 'Без НДС, ₽', 'НДС, ₽', 'Всего, ₽'],
    verticals: {
      tenders: 'Тендеры',
      calls: 'Звонки',
      documents: 'Документы',
      creatives: 'Тексты и карточки',
      knowledge: 'Знания и поддержка',
      other: 'Прочее',
    },
    fee: 'Абонентская плата',
    total: 'Итого, с НДС',
    noTerms: 'В этом периоде условия не действовали, поэтому цена не указана.',
    noUsage: 'За период запросов не было.',
  },
  en: {
    title: 'Usage report',
    heads: ['Line of work', 'Requests', 'Net, RUB', 'VAT, RUB', 'Price, RUB'],
    verticals: {
      tenders: 'Tenders',
      calls: 'Calls',
      documents: 'Documents',
      creatives: 'Texts and cards',
      knowledge: 'Knowledge and support',
      other: 'Other',
    },
    fee: 'Fee',
    total: 'Total, VAT included',
    noTerms: 'No terms were in force in the period, so no price is stated.',
    noUsage: 'There were no requests in the period.',
  },
};
