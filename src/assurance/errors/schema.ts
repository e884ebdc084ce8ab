import { answeredIn } from '../../graph/answered-in.js';
import { builder } from '../../graph/builder.js';
import { outputOf } from '../../graph/table-types.js';
import { ERRORS } from '../../kernel/errors/catalogue.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import { describedIn } from '../../kernel/errors/told.js';
import { fieldTable, integer, list, text } from '../../kernel/fields/field.js';
import { inEveryLanguage, type Language } from '../../kernel/language/languages.js';

const ENTRY = fieldTable(
  'ErrorCatalogueEntry',
  'One error code with its cause and the steps that mend it.',
  {
    code: text('The code, in `error.code` and extensions.'),
    status: integer('The HTTP status it is answered with.'),
    type: text('The `error.type` that SDK clients read.'),
    message: text('The message; {places} are filled in.'),
    cause: text('Why it happens.'),
    fix: list(text('A step.'), 'What to do about it.'),
  },
);

/** The catalogue in a language. */
function entriesIn(language: Language) {
  return Object.entries<ErrorRow>(ERRORS).map(([code, row]) => ({
    code,
    status: row.status,
    type: row.type,
    ...describedIn(row, language),
  }));
}

const ENTRIES = inEveryLanguage(entriesIn);

builder.queryField('errorCatalogue', (t) =>
  t.field({
    type: [outputOf(ENTRY)],
    description:
      'Every error code of the gateway with cause and fix, in the language that the header ' +
      '`accept-language` prefers: English, or Russian.',
    complexity: { field: 1, multiplier: 1 },
    resolve: (_root, _arguments, { transport }) => ENTRIES[answeredIn(transport)],
  }),
);
