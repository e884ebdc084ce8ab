import { fieldTable, integer, json, list, object, text } from '../../../kernel/fields/field.js';
import { CONTEXT_USE, FIREWALL, PROMPT_USE, ROUTING, SLO } from './receipts.js';

// Tables of what an answer has, in the names of its members: `finishReason` is `finish_reason`.

const CALLED_FUNCTION = fieldTable(
  'ChatCalledFunction',
  'The function that is called; in a stream, a piece of it.',
  {
    name: text('The name of the function.'),
    arguments: text('Its arguments: JSON as a text.'),
  },
);

const CALLED_TOOL = fieldTable('ChatCalledTool', 'The custom tool that is called.', {
  name: text('The name of the custom tool.'),
  input: text('What it is given.'),
});

const TOOL_CALL = fieldTable(
  'ChatToolCall',
  'A tool that the model calls; in a stream, a piece of it.',
  {
    index: integer('In a stream, which call the piece belongs to.'),
    id: text('Its id, for the answer.'),
    type: text('`function` or `custom`.'),
    function: object(CALLED_FUNCTION, 'The function that is called; null for a custom tool.'),
    custom: object(CALLED_TOOL, 'The custom tool.'),
  },
);

const MESSAGE = fieldTable('ChatMessage', 'What the model says; in a stream, a piece of it.', {
  role: text('Always the assistant.'),
  content: text('What the model says; null where it only calls tools.'),
  refusal: text('The words with which the model refuses; null where it answers.'),
  reasoningContent: text('The reasoning, where the provider tells it.'),
  toolCalls: list(object(TOOL_CALL, 'A call.'), 'The tools that it calls.'),
});

const LOGPROBS = json('The probabilities of its tokens, where they were asked for.');

const CHOICE = fieldTable('ChatChoice', 'One of the answers.', {
  index: integer('The number of the answer among those that were asked for, from 0.'),
  message: object(MESSAGE, 'What the model says or calls in this answer.'),
  finishReason: text('Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.'),
  logprobs: LOGPROBS,
});

const DELTA = fieldTable('ChatChoiceDelta', 'A piece of one of the answers.', {
  index: integer('The number of the answer that the piece belongs to, from 0.'),
  delta: object(MESSAGE, 'What is said in addition.'),
  finishReason: text('Why it ended; null while it goes on.'),
  logprobs: LOGPROBS,
});

/** `usage`. Providers tell what cached and reasoning tokens are of it in objects inside. */
export const USAGE = fieldTable('ChatUsage', 'Tokens as the chat wire counts them.', {
  promptTokens: integer('Tokens of the prompt, those read from a cache included.'),
  completionTokens: integer('The answer, reasoning included.'),
  totalTokens: integer('Tokens of prompt and answer together.'),
});

const FRAME = {
  id: text('The provider’s id of it.'),
  created: integer('When, in Unix seconds.'),
};

/** A whole answer. */
export const ANSWER = fieldTable('ChatAnswer', 'The answer to a chat request, with its receipts.', {
  ...FRAME,
  model: text('The model that answered.'),
  choices: list(object(CHOICE, 'An answer.'), 'The answers, as many as `n` asked for.'),
  usage: object(USAGE, 'The tokens of the request as the chat wire counts them.'),
  gwRouting: object(ROUTING, 'Which model was chosen, why, and what it cost.'),
  gwSlo: object(SLO, 'The latency that was aimed at, and the measured one.'),
  gwFirewall: object(FIREWALL, 'What the firewall found.'),
  gwPrompt: object(PROMPT_USE, 'The prompt that was used; null without one.'),
  gwContext: object(CONTEXT_USE, 'What was sent of the blocks; null without any.'),
});

/** A piece of a streamed answer. */
export const ANSWER_CHUNK = fieldTable(
  'ChatAnswerChunk',
  'A piece of a streamed answer. The last one has no choices and the receipts.',
  {
    ...FRAME,
    model: text('The model that answers.'),
    choices: list(object(DELTA, 'A piece.'), 'The pieces of the answers; none in the last chunk.'),
    usage: object(USAGE, 'Tokens; on the last piece alone.'),
    gwRouting: object(ROUTING, 'On the last piece: which model was chosen, why, and what it cost.'),
    gwSlo: object(SLO, 'On the last piece: latency.'),
    gwFirewall: object(FIREWALL, 'On the last piece: what the firewall found.'),
    gwPrompt: object(PROMPT_USE, 'On the last piece: the prompt that was used; null without one.'),
    gwContext: object(CONTEXT_USE, 'On the last piece: what was sent of the blocks; else null.'),
  },
);
