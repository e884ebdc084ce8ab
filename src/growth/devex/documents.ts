import { fieldTable, text } from '../../kernel/fields/field.js';
import type { InLanguages, Language } from '../../kernel/language/languages.js';

interface Told {
  readonly name: string;
  readonly about: string;
}

/** A document for programs, agents among them. */
interface MachineDocument extends InLanguages<Told> {
  readonly path: string;
  /** True where it is there in every language; a description of the API is English alone. */
  readonly isTranslated: boolean;
}

/** Every document for programs, once: the start page, the texts and the quickstarts list these. */
export const MACHINE_DOCUMENTS: readonly MachineDocument[] = [
  {
    path: '/agents.md',
    isTranslated: true,
    en: {
      name: 'Instructions for agents',
      about: 'How an agent uses this gateway: credentials, rules, and what to read next.',
    },
    ru: {
      name: 'Инструкция для агентов',
      about: 'Как агенту работать со шлюзом: ключи, правила и что читать дальше.',
    },
  },
  {
    path: '/llms.txt',
    isTranslated: true,
    en: { name: 'llms.txt', about: 'The short index for language models.' },
    ru: { name: 'llms.txt', about: 'Краткий указатель для языковых моделей.' },
  },
  {
    path: '/llms-full.txt',
    isTranslated: true,
    en: { name: 'llms-full.txt', about: 'All operations and the schema as one text.' },
    ru: { name: 'llms-full.txt', about: 'Все операции и схема одним текстом.' },
  },
  {
    path: '/docs/operations.md',
    isTranslated: true,
    en: { name: 'Operations', about: 'Every REST operation, each with a page of its own.' },
    ru: { name: 'Операции', about: 'Все операции REST, у каждой — своя страница.' },
  },
  {
    path: '/docs/errors.md',
    isTranslated: true,
    en: {
      name: 'Errors as text',
      about: 'Every error code, each with a page of cause and fix.',
    },
    ru: {
      name: 'Ошибки текстом',
      about: 'Все коды ошибок; у каждого — страница с причиной и решением.',
    },
  },
  {
    path: '/docs/quickstart.md',
    isTranslated: true,
    en: {
      name: 'Quickstarts',
      about: 'The first request in each stack, with code that is checked by tests.',
    },
    ru: {
      name: 'Быстрый старт',
      about: 'Первый запрос на каждом языке и платформе; код проверен тестами.',
    },
  },
  {
    path: '/openapi.json',
    isTranslated: false,
    en: {
      name: 'OpenAPI 3.1',
      about: 'Every REST path for programs, with examples that work; also as YAML.',
    },
    ru: {
      name: 'OpenAPI 3.1',
      about: 'Все пути REST для программ, с рабочими примерами; есть и в YAML. На английском.',
    },
  },
  {
    path: '/postman.json',
    isTranslated: false,
    en: { name: 'Postman', about: 'A collection with a request for each REST path.' },
    ru: { name: 'Postman', about: 'Коллекция с запросом на каждый путь REST. На английском.' },
  },
  {
    path: '/schema.graphql',
    isTranslated: false,
    en: { name: 'GraphQL schema', about: 'Every type of the schema with its description.' },
    ru: { name: 'Схема GraphQL', about: 'Все типы схемы с описаниями. На английском.' },
  },
];

/** Every document for programs as it is told of in a language. */
export function documentsIn(language: Language) {
  return MACHINE_DOCUMENTS.map(({ path, isTranslated, [language]: told }) => ({
    path,
    isTranslated,
    ...told,
  }));
}

/** A document as an answer names it. */
export const DOCUMENT_LINK = fieldTable(
  'DocumentLink',
  'A document for programs and agents, at the address that the caller used.',
  {
    name: text('What the document is called.'),
    url: text('Where it is read.'),
    about: text('What is found in it.'),
  },
);
