import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, inputOf, outputOf } from '../../graph/table-types.js';
import { text } from '../../kernel/fields/field.js';
import { explainRequest, replayDecisions, supposePast } from './service.js';
import { EXPLANATION, REPLAY, REPLAY_INPUT, WHAT_IF, WHAT_IF_INPUT } from './tables.js';

/** What reading and deciding thousands of decisions counts for. */
const PAST_COST = { field: 100, multiplier: 1 };

builder.queryFields((t) => ({
  routingExplanation: t.field({
    type: outputOf(EXPLANATION),
    description:
      'Why a model answered a chat or embeddings request that the router has decided about.',
    authScopes: { can: 'adaptive_routing.read' },
    args: argsOf(t, { requestId: text('The id of the request, a uuid.') }),
    resolve: (_root, { requestId }, ctx) => explainRequest(authorized(ctx), requestId),
  }),
  routingReplay: t.field({
    type: outputOf(REPLAY),
    description: 'Makes the recorded decisions of a window again and names those that differ.',
    authScopes: { can: 'adaptive_routing.read' },
    complexity: PAST_COST,
    args: {
      input: t.arg({
        type: inputOf(REPLAY_INPUT),
        required: true,
        description: 'Which decisions are made again.',
      }),
    },
    resolve: (_root, { input }, ctx) => replayDecisions(authorized(ctx), input),
  }),
  routingWhatIf: t.field({
    type: outputOf(WHAT_IF),
    description: 'Asks past decisions again under other terms, prices or scorecards.',
    authScopes: { can: 'adaptive_routing.read' },
    complexity: PAST_COST,
    args: {
      input: t.arg({
        type: inputOf(WHAT_IF_INPUT),
        required: true,
        description: 'What is supposed of the past.',
      }),
    },
    resolve: (_root, { input }, ctx) => supposePast(authorized(ctx), input),
  }),
}));
