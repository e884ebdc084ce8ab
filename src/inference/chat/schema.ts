import { builder } from '../../graph/builder.js';
import './wire-scalars.js';
import { completeChat } from './complete.js';
import { streamChat } from './stream.js';

builder.mutationField('chatCompletionCreate', (t) =>
  t.field({
    type: 'ChatCompletion',
    description: 'Answers a chat request in one piece and bills it.',
    authScopes: { can: 'inference.run' },
    args: {
      input: t.arg({
        type: 'ChatCompletionRequest',
        required: true,
        description: 'The request, as the body of the chat wire.',
      }),
    },
    resolve: (_root, { input }, ctx) => completeChat(ctx, input),
  }),
);

builder.subscriptionField('chatCompletionStream', (t) =>
  t.field({
    type: 'ChatCompletionChunk',
    description: 'Answers a chat request as a stream of chunks and bills what was produced.',
    authScopes: { can: 'inference.run' },
    args: {
      input: t.arg({
        type: 'ChatCompletionRequest',
        required: true,
        description: 'The request, as the body of the chat wire; `stream` need not be set.',
      }),
    },
    subscribe: (_root, { input }, ctx) => streamChat(ctx, input) as Promise<AsyncIterable<unknown>>,
    resolve: (chunk) => chunk,
  }),
);
