import { builder } from '../../graph/builder.js';
import { STAGES, type Stage } from './stages.js';

const RequestStage = builder.objectRef<Stage>('RequestStage').implement({
  description: 'A stage that every chat and embeddings request passes.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The name of the stage, as errors and receipts say it.',
    }),
    description: t.exposeString('description', {
      description: 'What the stage does with a request.',
    }),
  }),
});

builder.queryField('requestStages', (t) =>
  t.field({
    type: [RequestStage],
    description: 'What happens to a request, in order.',
    complexity: { field: 1, multiplier: 1 },
    resolve: () => [...STAGES],
  }),
);
