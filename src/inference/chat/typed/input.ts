import { CLASSES_OF_DATA } from '../../../access/policies/tables.js';
import {
  allOptional,
  code,
  fieldTable,
  flag,
  integer,
  json,
  list,
  number,
  object,
  oneOfTable,
  text,
} from '../../../kernel/fields/field.js';
import { vocabulary } from '../../../kernel/vocabulary.js';
import { PRIORITIES } from '../../../routing/workloads/vocabulary.js';
import { CONTEXT_POSITIONS, CONTEXT_ROLES } from '../../context/vocabulary.js';

// Tables of what a request can say. They give names and types; the bounds are those of the wire,
// whose table judges the body that is written from a typed request.

const ROLES = vocabulary('ChatRole', 'Who says a message.', [
  { code: 'system', description: 'The instructions of the application.' },
  { code: 'developer', description: 'The newer name of `system`.' },
  { code: 'user', description: 'The person who asks.' },
  { code: 'assistant', description: 'The model, in an earlier answer.' },
  { code: 'tool', description: 'A tool that the model called; names the call in `toolCallId`.' },
]);

const TOOL_MODES = vocabulary('ChatToolMode', 'Whether tools are called.', [
  { code: 'none', description: 'No tool is called.' },
  { code: 'auto', description: 'The model decides.' },
  { code: 'required', description: 'At least one tool is called.' },
]);

const FORMAT_KINDS = vocabulary('ChatFormatKind', 'The form of an answer without a schema.', [
  { code: 'text', description: 'A text, as the model writes it.' },
  { code: 'json_object', description: 'A JSON object of whatever shape.' },
]);

const IMAGE = fieldTable(
  'ChatImageInput',
  'An image. It is billed by the tokens that the provider counts, not by its bytes.',
  {
    url: text('An https address, or a data: address with the image in base64.'),
    ...allOptional({ detail: text('`auto`, `low` or `high`; `auto` by default.') }),
  },
);

const SOUND = fieldTable('ChatSoundInput', 'A sound recording, for models that listen.', {
  data: text('The sound in base64.'),
  format: text('`wav`, `mp3`, or another of the provider.'),
});

const FILE = fieldTable(
  'ChatFileInput',
  'A file, inlined or kept by the provider.',
  allOptional({
    fileData: text('The file in base64; this or `fileId`.'),
    fileId: text('The id that the provider gave it.'),
    filename: text('The name of the file.'),
  }),
);

const PART = oneOfTable(
  'ChatPartInput',
  'A part of what a message says: exactly one of its kinds.',
  {
    text: text('A text, as a person or the application wrote it.'),
    imageUrl: object(IMAGE, 'An image, for models that see.'),
    inputAudio: object(SOUND, 'A sound recording, for models that listen.'),
    file: object(FILE, 'A file, for models that read files.'),
    refusal: text('A refusal of the model in an earlier answer.'),
    other: json('A part of a kind that only the provider knows, as an object with `type`.'),
  },
);

const CALLED_FUNCTION = fieldTable(
  'ChatCalledFunctionInput',
  'The function that a tool call names.',
  {
    name: text('The name of the function that was called.'),
    arguments: text('Its arguments: JSON as a text.'),
  },
);

const CALLED_TOOL = fieldTable('ChatCalledToolInput', 'The custom tool that a tool call names.', {
  name: text('The name of the custom tool that was called.'),
  input: text('What it was given.'),
});

const TOOL_CALL = fieldTable(
  'ChatToolCallInput',
  'A tool call of an earlier answer: `function` or `custom`.',
  {
    id: text('The id that the model gave it.'),
    ...allOptional({
      function: object(CALLED_FUNCTION, 'A call of a function.'),
      custom: object(CALLED_TOOL, 'A call of a custom tool.'),
    }),
  },
);

const MESSAGE = fieldTable('ChatMessageInput', 'A message of the conversation.', {
  role: code(ROLES, 'Who says the message.'),
  ...allOptional({
    content: text('What is said, as a text; this or `parts`.'),
    parts: list(object(PART, 'A part.'), 'What is said, in parts.'),
    name: text('The name of the one who says it.'),
    toolCalls: list(object(TOOL_CALL, 'A call.'), 'Of the assistant: the tools that it called.'),
    toolCallId: text('Of a tool: the call that it answers.'),
    refusal: text('Of the assistant: its refusal.'),
  }),
});

const FUNCTION = fieldTable('ChatFunctionInput', 'A function that the model may call.', {
  name: text('The name by which the model calls the function.'),
  ...allOptional({
    description: text('What it does, for the model.'),
    parameters: json('Its arguments as a JSON Schema.'),
    strict: flag('Whether the arguments follow the schema exactly.'),
  }),
});

const CUSTOM_TOOL = fieldTable('ChatCustomToolInput', 'A tool that is given a text.', {
  name: text('The name by which the model calls the tool.'),
  ...allOptional({
    description: text('What it does, for the model.'),
    format: json('The form of the text, as on the wire.'),
  }),
});

const TOOL = oneOfTable('ChatToolInput', 'A tool: exactly one of its kinds.', {
  function: object(FUNCTION, 'A function with named arguments.'),
  custom: object(CUSTOM_TOOL, 'A tool that is given one text.'),
  other: json('A tool of a kind that only the provider knows, as an object with `type`.'),
});

const TOOL_CHOICE = oneOfTable(
  'ChatToolChoiceInput',
  'Which tool is called: exactly one of these.',
  {
    mode: code(TOOL_MODES, 'Whether tools are called at all.'),
    function: text('The function that must be called, by its name.'),
    custom: text('The custom tool that must be called, by its name.'),
    other: json('A choice as the wire has it.'),
  },
);

const JSON_SCHEMA = fieldTable('ChatJsonSchemaInput', 'A schema for the answer.', {
  name: text('A name for the model.'),
  schema: json('The JSON Schema.'),
  ...allOptional({
    description: text('What the answer is for.'),
    strict: flag('Whether the answer follows the schema exactly.'),
  }),
});

const FORMAT = oneOfTable('ChatFormatInput', 'The form of the answer: exactly one of these.', {
  kind: code(FORMAT_KINDS, 'A form without a schema.'),
  jsonSchema: object(JSON_SCHEMA, 'JSON by a schema.'),
  other: json('A form of the provider, as an object with `type`.'),
});

const METADATA = fieldTable(
  'ChatMetadataInput',
  'What reports group by, and what the client says of its request. It is kept with the usage; ' +
    'providers see it only where the operator configures that.',
  allOptional({
    feature: text('The feature or use case, at most 512 characters.'),
    environment: text('The environment, at most 512 characters.'),
    clientId: text('Your client, at most 512 characters.'),
    dataClass: code(
      CLASSES_OF_DATA,
      'The least class of the data; what key, project, workspace, prompt and firewall say can ' +
        'only raise it.',
    ),
    writes: flag('Whether the answer is used to change something: no cache serves or keeps it.'),
    more: json('Further labels, as an object.'),
  }),
);

const PROMPT = fieldTable(
  'ChatPromptInput',
  'The prompt of your organization that fills the request.',
  {
    key: text('The key of the package.'),
    ...allOptional({
      version: integer('Its version; by default the one in production.'),
      variables: json('The values of its variables, by name.'),
    }),
  },
);

const APPROVAL = fieldTable(
  'ChatApprovalInput',
  'Where a budget is exhausted: asks for an exception and waits instead of being refused.',
  {
    waitSeconds: integer('How long to wait at most, 1 to 300.'),
    ...allOptional({ reason: text('What the decider reads.') }),
  },
);

const BLOCK = fieldTable('ChatContextBlockInput', 'A block of text that is sent if it fits.', {
  id: text('What you call the block; unique among the blocks.'),
  text: text('The text of the block; it is kept as it is or not at all.'),
  priority: code(PRIORITIES, 'How much the block is needed.'),
  ...allOptional({ value: integer('What keeping it is worth, 1 to 10; else by its priority.') }),
});

const CONTEXT = fieldTable(
  'ChatContextInput',
  'Blocks of which those are sent, as one message, that fit the window of the model.',
  {
    blocks: list(object(BLOCK, 'A block.'), 'The blocks in their order, at most 200.'),
    ...allOptional({
      tokensMax: integer('The most tokens that the kept blocks may take together.'),
      role: code(CONTEXT_ROLES, 'Who says the message; `system` by default.'),
      position: code(CONTEXT_POSITIONS, 'Where it stands; `before_last_user` by default.'),
    }),
  },
);

/** A chat request with a type for each member; it becomes the body of the wire. */
export const CHAT_INPUT = fieldTable(
  'ChatInput',
  'A chat request.',
  allOptional({
    model: text('A model id, an alias of yours or gw:auto. A prompt that names models needs none.'),
    messages: list(
      object(MESSAGE, 'A message.'),
      'The conversation; it may be left out where a prompt is used.',
    ),
    prompt: object(PROMPT, 'A prompt that fills the request.'),
    approval: object(APPROVAL, 'Waits for a budget exception.'),
    context: object(CONTEXT, 'Blocks of which those are sent that fit the window.'),
    metadata: object(METADATA, 'What reports group by.'),
    tools: list(object(TOOL, 'A tool.'), 'What the model may call.'),
    toolChoice: object(TOOL_CHOICE, 'Which tool is called.'),
    parallelToolCalls: flag('Whether several tools are called at once.'),
    responseFormat: object(FORMAT, 'The form of the answer.'),
    maxTokens: integer('Tokens of the answer at most; each choice has as many.'),
    maxCompletionTokens: integer('As `maxTokens`, with the tokens of reasoning.'),
    n: integer('Choices, 1 to 16; each is billed.'),
    stop: list(text('A text.'), 'Texts that end the answer, at most 16.'),
    temperature: number('How freely words are chosen, 0 to 2; 0 is nearly always the same answer.'),
    topP: number('Only the likeliest words that together have this probability, 0 to 1.'),
    presencePenalty: number('Makes words that already occurred less likely, -2 to 2.'),
    frequencyPenalty: number('Makes words less likely the more often they occurred, -2 to 2.'),
    seed: integer('Makes an answer repeatable where the model can.'),
    logitBias: json('Numbers from -100 to 100 by token.'),
    logprobs: flag('Whether the probabilities of tokens are told.'),
    topLogprobs: integer('Of how many tokens at each place, 0 to 20.'),
    reasoningEffort: text('`minimal`, `low`, `medium`, `high`, or another.'),
    verbosity: text('`low`, `medium` or `high`.'),
    serviceTier: text('A tier of the provider.'),
    user: text('Your end user, for the provider’s protection from abuse.'),
    more: json(
      'Further members of the request by their names on the wire, as an object; what has a ' +
        'field of its own here stands there.',
    ),
  }),
);
