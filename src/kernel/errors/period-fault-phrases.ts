import type { Phrase } from '../language/phrases.js';

/** Faults of periods, days and months in Russian. */
export const PERIOD_FAULT_PHRASES: readonly Phrase[] = [
  [
    '{path} must be before to, by at most {max} days with periods of one {name}.',
    'Поле {path} должно быть раньше to не больше чем на {max|день|дня|дней}; шаг — {name}.',
  ],
  [
    '{path} must be before to, by at most {max} days.',
    'Поле {path} должно быть раньше to не больше чем на {max|день|дня|дней}.',
  ],
  ['{path} must be before `to`.', 'Поле {path} должно быть раньше `to`.'],
  [
    '{path} must be at most {max} days before `to`.',
    'Поле {path} должно быть раньше `to` не больше чем на {max|день|дня|дней}.',
  ],
  [
    '{path} must not be after to, and at most {max} days with it.',
    'Поле {path} не должно быть позже to, а весь период — длиннее {max|дня|дней|дней}.',
  ],
  [
    '{path} is over before the organization has anything in it; its first day is {day}.',
    'Поле {path}: период кончается раньше, чем у организации появились данные; их первый день — ' +
      '{day}.',
  ],
  ['{path} is needed beside to.', 'Вместе с to нужно поле {path}.'],
  ['{path} is needed beside from.', 'Вместе с from нужно поле {path}.'],
  [
    '{path} stands in place of from and to.',
    'Поле {path} задаёт период вместо from и to; укажите что-то одно.',
  ],
  ['{path} must be a month, such as {example}.', 'Поле {path}: укажите месяц, например {example}.'],
  [
    '{path} must be a month from 2019-01 on, such as {example}.',
    'Поле {path}: укажите месяц не раньше 2019-01, например {example}.',
  ],
  [
    '{path} must have ended a minute ago, since rows may still come.',
    'Поле {path}: период должен был закончиться минуту назад, потому что записи ещё могут прийти.',
  ],
  [
    '{path} must be now or later, by at most five years.',
    'Поле {path}: допустимо время от текущего и не дальше пяти лет вперёд.',
  ],
  [
    '{path} must be a whole second, as FOCUS writes times.',
    'Поле {path}: укажите время с точностью до секунды, как принято в FOCUS.',
  ],
  [
    '{path} must be a point in time by RFC 3339.',
    'Поле {path}: укажите момент времени по RFC 3339.',
  ],
  [
    '{path} must be within the last {days} days and not in the future.',
    'Поле {path}: допустимо время за последние {days|день|дня|дней}, но не в будущем.',
  ],
  [
    '{path} must be in the past, and in 2019 or later.',
    'Поле {path}: допустимо время в прошлом, не раньше 2019 года.',
  ],
  [
    '{path} must be {day} or later, where the published rates begin.',
    'Поле {path}: допустима дата {day} или позже, когда начинаются опубликованные ставки.',
  ],
  ['{path} must be {month} or before.', 'Поле {path}: допустим месяц {month} или раньше.'],
  ['{path} is no time zone of the IANA list.', 'Поле {path}: такого часового пояса нет в IANA.'],
  ['{path} lies before the end of the window.', 'Поле {path}: начало должно быть раньше конца.'],
  [
    '{path} covers more groups than can be told apart; take a shorter window or name one.',
    'Поле {path}: групп за этот период слишком много; сократите период или укажите одну группу.',
  ],
  [
    '{path} covers more use cases than can be told apart; take a shorter window or name one.',
    'Поле {path}: сценариев за этот период слишком много; сократите период или укажите один.',
  ],
  [
    '{path} covers {count} use cases; take a shorter window or name one.',
    'Поле {path}: сценариев за этот период слишком много ({count}); сократите период или укажите ' +
      'один.',
  ],
  [
    '{path} covers {count} clients; take a shorter window or name one.',
    'Поле {path}: клиентов за этот период слишком много ({count}); сократите период или укажите ' +
      'одного.',
  ],
  [
    '{path} must be so low that the report has at most {max} rows.',
    'Поле {path}: уменьшите его, чтобы в отчёте было не больше {max|строки|строк|строк}.',
  ],
];
