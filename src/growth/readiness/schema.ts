import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { outputOf } from '../../graph/table-types.js';
import { READINESS } from './rules.js';
import { readReadiness } from './service.js';

builder.queryField('organizationReadiness', (t) =>
  t.field({
    type: outputOf(READINESS),
    description: 'Production readiness: a percentage and what remains.',
    authScopes: { can: 'readiness.read' },
    resolve: (_root, _args, ctx) => readReadiness(authorized(ctx)),
  }),
);
