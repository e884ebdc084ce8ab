import { builder } from '../../../graph/builder.js';
import type { JsonObject } from '../../../kernel/json.js';
import { intAt, listAt, objectAt, textAt, valueAt } from './read.js';
import { FirewallReceipt, PromptReceipt, Routing, Slo } from './receipts.js';

const nullable = true;

const CalledFunction = builder.objectRef<JsonObject>('ChatCalledFunction').implement({
  description: 'The function that is called; in a stream, a piece of it.',
  fields: (t) => ({
    name: t.string({ nullable, description: 'The name of the function.', resolve: textAt('name') }),
    arguments: t.string({
      nullable,
      description: 'Its arguments: JSON as a text.',
      resolve: textAt('arguments'),
    }),
  }),
});

const CalledTool = builder.objectRef<JsonObject>('ChatCalledTool').implement({
  description: 'The custom tool that is called.',
  fields: (t) => ({
    name: t.string({
      nullable,
      description: 'The name of the custom tool.',
      resolve: textAt('name'),
    }),
    input: t.string({ nullable, description: 'What it is given.', resolve: textAt('input') }),
  }),
});

const ToolCall = builder.objectRef<JsonObject>('ChatToolCall').implement({
  description: 'A tool that the model calls; in a stream, a piece of it.',
  fields: (t) => ({
    index: t.int({
      nullable,
      description: 'In a stream, which call the piece belongs to.',
      resolve: intAt('index'),
    }),
    id: t.string({ nullable, description: 'Its id, for the answer.', resolve: textAt('id') }),
    type: t.string({ nullable, description: '`function` or `custom`.', resolve: textAt('type') }),
    function: t.field({
      type: CalledFunction,
      nullable,
      description: 'The function that is called; null for a custom tool.',
      resolve: objectAt('function'),
    }),
    custom: t.field({
      type: CalledTool,
      nullable,
      description: 'The custom tool.',
      resolve: objectAt('custom'),
    }),
  }),
});

const Message = builder.objectRef<JsonObject>('ChatMessage').implement({
  description: 'What the model says; in a stream, a piece of it.',
  fields: (t) => ({
    role: t.string({ nullable, description: 'Always the assistant.', resolve: textAt('role') }),
    content: t.string({
      nullable,
      description: 'What the model says; null where it only calls tools.',
      resolve: textAt('content'),
    }),
    refusal: t.string({
      nullable,
      description: 'The words with which the model refuses; null where it answers.',
      resolve: textAt('refusal'),
    }),
    reasoningContent: t.string({
      nullable,
      description: 'The reasoning, where the provider tells it.',
      resolve: textAt('reasoning_content'),
    }),
    toolCalls: t.field({
      type: [ToolCall],
      description: 'The tools that it calls.',
      resolve: listAt('tool_calls'),
    }),
  }),
});

const Choice = builder.objectRef<JsonObject>('ChatChoice').implement({
  description: 'One of the answers.',
  fields: (t) => ({
    index: t.int({
      nullable,
      description: 'The number of the answer among those that were asked for, from 0.',
      resolve: intAt('index'),
    }),
    message: t.field({
      type: Message,
      nullable,
      description: 'What the model says or calls in this answer.',
      resolve: objectAt('message'),
    }),
    finishReason: t.string({
      nullable,
      description: 'Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.',
      resolve: textAt('finish_reason'),
    }),
    logprobs: t.field({
      type: 'JSON',
      nullable,
      description: 'The probabilities of its tokens, where they were asked for.',
      resolve: valueAt('logprobs'),
    }),
  }),
});

const Delta = builder.objectRef<JsonObject>('ChatChoiceDelta').implement({
  description: 'A piece of one of the answers.',
  fields: (t) => ({
    index: t.int({
      nullable,
      description: 'The number of the answer that the piece belongs to, from 0.',
      resolve: intAt('index'),
    }),
    delta: t.field({
      type: Message,
      nullable,
      description: 'What is said in addition.',
      resolve: objectAt('delta'),
    }),
    finishReason: t.string({
      nullable,
      description: 'Why it ended; null while it goes on.',
      resolve: textAt('finish_reason'),
    }),
    logprobs: t.field({
      type: 'JSON',
      nullable,
      description: 'The probabilities of its tokens, where they were asked for.',
      resolve: valueAt('logprobs'),
    }),
  }),
});

const details = (part: string, name: string) => (usage: JsonObject) =>
  intAt(name)(objectAt(part)(usage) ?? {});

const Usage = builder.objectRef<JsonObject>('ChatUsage').implement({
  description: 'Tokens as the chat wire counts them.',
  fields: (t) => ({
    promptTokens: t.int({
      nullable,
      description: 'Tokens of the prompt, those read from a cache included.',
      resolve: intAt('prompt_tokens'),
    }),
    completionTokens: t.int({
      nullable,
      description: 'The answer, reasoning included.',
      resolve: intAt('completion_tokens'),
    }),
    totalTokens: t.int({
      nullable,
      description: 'Tokens of prompt and answer together.',
      resolve: intAt('total_tokens'),
    }),
    cachedTokens: t.int({
      nullable,
      description: 'Of the prompt, read from a cache.',
      resolve: details('prompt_tokens_details', 'cached_tokens'),
    }),
    reasoningTokens: t.int({
      nullable,
      description: 'Of the answer, reasoning.',
      resolve: details('completion_tokens_details', 'reasoning_tokens'),
    }),
  }),
});

/** A whole answer. */
export const ChatAnswer = builder.objectRef<JsonObject>('ChatAnswer').implement({
  description: 'The answer to a chat request, with its receipts.',
  fields: (t) => ({
    id: t.string({ nullable, description: 'The provider’s id of it.', resolve: textAt('id') }),
    created: t.int({ nullable, description: 'When, in Unix seconds.', resolve: intAt('created') }),
    model: t.string({
      nullable,
      description: 'The model that answered.',
      resolve: textAt('model'),
    }),
    choices: t.field({
      type: [Choice],
      description: 'The answers, as many as `n` asked for.',
      resolve: listAt('choices'),
    }),
    usage: t.field({
      type: Usage,
      nullable,
      description: 'The tokens of the request as the chat wire counts them.',
      resolve: objectAt('usage'),
    }),
    gwRouting: t.field({
      type: Routing,
      nullable,
      description: 'Which model was chosen, why, and what it cost.',
      resolve: objectAt('gw_routing'),
    }),
    gwSlo: t.field({
      type: Slo,
      nullable,
      description: 'The latency that was aimed at, and the measured one.',
      resolve: objectAt('gw_slo'),
    }),
    gwFirewall: t.field({
      type: FirewallReceipt,
      nullable,
      description: 'What the firewall found.',
      resolve: objectAt('gw_firewall'),
    }),
    gwPrompt: t.field({
      type: PromptReceipt,
      nullable,
      description: 'The prompt that was used; null without one.',
      resolve: objectAt('gw_prompt'),
    }),
    wire: t.field({
      type: 'ChatCompletion',
      description: 'The same answer as REST gives it, with all that the provider added.',
      resolve: (answer) => answer,
    }),
  }),
});

/** A piece of a streamed answer. */
export const ChatAnswerChunk = builder.objectRef<JsonObject>('ChatAnswerChunk').implement({
  description: 'A piece of a streamed answer. The last one has no choices and the receipts.',
  fields: (t) => ({
    id: t.string({ nullable, description: 'The provider’s id of it.', resolve: textAt('id') }),
    created: t.int({ nullable, description: 'When, in Unix seconds.', resolve: intAt('created') }),
    model: t.string({ nullable, description: 'The model that answers.', resolve: textAt('model') }),
    choices: t.field({
      type: [Delta],
      description: 'The pieces of the answers; none in the last chunk.',
      resolve: listAt('choices'),
    }),
    usage: t.field({
      type: Usage,
      nullable,
      description: 'Tokens; on the last piece alone.',
      resolve: objectAt('usage'),
    }),
    gwRouting: t.field({
      type: Routing,
      nullable,
      description: 'On the last piece: which model was chosen, why, and what it cost.',
      resolve: objectAt('gw_routing'),
    }),
    gwSlo: t.field({
      type: Slo,
      nullable,
      description: 'On the last piece: latency.',
      resolve: objectAt('gw_slo'),
    }),
    gwFirewall: t.field({
      type: FirewallReceipt,
      nullable,
      description: 'On the last piece: what the firewall found.',
      resolve: objectAt('gw_firewall'),
    }),
    gwPrompt: t.field({
      type: PromptReceipt,
      nullable,
      description: 'On the last piece: the prompt that was used; null without one.',
      resolve: objectAt('gw_prompt'),
    }),
    wire: t.field({
      type: 'ChatCompletionChunk',
      description: 'The same piece as REST gives it.',
      resolve: (chunk) => chunk,
    }),
  }),
});
