import { type Html, html } from '../../../kernel/html.js';
import type { InLanguages } from '../../../kernel/language/languages.js';

/** The texts that all pages share. */
interface FrameTexts {
  /** What the product is, behind its name. */
  readonly product: string;
  readonly pages: string;
  readonly language: string;
  /** The places that every page leads to, by path. */
  readonly places: Readonly<Record<PlacePath, string>>;
  readonly noScript: Html;
}

type PlacePath = '/' | '/docs' | '/graphiql' | '/docs/errors' | '/docs/access' | '/cockpit';

/** The texts of the frame. */
export const FRAME: InLanguages<FrameTexts> = {
  en: {
    product: 'LLM gateway',
    pages: 'Pages',
    language: 'Language',
    places: {
      '/': 'Start',
      '/docs': 'API reference',
      '/graphiql': 'GraphQL explorer',
      '/docs/errors': 'Errors',
      '/docs/access': 'Access',
      '/cockpit': 'Cockpit',
    },
    noScript: html`This tool needs JavaScript. Without it:
<a href="/llms-full.txt">all operations as text</a>, <a href="/openapi.json">OpenAPI</a>,
<a href="/schema.graphql">GraphQL schema</a>.`,
  },
  ru: {
    product: 'шлюз к языковым моделям',
    pages: 'Страницы',
    language: 'Язык',
    places: {
      '/': 'Начало',
      '/docs': 'Справочник API',
      '/graphiql': 'Запросы GraphQL',
      '/docs/errors': 'Ошибки',
      '/docs/access': 'Права доступа',
      '/cockpit': 'Проверка подключения',
    },
    noScript: html`Для этой страницы нужен JavaScript. Без него доступны
<a href="/llms-full.txt">все операции текстом</a>, <a href="/openapi.json">OpenAPI</a> и
<a href="/schema.graphql">схема GraphQL</a>.`,
  },
};

/** What each language calls itself. */
export const LANGUAGE_NAMES: InLanguages<string> = { en: 'English', ru: 'Русский' };
