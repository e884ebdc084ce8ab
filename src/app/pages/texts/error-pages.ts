import { type Html, html } from '../../../kernel/html.js';
import type { InLanguages } from '../../../kernel/language/languages.js';

/** The texts of the pages of errors. */
interface ErrorPageTexts {
  readonly list: {
    readonly title: string;
    readonly about: Html;
    readonly heads: readonly [status: string, code: string, cause: string];
  };
  readonly one: {
    readonly all: string;
    readonly status: string;
    readonly type: string;
    readonly message: string;
    readonly cause: string;
    readonly fix: string;
    readonly looks: string;
    readonly places: Html;
  };
  readonly notFound: {
    readonly title: string;
    readonly heading: string;
    readonly about: (path: string) => Html;
    readonly start: string;
  };
  readonly failed: {
    readonly title: string;
    readonly heading: string;
    readonly about: (requestId: string) => Html;
  };
}

/** The texts of the pages of errors. */
export const ERROR_PAGES: InLanguages<ErrorPageTexts> = {
  en: {
    list: {
      title: 'Errors',
      about: html`Every failure has a code of this list: in REST as <code>error.code</code>, in
GraphQL as <code>extensions.code</code>. <code>error.doc_url</code> leads to the page of the code.
Messages are in English or Russian, as the header <code>Accept-Language</code> prefers; codes never
change. Programs read the list from <code>GET /v1/gw/errors</code>.`,
      heads: ['Status', 'Code', 'Cause'],
    },
    one: {
      all: 'All errors',
      status: 'Status',
      type: 'Type',
      message: 'Message',
      cause: 'Cause',
      fix: 'What to do',
      looks: 'How it looks',
      places: html`Words in braces are filled in. <code>x-request-id</code> of the answer is the id
to quote to support.`,
    },
    notFound: {
      title: 'Not found',
      heading: 'There is no page here',
      about: (path) => html`<code>${path}</code> leads nowhere. The <a href="/docs">API
reference</a> lists every path of the API; SDK clients use the base address that ends with
<code>/v1</code>.`,
      start: 'To the start page',
    },
    failed: {
      title: 'Failed',
      heading: 'This page could not be made',
      about: (requestId) => html`The fault is ours, not yours. Try again; if it stays, quote
<code>${requestId}</code> to support.`,
    },
  },
  ru: {
    list: {
      title: 'Ошибки',
      about: html`У каждой ошибки есть код из этого списка: в REST это <code>error.code</code>, в
GraphQL — <code>extensions.code</code>. <code>error.doc_url</code> ведёт на страницу кода.
Сообщения — на русском или английском, как просит заголовок <code>Accept-Language</code>; коды не
меняются никогда. Программы читают список через <code>GET /v1/gw/errors</code>.`,
      heads: ['Статус', 'Код', 'Причина'],
    },
    one: {
      all: 'Все ошибки',
      status: 'Статус',
      type: 'Тип',
      message: 'Сообщение',
      cause: 'Причина',
      fix: 'Что делать',
      looks: 'Как это выглядит',
      places: html`Вместо слов в фигурных скобках подставляются значения.
<code>x-request-id</code> ответа — идентификатор, который нужно сообщить поддержке.`,
    },
    notFound: {
      title: 'Страница не найдена',
      heading: 'Такой страницы нет',
      about: (path) => html`Адрес <code>${path}</code> никуда не ведёт. Все пути API перечислены в
<a href="/docs">справочнике API</a>; клиенты SDK используют базовый адрес, который заканчивается на
<code>/v1</code>.`,
      start: 'На главную страницу',
    },
    failed: {
      title: 'Ошибка',
      heading: 'Страницу не удалось собрать',
      about: (requestId) => html`Ошибка на нашей стороне. Попробуйте ещё раз; если она не уходит,
сообщите поддержке <code>${requestId}</code>.`,
    },
  },
};
