import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { ERASURE_RECEIPTS } from './records.js';
import { erasePersonalData } from './service.js';
import { ERASURE_INPUT } from './tables.js';

builder.mutationField('organizationPersonalDataErase', (t) =>
  t.field({
    type: ERASURE_RECEIPTS.type,
    description:
      'Erases the personal data of the organization for good: arguments and answers of calls, ' +
      'records of integrations, what approvals showed, samples of prompts, inputs and outputs of ' +
      'blueprints, and every kept answer. They are null from then on, with `erased: true`. ' +
      'Books, usage, hashes, receipts and audit trail stand and verify as before.',
    authScopes: { can: 'personal_data.erase' },
    args: argsOf(t, { input: object(ERASURE_INPUT, 'The confirmation, and why.') }),
    resolve: (_root, { input }, ctx) => erasePersonalData(authorized(ctx), input),
  }),
);
