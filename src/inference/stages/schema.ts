import { builder } from '../../graph/builder.js';
import { outputOf } from '../../graph/table-types.js';
import { STAGE, STAGES } from './stages.js';

builder.queryField('requestStages', (t) =>
  t.field({
    type: [outputOf(STAGE)],
    description: 'What happens to a request, in order.',
    complexity: { field: 1, multiplier: 1 },
    resolve: () => STAGES,
  }),
);
