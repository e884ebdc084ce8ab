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
  },
} as const satisfies Record<string, StatedError>;
