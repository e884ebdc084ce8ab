import type { StatedError } from '../../kernel/errors/row.js';

/** What reports refuse. */
export const REPORT_ERRORS = {
  report_too_wide: {
    status: 422,
    message: 'The report would read {rows} single requests; at most {rowsMax} are read at once.',
    cause: 'No sums are kept by these dimensions together, or by days of this time zone.',
    fix: [
      'Ask for a shorter window, or for fewer dimensions together.',
      'Ask for days of Europe/Moscow, or of a zone whose offset is whole hours.',
    ],
    ru: {
      message:
        'Отчёту пришлось бы прочитать {rows|отдельный запрос|отдельных запроса|отдельных ' +
        'запросов}; за раз читается не больше {rowsMax}.',
      cause: 'Для такого сочетания измерений или для дней этого часового пояса готовых сумм нет.',
      fix: [
        'Возьмите более короткое окно или меньше измерений сразу.',
        'Возьмите дни по Europe/Moscow или по поясу, смещение которого — целое число часов.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
