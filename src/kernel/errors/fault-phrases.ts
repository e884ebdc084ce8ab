import type { Phrase } from '../language/phrases.js';
import { PERIOD_FAULT_PHRASES } from './period-fault-phrases.js';
import { QUOTING_FAULT_PHRASES } from './quoting-fault-phrases.js';
import { RARE_FAULT_PHRASES } from './rare-fault-phrases.js';
import { SCHEMA_FAULT_PHRASES } from './schema-fault-phrases.js';
import { SINGLE_FAULT_PHRASES } from './single-fault-phrases.js';
import { EVALUATION_FAULT_PHRASES, SPECIAL_FAULT_PHRASES } from './special-fault-phrases.js';

/**
 * The general faults of fields in Russian: what the rules of input, the fields of tables and the
 * transports say about any field.
 */
const GENERAL_FAULT_PHRASES: readonly Phrase[] = [
  ['{path} is required.', 'Поле {path} обязательно.'],
  [
    '{path} is required. Did you mean it by {near}?',
    'Поле {path} обязательно. Возможно, вы указали его как {near}?',
  ],
  ['{path} is needed.', 'Поле {path} обязательно.'],
  ['{path} is missing.', 'Поле {path} обязательно.'],
  ['{path} must not be null.', 'Поле {path} не может быть null.'],
  ['{path} must be from {min} to {max}.', 'Поле {path}: значение должно быть от {min} до {max}.'],
  [
    '{path} must be between {min} and {max}.',
    'Поле {path}: значение должно быть от {min} до {max}.',
  ],
  ['{path} must be at least {min}.', 'Поле {path}: значение должно быть не меньше {min}.'],
  ['{path} must be at most {max}.', 'Поле {path}: значение должно быть не больше {max}.'],
  ['{path} must be {min} or later.', 'Поле {path}: допустима дата {min} или позже.'],
  [
    '{path} must have {min} to {max} characters.',
    'Поле {path}: длина должна быть от {min} до {max|символа|символов|символов}.',
  ],
  [
    '{path} has at most {max} characters.',
    'Поле {path}: длина — не больше {max|символа|символов|символов}.',
  ],
  [
    '{path} must have {min} to {max} {noun}.',
    'Поле {path}: нужно от {min} до {max|элемента|элементов|элементов}.',
  ],
  [
    '{path} has at most {max} {noun}.',
    'Поле {path}: не больше {max|элемента|элементов|элементов}.',
  ],
  [
    '{path} must be one of {names}; did you mean {near}?',
    'Поле {path}: допустимы значения {names}; возможно, вы имели в виду {near}?',
  ],
  [
    '{path} must be one of {names}. Did you mean {near}?',
    'Поле {path}: допустимы значения {names}. Возможно, вы имели в виду {near}?',
  ],
  ['{path} must be an e-mail address.', 'Поле {path}: укажите адрес электронной почты.'],
  ['{path} must be a number.', 'Поле {path} должно быть числом.'],
  ['{path} must be a whole number.', 'Поле {path} должно быть целым числом.'],
  ['{path} must be an integer.', 'Поле {path} должно быть целым числом.'],
  [
    '{path} must be an integer between {min} and {max}.',
    'Поле {path} должно быть целым числом от {min} до {max}.',
  ],
  ['{path} must be a string.', 'Поле {path} должно быть строкой.'],
  ['{path} must be a text.', 'Поле {path} должно быть строкой.'],
  ['{path} must be true or false.', 'Поле {path} должно быть true или false.'],
  ['{path} must be a string or an integer.', 'Поле {path} должно быть строкой или целым числом.'],
  [
    '{path} must be an amount of rubles, a number or a decimal string with at most six decimals.',
    'Поле {path}: укажите сумму в рублях — число или десятичную строку, не больше шести знаков ' +
      'после точки.',
  ],
  [
    '{path} must be a time such as {example}.',
    'Поле {path}: укажите момент времени, например {example}.',
  ],
  ['{path} must be a day such as {example}.', 'Поле {path}: укажите дату, например {example}.'],
  [
    '{path} is the last owner outside all workspaces: the organization keeps one there.',
    'Поле {path}: это последний владелец вне рабочих пространств, один такой в организации нужен.',
  ],
  ['{path} must be left out beside {other}.', 'Поле {path} нельзя передавать вместе с {other}.'],
  [
    '{path} goes with a key, a member or a project.',
    'Поле {path} передаётся вместе с ключом, участником или проектом.',
  ],
  [
    '{path} must be a signed note of a checkpoint.',
    'Поле {path} должно быть подписанной записью контрольной точки.',
  ],
  [
    '{path} covers {count} changes of terms; take a shorter window or name a client.',
    'Поле {path}: изменений условий в периоде {count}; сократите период или укажите клиента.',
  ],
  [
    '{path} covers {count} advances; take a shorter window.',
    'Поле {path}: авансов в периоде {count}; сократите период.',
  ],
  ['{path} cannot stand beside {other}.', 'Поле {path} нельзя передавать вместе с {other}.'],
  ['{path} must be the id of a request.', 'Поле {path} должно быть идентификатором запроса.'],
  ['{path} must not be zero.', 'Поле {path} не должно быть нулём.'],
  ['{path} must be in whole kopecks.', 'Поле {path} должно быть в целых копейках.'],
  ['{path} must be an object.', 'Поле {path} должно быть объектом.'],
  ['{path} must be a text or an object.', 'Поле {path} должно быть строкой или объектом.'],
  ['{path} must be a list.', 'Поле {path} должно быть списком.'],
  ['{path} must be unique.', 'Поле {path}: значение не должно повторяться.'],
  ['{path} takes exactly one of its fields.', 'Поле {path}: укажите ровно одно из его полей.'],
  [
    '{path} is not exact as a JSON number; give it as a string.',
    'Поле {path}: число JSON не передаёт это значение точно; укажите его строкой.',
  ],
  [
    '{path} and {other} are one field; give it once.',
    '{path} и {other} — одно и то же поле; укажите его один раз.',
  ],
  [
    '{path} is not a field of this operation. Did you mean {near}?',
    'У этой операции нет поля {path}. Возможно, вы имели в виду {near}?',
  ],
  ['{path} is not a field of this operation.', 'У этой операции нет поля {path}.'],
  [
    '{path} is not a query parameter of this operation. Did you mean {near}?',
    'У этой операции нет параметра запроса {path}. Возможно, вы имели в виду {near}?',
  ],
  [
    '{path} is not a query parameter of this operation. It takes none.',
    'У этой операции нет параметра запроса {path}: она не принимает ни одного.',
  ],
  [
    '{path} is not a query parameter of this operation. It takes {names}.',
    'У этой операции нет параметра запроса {path}. Она принимает {names}.',
  ],
  [
    '{path} stands more than once in the query; give it once.',
    'Параметр {path} указан в строке запроса несколько раз; укажите его один раз.',
  ],
  [
    '{path} stands twice in the body; give it once.',
    'Поле {path} встречается в теле дважды; укажите его один раз.',
  ],
  [
    '{path} stands in the query and in the body; give it once.',
    'Поле {path} указано и в строке запроса, и в теле; укажите его один раз.',
  ],
  ['{path} is not the one in the path.', 'Поле {path} не совпадает с тем, что указано в пути.'],
  [
    '{path} holds half a surrogate pair.',
    'Поле {path} содержит половину суррогатной пары, это не текст в UTF-8.',
  ],
  [
    'A page is read either by first and after, or by last and before.',
    'Страницу читают либо по first и after, либо по last и before.',
  ],
  ['{path} must be one of {names}.', 'Поле {path}: допустимы значения {names}.'],
  ['{path} is missing: it must be {what}.', 'Поле {path} обязательно: ожидается {what}.'],
  ['{path} must not hold {what}.', 'В поле {path} не допускается: {what}.'],
  ['{path} must be {what}.', 'Поле {path}: ожидается {what}.'],
  ['The body must be {what}.', 'Тело запроса: ожидается {what}.'],
  [
    '{path} must name a model, such as "{example}".',
    'Поле {path} должно называть модель, например «{example}».',
  ],
  [
    '{path} must have at most {max} characters together.',
    'Поле {path}: вместе — не больше {max|символа|символов|символов}.',
  ],
];

/** Every fault in Russian; what is said of few fields stands before what fits many. */
export const FAULT_PHRASES: readonly Phrase[] = [
  ...SCHEMA_FAULT_PHRASES,
  ...PERIOD_FAULT_PHRASES,
  ...RARE_FAULT_PHRASES,
  ...SINGLE_FAULT_PHRASES,
  ...SPECIAL_FAULT_PHRASES,
  ...EVALUATION_FAULT_PHRASES,
  ...QUOTING_FAULT_PHRASES,
  ...GENERAL_FAULT_PHRASES,
];

/** What a value has to be, where a fault says nothing else; in the nominative. */
export const EXPECTED_PHRASES: readonly Phrase[] = [
  ['a list with at least one message', 'список хотя бы из одного сообщения'],
  ['a list of content parts', 'список частей содержимого'],
  ['a list of text parts', 'список текстовых частей'],
  ['a list of tools', 'список инструментов'],
  ['a list of tool calls', 'список вызовов инструментов'],
  ['a list of functions', 'список функций'],
  ['a list of modalities', 'список модальностей'],
  ['a list of 1 to 16 texts', 'список из 1–16 строк'],
  ['a number from {min} to {max}', 'число от {min} до {max}'],
  ['a whole number from {min} to {max}', 'целое число от {min} до {max}'],
  [
    'a text that is not empty of at most {max} characters',
    'непустая строка не длиннее {max|символа|символов|символов}',
  ],
  ['a text of at most {max} characters', 'строка не длиннее {max|символа|символов|символов}'],
  ['a text that is not empty', 'непустая строка'],
  ['a text', 'строка'],
  ['true or false', 'true или false'],
  ['the character U+0000', 'символ U+0000'],
  ['half a surrogate pair', 'половина суррогатной пары'],
  ['a JSON object', 'объект JSON'],
  ['an object', 'объект'],
  ['an object with {one}, {two} and {three}', 'объект с полями {one}, {two} и {three}'],
  ['an object with {one} and {two}', 'объект с полями {one} и {two}'],
  ['an object with {one}', 'объект с полем {one}'],
];
