import { builder } from '../../graph/builder.js';
import { ERRORS } from '../../kernel/errors/catalogue.js';
import type { ErrorRow } from '../../kernel/errors/row.js';

interface CatalogueRow extends ErrorRow {
  readonly code: string;
}

const ROWS: readonly CatalogueRow[] = Object.entries(ERRORS).map(([code, row]) => ({
  code,
  ...row,
}));

const ErrorCatalogueEntry = builder.objectRef<CatalogueRow>('ErrorCatalogueEntry').implement({
  description: 'One error code with its cause and the steps that mend it.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code, in `error.code` and extensions.' }),
    status: t.exposeInt('status', { description: 'The HTTP status it is answered with.' }),
    type: t.exposeString('type', { description: 'The `error.type` that SDK clients read.' }),
    message: t.exposeString('message', { description: 'The message; {places} are filled in.' }),
    cause: t.exposeString('cause', { description: 'Why it happens.' }),
    fix: t.exposeStringList('fix', { description: 'What to do about it.' }),
  }),
});

builder.queryField('errorCatalogue', (t) =>
  t.field({
    type: [ErrorCatalogueEntry],
    description: 'Every error code of the gateway with cause and fix.',
    complexity: { field: 1, multiplier: 1 },
    resolve: () => [...ROWS],
  }),
);
