import { builder } from '../../../graph/builder.js';
import { inputFieldsOf } from '../../../graph/table-types.js';
import { integer } from '../../../kernel/fields/field.js';
import { ANSWER, ANSWER_CHUNK, USAGE } from './answer.js';
import { askStream, askWhole } from './ask.js';
import { CHAT_INPUT } from './input.js';
import { wireFields, wireType } from './read.js';

const ChatInput = builder.inputType(CHAT_INPUT.name, {
  description: CHAT_INPUT.description,
  extensions: { passedOn: true },
  fields: (t) => inputFieldsOf(t, CHAT_INPUT.fields, CHAT_INPUT.isOneOf),
});

const CACHED = { cachedTokens: integer('Of the prompt, read from a cache.') };
const REASONING = { reasoningTokens: integer('Of the answer, reasoning.') };

builder.objectFields(wireType(USAGE), (t) => ({
  ...wireFields(t, CACHED, 'prompt_tokens_details'),
  ...wireFields(t, REASONING, 'completion_tokens_details'),
}));

builder.objectField(wireType(ANSWER), 'wire', (t) =>
  t.field({
    type: 'ChatCompletion',
    description: 'The same answer as REST gives it, with all that the provider added.',
    resolve: (answer) => answer,
  }),
);

builder.objectField(wireType(ANSWER_CHUNK), 'wire', (t) =>
  t.field({
    type: 'ChatCompletionChunk',
    description: 'The same piece as REST gives it.',
    resolve: (chunk) => chunk,
  }),
);

/** A call of a model is worth as much as a page of ten; its fields are read from one answer. */
const COMPLEXITY = { field: 10, multiplier: 1 } as const;

builder.mutationField('chatComplete', (t) =>
  t.field({
    type: wireType(ANSWER),
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
    type: wireType(ANSWER_CHUNK),
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
