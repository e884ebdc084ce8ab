import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { inputOf } from '../../graph/table-types.js';
import { MODEL_ALIASES } from './records.js';
import { ALIAS_INPUT, publishAlias } from './service.js';

builder.mutationField('modelAliasPublish', (t) =>
  t.field({
    type: MODEL_ALIASES.type,
    description:
      'Says what a model name of your code stands for, or removes it. It holds from the next ' +
      'request on: a client changes its base address and key, and no model name.',
    authScopes: { can: 'aliases.write' },
    args: {
      input: t.arg({
        type: inputOf(ALIAS_INPUT),
        required: true,
        description: 'The name, and what it is to stand for.',
      }),
    },
    resolve: (_root, { input }, ctx) => publishAlias(authorized(ctx), input),
  }),
);
