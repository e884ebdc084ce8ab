import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { inputOf } from '../../graph/table-types.js';
import { Evaluation } from '../../prompts/evaluations/schema.js';
import { EVALUATION_INPUT } from '../../prompts/evaluations/tables.js';
import { cancelEvaluation, startEvaluation } from './start.js';

builder.mutationFields((t) => ({
  promptEvaluationStart: t.field({
    type: Evaluation,
    description:
      'Starts a run of a prompt version over a case set and returns at once; `promptEvaluation` ' +
      'tells its progress. Each case is a request of the caller to each model, through every ' +
      'stage of the gateway, billed as any other; its usage names its origin. It needs the right ' +
      'to call models too. The version need not be promoted.',
    authScopes: { can: 'prompts.write' },
    complexity: 20,
    args: {
      promptId: t.arg({
        type: 'ID',
        required: true,
        description: 'The prompt package, by its id.',
      }),
      input: t.arg({
        type: inputOf(EVALUATION_INPUT),
        required: true,
        description: 'What is run, with which models, and what it may cost.',
      }),
    },
    resolve: (_root, { promptId, input }, ctx) => startEvaluation(authorized(ctx), promptId, input),
  }),
  promptEvaluationCancel: t.field({
    type: Evaluation,
    description:
      'Asks a run to end. Requests under way are stopped, no further one is made, and what was ' +
      'recorded is sealed; the run is then `cancelled`. One that has ended stays as it is.',
    authScopes: { can: 'prompts.write' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: 'The evaluation, by its id.' }),
    },
    resolve: (_root, { id }, ctx) => cancelEvaluation(authorized(ctx), id),
  }),
}));
