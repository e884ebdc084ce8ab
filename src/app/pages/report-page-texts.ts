import { type Html, html } from '../../kernel/html.js';
import type { InLanguages } from '../../kernel/language/languages.js';

/** What the page of a shared report says around what was sealed. */
interface ReportTexts {
  readonly title: string;
  readonly simulated: Html;
  readonly result: string;
  readonly gateway: string;
  readonly run: string;
  readonly cost: string;
  readonly sealed: string;
  readonly receipt: string;
  readonly seal: string;
  readonly intact: string;
  readonly broken: string;
  readonly linkEnds: string;
  readonly content: string;
  readonly hash: string;
}

/** What the page of a shared report says around what was sealed, by language. */
export const REPORT: InLanguages<ReportTexts> = {
  en: {
    title: 'Report of live checks',
    simulated: html`<strong>simulated</strong>: a built-in model answered. The
wiring works; nothing is shown about a real model.`,
    result: 'Result',
    gateway: 'Gateway',
    run: 'Run',
    cost: 'Cost',
    sealed: 'Sealed',
    receipt: 'receipt',
    seal: 'Seal',
    intact: 'intact: content and chain were computed anew for this page',
    broken: 'BROKEN: the stored content is not what was sealed',
    linkEnds: 'Link ends',
    content: 'What was sealed',
    hash:
      'The hash is the SHA-256 of this very text, without a line end: canonical JSON by ' +
      'RFC 8785.',
  },
  ru: {
    title: 'Отчёт о живых проверках',
    simulated: html`<strong>Имитация</strong>: отвечала встроенная модель. Подключение работает, но
о настоящей модели этот отчёт ничего не говорит.`,
    result: 'Результат',
    gateway: 'Шлюз',
    run: 'Проверки шли',
    cost: 'Стоимость',
    sealed: 'Запечатан',
    receipt: 'квитанция',
    seal: 'Печать',
    intact: 'цела: содержимое и цепочка пересчитаны заново для этой страницы',
    broken: 'НАРУШЕНА: хранится не то, что было запечатано',
    linkEnds: 'Ссылка действует до',
    content: 'Что было запечатано',
    hash:
      'Хеш — это SHA-256 именно этого текста, без перевода строки: канонический JSON по RFC ' +
      '8785. Запечатанный текст не переводится.',
  },
};
