import { type Html, html } from '../../kernel/html.js';
import type { InLanguages } from '../../kernel/language/languages.js';
import { linkFrom, type Reading } from './reading.js';

/** What the pages of errors say, both as pages and as text. */
interface ErrorPageTexts {
  readonly title: string;
  readonly idea: (reading: Reading) => Html;
  readonly tableName: string;
  readonly status: string;
  readonly code: string;
  readonly cause: string;
  readonly type: string;
  readonly message: string;
  readonly all: string;
  readonly whatToDo: string;
  readonly howItLooks: string;
  readonly asText: string;
  readonly filledIn: string;
  readonly requestId: Html;
  readonly ideaOfText: (debug: string, operations: string) => readonly string[];
}

/** What the pages of errors say, by language. */
export const ERROR_PAGES: InLanguages<ErrorPageTexts> = {
  en: {
    title: 'Errors',
    idea: (reading) => html`Every failure has a code of this list: in REST as
<code>error.code</code>, in GraphQL as <code>extensions.code</code>. <code>error.doc_url</code>
leads to the page of the code. Programs read the list from <code>GET /v1/gw/errors</code>, agents
<a href="${linkFrom(reading, '/docs/errors.md')}">as text</a>. What made a request fail, and what
makes it pass, answers <code>POST /v1/gw/devex/debug</code>.`,
    tableName: 'All errors, by status',
    status: 'Status',
    code: 'Code',
    cause: 'Cause',
    type: 'Type',
    message: 'Message',
    all: 'All errors',
    whatToDo: 'What to do',
    howItLooks: 'How it looks',
    asText: 'As text, for agents',
    filledIn: 'Words in braces are filled in.',
    requestId: html`<code>x-request-id</code> of the answer is the id to quote to support.`,
    ideaOfText: (debug, operations) => [
      'Every failure has a code of this list: in REST as `error.code`, in GraphQL as',
      '`extensions.code`. What made a request fail, and the smallest change that makes it pass, is',
      `asked at \`${debug}\`. See also [the operations](${operations}).`,
    ],
  },
  ru: {
    title: 'Ошибки',
    idea: (reading) => html`У каждой ошибки есть код из этого списка: в REST это
<code>error.code</code>, в GraphQL — <code>extensions.code</code>. Ссылка
<code>error.doc_url</code> ведёт на страницу кода. Программы читают список через
<code>GET /v1/gw/errors</code>, агенты —
<a href="${linkFrom(reading, '/docs/errors.md')}">текстом</a>. Почему запрос не прошёл и что в нём
исправить, отвечает <code>POST /v1/gw/devex/debug</code>.`,
    tableName: 'Все ошибки по статусам',
    status: 'Статус',
    code: 'Код',
    cause: 'Причина',
    type: 'Тип',
    message: 'Сообщение',
    all: 'Все ошибки',
    whatToDo: 'Что делать',
    howItLooks: 'Как это выглядит',
    asText: 'Текстом, для агентов',
    filledIn: 'Вместо слов в фигурных скобках подставляются значения.',
    requestId: html`В поддержку сообщите номер запроса: заголовок <code>x-request-id</code>
ответа.`,
    ideaOfText: (debug, operations) => [
      'У каждой ошибки есть код из этого списка: в REST это `error.code`, в GraphQL —',
      '`extensions.code`. Почему запрос не прошёл и какого наименьшего исправления ему не хватает,',
      `отвечает \`${debug}\`. См. также [операции](${operations}).`,
    ],
  },
};

/** What the pages say that stand where there is no page. */
interface NoPageTexts {
  readonly notFound: string;
  readonly notFoundHeading: string;
  readonly leadsNowhere: (path: string, reading: Reading) => Html;
  readonly toStart: string;
  readonly failed: string;
  readonly failedHeading: string;
  readonly ourFault: (requestId: string) => Html;
}

/** What the pages say that stand where there is no page, by language. */
export const NO_PAGES: InLanguages<NoPageTexts> = {
  en: {
    notFound: 'Not found',
    notFoundHeading: 'There is no page here',
    leadsNowhere: (path, reading) => html`<code>${path}</code> leads nowhere. The
<a href="${linkFrom(reading, '/docs')}">API reference</a> lists every path of the API; SDK clients
use the base address that ends with <code>/v1</code>.`,
    toStart: 'To the start page',
    failed: 'Failed',
    failedHeading: 'This page could not be made',
    ourFault: (requestId) => html`The fault is ours, not yours. Try again; if it stays, quote
<code>${requestId}</code> to support.`,
  },
  ru: {
    notFound: 'Не найдено',
    notFoundHeading: 'Такой страницы нет',
    leadsNowhere: (path, reading) => html`Адрес <code>${path}</code> никуда не ведёт. Все пути API
перечислены в <a href="${linkFrom(reading, '/docs')}">справочнике</a>; базовый адрес для SDK
заканчивается на <code>/v1</code>.`,
    toStart: 'На главную',
    failed: 'Ошибка',
    failedHeading: 'Не удалось показать страницу',
    ourFault: (requestId) => html`Ошибка на нашей стороне, а не на вашей. Попробуйте ещё раз; если
она повторится, сообщите в поддержку номер <code>${requestId}</code>.`,
  },
};
