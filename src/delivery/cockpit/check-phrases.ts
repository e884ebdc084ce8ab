import { ERRORS } from '../../kernel/errors/catalogue.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import type { InLanguages, Language } from '../../kernel/language/languages.js';
import { type Phrase, Phrases } from '../../kernel/language/phrases.js';

/** What an answer may lack; in the genitive, as it is asked for. */
export const WANTED_PHRASES: readonly Phrase[] = [
  ['whose the credential is', 'сведений о том, чей это ключ'],
  ['a list of models', 'списка моделей'],
  ['a message with content', 'сообщения с текстом'],
  ['the usage of tokens', 'расхода токенов'],
  ['server-sent events', 'потока событий SSE'],
  ['a whole stream', 'потока до самого конца'],
  ['chunks with content', 'частей с текстом'],
  ['[DONE] at the end', '[DONE] в конце'],
  ['a vector of numbers', 'числового вектора'],
  ['arguments with the city', 'аргументов с городом'],
  ['a call of {name}', 'вызова {name}'],
  ['a refusal of an unknown model', 'отказа на неизвестную модель'],
  ['a code of the catalogue', 'кода из каталога ошибок'],
  ['the fields {names}', 'полей {names}'],
];

/** What a check says was seen, and what it advises, in Russian. */
export const CHECK_PHRASES: readonly Phrase[] = [
  ['The credential is valid: {kind} of type {role}.', 'Ключ действителен: {kind}, вид {role}.'],
  ['{count} models can be asked for.', 'Можно обращаться к {count|модели|моделям|моделям}.'],
  [
    '{model} is not among the {count} models that can be asked for.',
    'Модели {model} нет среди доступных ({count}).',
  ],
  [
    'Take a model from GET /v1/models, or widen allowed_models in the policy of the project.',
    'Возьмите модель из GET /v1/models или расширьте allowed_models в политике проекта.',
  ],
  ['{model} answered.', 'Ответила модель {model}.'],
  ['{count} chunks and [DONE].', 'Пришло {count|часть|части|частей} и [DONE].'],
  ['A vector of {count} dimensions.', 'Получен вектор: {count|измерение|измерения|измерений}.'],
  ['{name} was called with valid arguments.', 'Функция {name} вызвана с правильными аргументами.'],
  ['Refused as documented: {status} {code}.', 'Отказ такой, как описано: {status} {code}.'],
  ['The stream broke off.', 'Поток оборвался.'],
  ['The answer lacks {wanted}.', 'В ответе нет {wanted}.'],
  [
    'Try another model; if it persists, quote the request id to support.',
    'Попробуйте другую модель; если не поможет, сообщите в поддержку номер запроса.',
  ],
  [
    'Run the checks again; if it persists, tell the operator of this server.',
    'Запустите проверки ещё раз; если не поможет, сообщите оператору этого сервера.',
  ],
  ['Quote the request id to support.', 'Сообщите в поддержку номер запроса.'],
  ['The server answered {status}.', 'Сервер ответил {status}.'],
  [
    'No whole answer came within {seconds} seconds.',
    'За {seconds|секунду|секунды|секунд} ответ целиком не пришёл.',
  ],
  ['The answer is larger than {bytes} bytes.', 'Ответ больше {bytes|байта|байтов|байтов}.'],
  ['The connection to this server broke.', 'Соединение с этим сервером оборвалось.'],
  [
    'The client went away before this check was done.',
    'Клиент отключился раньше, чем проверка закончилась.',
  ],
  ['The client went away.', 'Клиент отключился.'],
  ['The check {code} did not pass.', 'Не пройдена проверка {code}.'],
  [
    'No model of embeddings is among the models that can be asked for.',
    'Среди доступных моделей нет ни одной модели эмбеддингов.',
  ],
];

const PHRASES = new Phrases('ru', CHECK_PHRASES, { wanted: new Phrases('ru', WANTED_PHRASES) });

let steps: ReadonlyMap<string, string> | undefined;

/** The steps of the catalogue as checks advise them, with what they are in Russian. */
function stepsOfCatalogue(): ReadonlyMap<string, string> {
  steps ??= new Map(
    Object.values<ErrorRow>(ERRORS).map((row) => [row.fix.join(' '), row.ru.fix.join(' ')]),
  );
  return steps;
}

const SAID: InLanguages<(text: string) => string> = {
  en: (text) => text,
  ru: (text) => stepsOfCatalogue().get(text) ?? PHRASES.find(text) ?? text,
};

/**
 * What a check has seen, or advises, in a language. It is kept and sealed in English; what a server
 * has refused it with stays as that server said it.
 */
export function checkSaid(text: string, language: Language): string {
  return SAID[language](text);
}
