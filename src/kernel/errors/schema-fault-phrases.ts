import type { Phrase } from '../language/phrases.js';

/** Faults of JSON, of JSON Schemas and of text in Russian. */
export const SCHEMA_FAULT_PHRASES: readonly Phrase[] = [
  ['It is deeper than {levels} levels.', 'Вложенность больше {levels|уровня|уровней|уровней}.'],
  [
    '{path} cannot be used: values are judged at once, without {name}.',
    'Поле {path} нельзя использовать: значения проверяются сразу, без {name}.',
  ],
  [
    '{path} cannot be used: the schema must be written in one piece, without {name}.',
    'Поле {path} нельзя использовать: схема должна быть записана целиком, без {name}.',
  ],
  [
    '{path} cannot be used: patterns such as {name} are not supported here.',
    'Поле {path} нельзя использовать: шаблоны, как {name}, здесь не поддерживаются.',
  ],
  [
    '{path} cannot be used: patterns are not supported here.',
    'Поле {path} нельзя использовать: шаблоны здесь не поддерживаются.',
  ],
  [
    '{path} is no pattern of RE2, which has no look-around and no back-reference: {name}.',
    'Поле {path} — не шаблон RE2; просмотра по сторонам и обратных ссылок в нём нет: {name}.',
  ],
  ['{path} is too large when compiled.', 'Поле {path}: шаблон после разбора слишком велик.'],
  [
    '{path} must be a schema: an object, true or false.',
    'Поле {path} должно быть схемой: объектом, true или false.',
  ],
  ['{path} must be a list of schemas.', 'Поле {path} должно быть списком схем.'],
  [
    '{path} must be an object of schemas.',
    'Поле {path} должно быть объектом, значения которого — схемы.',
  ],
  [
    '{path} must hold at most {max} schemas.',
    'Поле {path}: не больше {max|схемы|схем|схем} внутри.',
  ],
  ['{path} has at most {max} levels.', 'Поле {path}: не больше {max|уровня|уровней|уровней}.'],
  [
    '{path} has more than {max} levels.',
    'Поле {path}: вложенность больше {max|уровня|уровней|уровней}.',
  ],
  [
    '{path} is nested deeper than {max} levels.',
    'Поле {path}: вложенность больше {max|уровня|уровней|уровней}.',
  ],
  [
    '{path} must have at most {max} characters.',
    'Поле {path}: не больше {max|символа|символов|символов}.',
  ],
  [
    '{path} has at most {max} characters as JSON.',
    'Поле {path}: в виде JSON — не больше {max|символа|символов|символов}.',
  ],
  [
    '{path} has at most {max} characters of text.',
    'Поле {path}: не больше {max|символа|символов|символов} текста.',
  ],
  [
    '{path} must have at most {max} bytes as JSON.',
    'Поле {path}: в виде JSON — не больше {max|байта|байтов|байтов}.',
  ],
  [
    '{path} has {bytes} bytes as JSON; at most {max} are taken.',
    'Поле {path}: в виде JSON {bytes|байт|байта|байтов}, а принимается не больше {max}.',
  ],
  ['{path} must be a JSON object.', 'Поле {path} должно быть объектом JSON.'],
  ['{path} must be a JSON Schema object.', 'Поле {path} должно быть объектом JSON Schema.'],
  [
    '{path} must be a JSON pointer such as {example}.',
    'Поле {path}: укажите JSON Pointer, например {example}.',
  ],
  [
    '{path} must be well-formed text without U+0000.',
    'Поле {path}: нужен правильный текст без U+0000.',
  ],
  ['{path} must be of the type {type}.', 'Поле {path}: нужно значение типа {type}.'],
];
