import { builder } from '../../../graph/builder.js';
import { authorized } from '../../../graph/database.js';
import { outputOf } from '../../../graph/table-types.js';
import { diffPrompt } from './service.js';
import { PROMPT_DIFF } from './tables.js';

builder.queryField('promptDiff', (t) =>
  t.field({
    type: outputOf(PROMPT_DIFF),
    description: 'Compares two versions of a prompt package, by line and by variable.',
    authScopes: { can: 'prompts.read' },
    args: {
      promptId: t.arg({
        type: 'ID',
        required: true,
        description: 'The prompt package, by its id.',
      }),
      from: t.arg.int({ description: 'A version; default the one before `to`.' }),
      to: t.arg.int({ description: 'A version; default the current one.' }),
    },
    resolve: (_root, { promptId, ...order }, ctx) => diffPrompt(authorized(ctx), promptId, order),
  }),
);
