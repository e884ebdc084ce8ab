import type { InLanguages } from '../../kernel/language/languages.js';

/** What the frame of every page says. */
interface LayoutTexts {
  readonly brand: string;
  readonly skip: string;
  readonly pages: string;
  readonly languages: string;
  readonly copy: string;
  readonly copied: string;
  /** The pages of the header, in their order. */
  readonly places: Readonly<Record<Place, string>>;
  readonly needsScripts: string;
  readonly operations: string;
  readonly schema: string;
}

/** A page of the header. */
export type Place = '/' | '/docs' | '/graphiql' | '/docs/errors' | '/docs/access' | '/cockpit';

/** What the frame of every page says, by language. */
export const LAYOUT: InLanguages<LayoutTexts> = {
  en: {
    brand: 'LLM gateway',
    skip: 'Skip to the content',
    pages: 'Pages',
    languages: 'Language',
    copy: 'Copy',
    copied: 'Copied',
    places: {
      '/': 'Start',
      '/docs': 'API reference',
      '/graphiql': 'GraphQL explorer',
      '/docs/errors': 'Errors',
      '/docs/access': 'Access',
      '/cockpit': 'Cockpit',
    },
    needsScripts: 'This tool needs JavaScript. Without it:',
    operations: 'all operations as text',
    schema: 'GraphQL schema',
  },
  ru: {
    brand: 'LLM-шлюз',
    skip: 'Перейти к содержанию',
    pages: 'Страницы',
    languages: 'Язык',
    copy: 'Скопировать',
    copied: 'Скопировано',
    places: {
      '/': 'Главная',
      '/docs': 'Справочник API',
      '/graphiql': 'Обозреватель GraphQL',
      '/docs/errors': 'Ошибки',
      '/docs/access': 'Доступ',
      '/cockpit': 'Проверка',
    },
    needsScripts: 'Этому инструменту нужен JavaScript. Без него доступны:',
    operations: 'все операции текстом',
    schema: 'схема GraphQL',
  },
};
