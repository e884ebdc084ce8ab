import type { InLanguages } from '../../kernel/language/languages.js';

/** The words of types, which stand between names of the description. */
export interface TypeWords {
  readonly oneOf: (values: string) => string;
  readonly always: (value: string) => string;
  readonly arrayOf: (type: string) => string;
  readonly or: string;
  readonly any: string;
  readonly required: string;
}

/** What stands around the operations of the description, in pages and in the long texts. */
interface OperationTexts {
  readonly title: string;
  /** The group of operations that have none. */
  readonly ungrouped: string;
  readonly idea: (agents: string, errors: string) => readonly string[];
  /** What stays in the language of the description. */
  readonly note: readonly string[];
  readonly operation: string;
  readonly access: string;
  readonly isPublic: string;
  readonly isPublicShort: string;
  readonly needsCredential: string;
  readonly others: string;
  readonly index: string;
  readonly parameters: string;
  readonly body: string;
  readonly exampleBody: string;
  readonly exampleRequest: string;
  /** How the examples are run, for the index. */
  readonly exampleIdea: readonly string[];
  /** Comments within an example. */
  readonly setBy: (variable: string, operation: string) => string;
  readonly exampleNeeds: (what: string) => string;
  readonly answer: (status: string, type: string) => string;
  readonly shape: string;
  readonly errors: string;
  readonly errorHead: readonly string[];
  readonly types: TypeWords;
}

/** What stands around the operations of the description, by language. */
export const OPERATIONS: InLanguages<OperationTexts> = {
  en: {
    title: 'Operations',
    ungrouped: 'Operations',
    idea: (agents, errors) => [
      'Every REST operation of this gateway, each with a page of its own: what goes in, what comes',
      'out, and which errors it may answer with. See also',
      `[the instructions](${agents}) and`,
      `[the errors](${errors}).`,
      '',
    ],
    note: [],
    operation: 'Operation',
    access: 'Access',
    isPublic: 'public, without a credential',
    isPublicShort: 'public',
    needsCredential: 'a bearer credential',
    others: 'Other operations',
    index: 'index',
    parameters: 'Parameters',
    body: 'Body',
    exampleBody: 'Example body',
    exampleRequest: 'Example request',
    exampleIdea: [
      'Each page has an example for bash. Pasted in the order of this index on a fresh server, all',
      'of them work: `registerTenant` sets `GW_API_KEY`, and an example that makes something which',
      'others need keeps its id in a variable. Members of answers are read by node, which every',
      'machine that runs the gateway has; `jq -r .id` does the same. An example of an operator',
      'needs a member whom `GW_PLATFORM_ADMINS` names.',
      '',
    ],
    setBy: (variable, operation) => `# The example of ${operation} sets ${variable}.`,
    exampleNeeds: (what) => `# Needs: ${what}`,
    answer: (status, type) => `Answer ${status} (${type})`,
    shape: 'Its shape',
    errors: 'Errors',
    errorHead: ['Status', 'Code', 'Cause', 'Fix'],
    types: {
      oneOf: (values) => `one of ${values}`,
      always: (value) => `always ${value}`,
      arrayOf: (type) => `array of ${type}`,
      or: ' or ',
      any: 'any',
      required: 'required',
    },
  },
  ru: {
    title: 'Операции',
    ungrouped: 'Операции',
    idea: (agents, errors) => [
      'Все операции REST этого шлюза, у каждой — своя страница: что передать, что придёт в ответ и',
      `какие возможны ошибки. См. также [инструкцию](${agents}) и`,
      `[список ошибок](${errors}).`,
      '',
    ],
    note: ['Описания операций и полей взяты из схемы API, они на английском языке.', ''],
    operation: 'Операция',
    access: 'Доступ',
    isPublic: 'открыт всем, ключ не нужен',
    isPublicShort: 'открыта всем',
    needsCredential: 'по ключу или токену (Bearer)',
    others: 'Другие операции',
    index: 'список',
    parameters: 'Параметры',
    body: 'Тело запроса',
    exampleBody: 'Пример тела',
    exampleRequest: 'Пример запроса',
    exampleIdea: [
      'На каждой странице есть пример для bash. Если вставить их на новом сервере в порядке этого',
      'списка, все они работают: `registerTenant` задаёт `GW_API_KEY`, а пример, который создаёт',
      'нужное другим, сохраняет его id в переменной. Поля ответов читает node, который есть там,',
      'где работает шлюз; то же делает `jq -r .id`. Примеры для оператора платформы выполняет',
      'участник, которого называет `GW_PLATFORM_ADMINS`.',
      '',
    ],
    setBy: (variable, operation) => `# ${variable} задаёт пример ${operation}.`,
    exampleNeeds: (what) => `# Нужно: ${what}`,
    answer: (status, type) => `Ответ ${status} (${type})`,
    shape: 'Его вид',
    errors: 'Ошибки',
    errorHead: ['Статус', 'Код', 'Причина', 'Что делать'],
    types: {
      oneOf: (values) => `одно из: ${values}`,
      always: (value) => `всегда ${value}`,
      arrayOf: (type) => `список из ${type}`,
      or: ' или ',
      any: 'любое значение',
      required: 'обязательно',
    },
  },
};
