import { builder } from '../../../graph/builder.js';
import { ChatAnswer, ChatAnswerChunk } from './answer.js';
import { askStream, askWhole } from './ask.js';
import { ChatInput } from './input.js';

/** A call of a model is worth as much as a page of ten; its fields are read from one answer. */
const COMPLEXITY = { field: 10, multiplier: 1 } as const;

builder.mutationField('chatComplete', (t) =>
  t.field({
    type: ChatAnswer,
    description:
      'Answers a chat request in one piece and bills it: `chatCompletionCreate` with a type for ' +
      'each member of request and answer. Limits, firewall, routing, budgets, billing and ' +
      'idempotency are the same.',
    authScopes: { can: 'inference.run' },
    complexity: COMPLEXITY,
    args: {
      input: t.arg({
        type: ChatInput,
        required: true,
        description: 'The request, with a type for each of its members.',
      }),
    },
    resolve: (_root, { input }, ctx) => askWhole(ctx, input),
  }),
);

builder.subscriptionField('chatStream', (t) =>
  t.field({
    type: ChatAnswerChunk,
    description:
      'Answers a chat request as a stream and bills what was produced: `chatCompletionStream` ' +
      'with a type for each member of request and pieces.',
    authScopes: { can: 'inference.run' },
    complexity: COMPLEXITY,
    args: {
      input: t.arg({
        type: ChatInput,
        required: true,
        description: 'The request, with a type for each of its members.',
      }),
    },
    subscribe: (_root, { input }, ctx) => askStream(ctx, input),
    resolve: (chunk) => chunk,
  }),
);
