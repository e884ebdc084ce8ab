import type { Phrase } from '../language/phrases.js';

/**
 * Faults with a reason behind them, in Russian. What a library says is quoted in its own words, so
 * these stand below the phrases that know the reason.
 */
export const QUOTING_FAULT_PHRASES: readonly Phrase[] = [
  [
    '{path} is missing: {name} needs the record as it is now, or a record_id.',
    'Поле {path} обязательно: для {name} нужна запись в нынешнем виде или record_id.',
  ],
  ['{path} is missing: {name} needs it.', 'Поле {path} обязательно для {name}.'],
  ['{path} is missing: {name} sets {names}.', 'Поле {path} обязательно: {name} задаёт {names}.'],
  ['{path} cannot be given: it is {why}.', 'Поле {path} указать нельзя: {why}.'],
  ['{path} cannot be so: {name}.', 'Поле {path}: так каталог не складывается («{name}»).'],
  [
    '{path} must be C0, C1 or C2 where FREE_SUMMARY is asked.',
    'Поле {path}: для FREE_SUMMARY допустимы C0, C1 и C2.',
  ],
  ['{path} or tokens are needed.', 'Нужно поле {path} или tokens.'],
  [
    '{path} must have at most {max} levels; it has {count}.',
    'Поле {path}: не больше {max|уровня|уровней|уровней} вложенности, а здесь {count}.',
  ],
  [
    '{path} must hold at most {max} values; it holds {count}.',
    'Поле {path}: не больше {max|значения|значений|значений}, а здесь {count}.',
  ],
  [
    '{path} must be at most {max} bytes of JSON; it has {count}.',
    'Поле {path}: не больше {max|байта|байтов|байтов} JSON, а здесь {count}.',
  ],
  [
    '{path} has at most {words} words and {patterns} patterns in all its classes together.',
    'Поле {path}: во всех классах вместе не больше {words} слов и {patterns} шаблонов.',
  ],
  [
    '{path} has patterns of {size} instructions when compiled; with the {others} of its other ' +
      'policies an organization has at most {max}.',
    'Поле {path}: после компиляции в шаблонах {size|инструкция|инструкции|инструкций}; вместе с ' +
      '{others} в других политиках у организации их может быть не больше {max}.',
  ],
  [
    '{path} has at most {words} words and {patterns} patterns.',
    'Поле {path}: не больше {words} слов и {patterns} шаблонов.',
  ],
  [
    '{path} must be {auto}, a model of GET /v1/models or {names}<policy key>; did you mean {near}?',
    'Поле {path}: нужно {auto}, модель из GET /v1/models или {names}<ключ политики>; возможно, ' +
      'вы имели в виду {near}?',
  ],
  [
    '{path} must be {auto}, a model of GET /v1/models or {names}<policy key>.',
    'Поле {path}: нужно {auto}, модель из GET /v1/models или {names}<ключ политики>.',
  ],
  [
    '{path} names a model that is served here; only shadowsModel lets an alias stand for it.',
    'Поле {path}: такая модель здесь есть, заменить её псевдонимом можно только с shadowsModel.',
  ],
  ['{path} cannot be judged: it {why}.', 'Поле {path} не удалось проверить: {why}.'],
  ['{path} cannot be kept exactly: {why}.', 'Поле {path} нельзя сохранить точно: {why}.'],
  ['{path} cannot be written exactly: {why}.', 'Поле {path} нельзя записать точно: {why}.'],
  ['{path} cannot be recorded exactly: {why}.', 'Поле {path} нельзя записать точно: {why}.'],
  [
    '{path} cannot be used: it cannot be recorded exactly: {why}.',
    'Поле {path} нельзя использовать, его нельзя записать точно: {why}.',
  ],
  ['{path} cannot be used: {name}.', 'Поле {path} нельзя использовать («{name}»).'],
  ['{path}, line {line}: {name}.', 'Поле {path}, строка {line}: в шаблоне ошибка («{name}»).'],
];

/** Why a fault is one, as other parts of the code say it; in half a sentence. */
export const CAUSE_PHRASES: readonly Phrase[] = [
  ['deeper than {levels} levels', 'вложенность больше {levels|уровня|уровней|уровней}'],
  ['the number {value} cannot be sealed exactly', 'число {value} не передаётся без потерь'],
  ['half a surrogate pair cannot be sealed', 'в нём половина суррогатной пары'],
  ['sparse arrays cannot be sealed', 'в списке есть пропуски'],
  ['a {type} cannot be sealed', 'в нём значение вида {type}'],
  ['nothing to canonicalise', 'значения нет'],
  ['went too deep', 'вложенность слишком велика'],
  ['took longer than {limit} ms', 'проверка идёт дольше {limit} мс'],
  [
    'that of the manifest, so that costs are reported by blueprint',
    'его задаёт манифест, чтобы расходы считались по шаблонам',
  ],
  ['the id of the run, by which usage names it', 'это id запуска, под ним он стоит в расходах'],
  ['not used: the templates are those of the manifest', 'шаблоны берутся из манифеста'],
];
