import { builder } from '../../../graph/builder.js';
import { argsOf, outputOf } from '../../../graph/table-types.js';
import { object } from '../../../kernel/fields/field.js';
import { debugRequest } from './service.js';
import { DEBUG_INPUT, DEBUG_RESULT } from './tables.js';

builder.queryField('requestDebug', (t) =>
  t.field({
    type: outputOf(DEBUG_RESULT),
    description:
      'Says why a request failed, and finds the smallest change that makes it pass by the very ' +
      'stages that refuse requests. With a credential, policies, aliases and prompts of its ' +
      'organization are asked too. Nothing is executed, billed or kept.',
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, { input: object(DEBUG_INPUT, 'The request that failed.') }),
    resolve: (_root, { input }, ctx) => debugRequest(ctx, input),
  }),
);
