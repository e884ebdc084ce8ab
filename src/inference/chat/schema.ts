import { builder } from '../../graph/builder.js';
import { jsonScalar } from '../../graph/scalars.js';
import { CHAT_CHUNK_SCHEMA, CHAT_COMPLETION_SCHEMA, CHAT_REQUEST_SCHEMA } from '../wire-schemas.js';
import { completeChat } from './complete.js';
import { streamChat } from './stream.js';

declare global {
  namespace GatewaySchema {
    interface Scalars {
      ChatCompletionRequest: { Input: unknown; Output: unknown };
      ChatCompletion: { Input: unknown; Output: unknown };
      ChatCompletionChunk: { Input: unknown; Output: unknown };
    }
  }
}

builder.addScalarType(
  'ChatCompletionRequest',
  jsonScalar(
    'ChatCompletionRequest',
    'A chat-completions request as SDK clients send it: model, messages, tools, response_format ' +
      'and the rest. Unknown fields are kept and forwarded.',
    CHAT_REQUEST_SCHEMA,
  ),
  { extensions: { passedOn: true } },
);
builder.addScalarType(
  'ChatCompletion',
  jsonScalar(
    'ChatCompletion',
    'A chat completion as SDK clients read it, with gw_routing, gw_slo and gw_firewall.',
    CHAT_COMPLETION_SCHEMA,
  ),
);
builder.addScalarType(
  'ChatCompletionChunk',
  jsonScalar(
    'ChatCompletionChunk',
    'A chunk of a streamed chat completion; the last one carries the receipts.',
    CHAT_CHUNK_SCHEMA,
  ),
);

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
