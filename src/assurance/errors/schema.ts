import { builder } from '../../graph/builder.js';
import { outputOf } from '../../graph/table-types.js';
import { ERRORS } from '../../kernel/errors/catalogue.js';
import { fieldTable, integer, list, text } from '../../kernel/fields/field.js';

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
const ROWS = Object.entries(ERRORS).map(([code, row]) => ({ code, ...row }));

builder.queryField('errorCatalogue', (t) =>
  t.field({
    type: [outputOf(ENTRY)],
    description: 'Every error code of the gateway with cause and fix.',
    complexity: { field: 1, multiplier: 1 },
    resolve: () => ROWS,
  }),
);
