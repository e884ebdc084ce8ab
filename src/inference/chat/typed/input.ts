import { builder } from '../../../graph/builder.js';

const ChatRole = builder.enumType('ChatRole', {
  description: 'Who says a message.',
  values: {
    system: { description: 'The instructions of the application.' },
    developer: { description: 'The newer name of `system`.' },
    user: { description: 'The person who asks.' },
    assistant: { description: 'The model, in an earlier answer.' },
    tool: { description: 'A tool that the model called; names the call in `toolCallId`.' },
  } as const,
});

const ChatImageInput = builder.inputType('ChatImageInput', {
  description: 'An image. It is billed by the tokens that the provider counts, not by its bytes.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description: 'An https address, or a data: address with the image in base64.',
    }),
    detail: t.string({ description: '`auto`, `low` or `high`; `auto` by default.' }),
  }),
});

const ChatSoundInput = builder.inputType('ChatSoundInput', {
  description: 'A sound recording, for models that listen.',
  fields: (t) => ({
    data: t.string({ required: true, description: 'The sound in base64.' }),
    format: t.string({ required: true, description: '`wav`, `mp3`, or another of the provider.' }),
  }),
});

const ChatFileInput = builder.inputType('ChatFileInput', {
  description: 'A file, inlined or kept by the provider.',
  fields: (t) => ({
    fileData: t.string({ description: 'The file in base64; this or `fileId`.' }),
    fileId: t.string({ description: 'The id that the provider gave it.' }),
    filename: t.string({ description: 'The name of the file.' }),
  }),
});

const ChatPartInput = builder.inputType('ChatPartInput', {
  description: 'A part of what a message says: exactly one of its kinds.',
  isOneOf: true,
  fields: (t) => ({
    text: t.string({ description: 'A text, as a person or the application wrote it.' }),
    imageUrl: t.field({ type: ChatImageInput, description: 'An image, for models that see.' }),
    inputAudio: t.field({
      type: ChatSoundInput,
      description: 'A sound recording, for models that listen.',
    }),
    file: t.field({ type: ChatFileInput, description: 'A file, for models that read files.' }),
    refusal: t.string({ description: 'A refusal of the model in an earlier answer.' }),
    other: t.field({
      type: 'JSON',
      description: 'A part of a kind that only the provider knows, as an object with `type`.',
    }),
  }),
});

const ChatCalledFunctionInput = builder.inputType('ChatCalledFunctionInput', {
  description: 'The function that a tool call names.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the function that was called.' }),
    arguments: t.string({ required: true, description: 'Its arguments: JSON as a text.' }),
  }),
});

const ChatCalledToolInput = builder.inputType('ChatCalledToolInput', {
  description: 'The custom tool that a tool call names.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the custom tool that was called.' }),
    input: t.string({ required: true, description: 'What it was given.' }),
  }),
});

const ChatToolCallInput = builder.inputType('ChatToolCallInput', {
  description: 'A tool call of an earlier answer: `function` or `custom`.',
  fields: (t) => ({
    id: t.string({ required: true, description: 'The id that the model gave it.' }),
    function: t.field({ type: ChatCalledFunctionInput, description: 'A call of a function.' }),
    custom: t.field({ type: ChatCalledToolInput, description: 'A call of a custom tool.' }),
  }),
});

const ChatMessageInput = builder.inputType('ChatMessageInput', {
  description: 'A message of the conversation.',
  fields: (t) => ({
    role: t.field({ type: ChatRole, required: true, description: 'Who says the message.' }),
    content: t.string({ description: 'What is said, as a text; this or `parts`.' }),
    parts: t.field({ type: [ChatPartInput], description: 'What is said, in parts.' }),
    name: t.string({ description: 'The name of the one who says it.' }),
    toolCalls: t.field({
      type: [ChatToolCallInput],
      description: 'Of the assistant: the tools that it called.',
    }),
    toolCallId: t.string({ description: 'Of a tool: the call that it answers.' }),
    refusal: t.string({ description: 'Of the assistant: its refusal.' }),
  }),
});

const ChatFunctionInput = builder.inputType('ChatFunctionInput', {
  description: 'A function that the model may call.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The name by which the model calls the function.',
    }),
    description: t.string({ description: 'What it does, for the model.' }),
    parameters: t.field({ type: 'JSON', description: 'Its arguments as a JSON Schema.' }),
    strict: t.boolean({ description: 'Whether the arguments follow the schema exactly.' }),
  }),
});

const ChatCustomToolInput = builder.inputType('ChatCustomToolInput', {
  description: 'A tool that is given a text.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name by which the model calls the tool.' }),
    description: t.string({ description: 'What it does, for the model.' }),
    format: t.field({ type: 'JSON', description: 'The form of the text, as on the wire.' }),
  }),
});

const ChatToolInput = builder.inputType('ChatToolInput', {
  description: 'A tool: exactly one of its kinds.',
  isOneOf: true,
  fields: (t) => ({
    function: t.field({ type: ChatFunctionInput, description: 'A function with named arguments.' }),
    custom: t.field({ type: ChatCustomToolInput, description: 'A tool that is given one text.' }),
    other: t.field({
      type: 'JSON',
      description: 'A tool of a kind that only the provider knows, as an object with `type`.',
    }),
  }),
});

const ChatToolMode = builder.enumType('ChatToolMode', {
  description: 'Whether tools are called.',
  values: {
    none: { description: 'No tool is called.' },
    auto: { description: 'The model decides.' },
    required: { description: 'At least one tool is called.' },
  } as const,
});

const ChatToolChoiceInput = builder.inputType('ChatToolChoiceInput', {
  description: 'Which tool is called: exactly one of these.',
  isOneOf: true,
  fields: (t) => ({
    mode: t.field({ type: ChatToolMode, description: 'Whether tools are called at all.' }),
    function: t.string({ description: 'The function that must be called, by its name.' }),
    custom: t.string({ description: 'The custom tool that must be called, by its name.' }),
    other: t.field({ type: 'JSON', description: 'A choice as the wire has it.' }),
  }),
});

const ChatJsonSchemaInput = builder.inputType('ChatJsonSchemaInput', {
  description: 'A schema for the answer.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A name for the model.' }),
    schema: t.field({ type: 'JSON', required: true, description: 'The JSON Schema.' }),
    description: t.string({ description: 'What the answer is for.' }),
    strict: t.boolean({ description: 'Whether the answer follows the schema exactly.' }),
  }),
});

const ChatFormatKind = builder.enumType('ChatFormatKind', {
  description: 'The form of an answer without a schema.',
  values: {
    text: { description: 'A text, as the model writes it.' },
    json_object: { description: 'A JSON object of whatever shape.' },
  } as const,
});

const ChatFormatInput = builder.inputType('ChatFormatInput', {
  description: 'The form of the answer: exactly one of these.',
  isOneOf: true,
  fields: (t) => ({
    kind: t.field({ type: ChatFormatKind, description: 'A form without a schema.' }),
    jsonSchema: t.field({ type: ChatJsonSchemaInput, description: 'JSON by a schema.' }),
    other: t.field({
      type: 'JSON',
      description: 'A form of the provider, as an object with `type`.',
    }),
  }),
});

const ChatMetadataInput = builder.inputType('ChatMetadataInput', {
  description:
    'What reports group by. It is kept with the usage; providers see it only where the operator ' +
    'configures that.',
  fields: (t) => ({
    feature: t.string({ description: 'The feature or use case, at most 512 characters.' }),
    environment: t.string({ description: 'The environment, at most 512 characters.' }),
    clientId: t.string({ description: 'Your client, at most 512 characters.' }),
    more: t.field({ type: 'JSON', description: 'Further labels, as an object.' }),
  }),
});

const ChatPromptInput = builder.inputType('ChatPromptInput', {
  description: 'The prompt of your organization that fills the request.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key of the package.' }),
    version: t.int({ description: 'Its version; by default the one in production.' }),
    variables: t.field({ type: 'JSON', description: 'The values of its variables, by name.' }),
  }),
});

const ChatApprovalInput = builder.inputType('ChatApprovalInput', {
  description:
    'Where a budget is exhausted: asks for an exception and waits instead of being refused.',
  fields: (t) => ({
    waitSeconds: t.int({ required: true, description: 'How long to wait at most, 1 to 300.' }),
    reason: t.string({ description: 'What the decider reads.' }),
  }),
});

/** A chat request with a type for each member; it becomes the body of the wire. */
export const ChatInput = builder.inputType('ChatInput', {
  description: 'A chat request.',
  extensions: { passedOn: true },
  fields: (t) => ({
    model: t.string({
      description: 'A model id or gw:auto. It may be left out where a prompt names models.',
    }),
    messages: t.field({
      type: [ChatMessageInput],
      description: 'The conversation; it may be left out where a prompt is used.',
    }),
    prompt: t.field({ type: ChatPromptInput, description: 'A prompt that fills the request.' }),
    approval: t.field({ type: ChatApprovalInput, description: 'Waits for a budget exception.' }),
    metadata: t.field({ type: ChatMetadataInput, description: 'What reports group by.' }),
    tools: t.field({ type: [ChatToolInput], description: 'What the model may call.' }),
    toolChoice: t.field({ type: ChatToolChoiceInput, description: 'Which tool is called.' }),
    parallelToolCalls: t.boolean({ description: 'Whether several tools are called at once.' }),
    responseFormat: t.field({ type: ChatFormatInput, description: 'The form of the answer.' }),
    maxTokens: t.int({ description: 'Tokens of the answer at most; each choice has as many.' }),
    maxCompletionTokens: t.int({ description: 'As `maxTokens`, with the tokens of reasoning.' }),
    n: t.int({ description: 'Choices, 1 to 16; each is billed.' }),
    stop: t.stringList({ description: 'Texts that end the answer, at most 16.' }),
    temperature: t.float({
      description: 'How freely words are chosen, 0 to 2; 0 is nearly always the same answer.',
    }),
    topP: t.float({
      description: 'Only the likeliest words that together have this probability, 0 to 1.',
    }),
    presencePenalty: t.float({
      description: 'Makes words that already occurred less likely, -2 to 2.',
    }),
    frequencyPenalty: t.float({
      description: 'Makes words less likely the more often they occurred, -2 to 2.',
    }),
    seed: t.int({ description: 'Makes an answer repeatable where the model can.' }),
    logitBias: t.field({ type: 'JSON', description: 'Numbers from -100 to 100 by token.' }),
    logprobs: t.boolean({ description: 'Whether the probabilities of tokens are told.' }),
    topLogprobs: t.int({ description: 'Of how many tokens at each place, 0 to 20.' }),
    reasoningEffort: t.string({ description: '`minimal`, `low`, `medium`, `high`, or another.' }),
    verbosity: t.string({ description: '`low`, `medium` or `high`.' }),
    serviceTier: t.string({ description: 'A tier of the provider.' }),
    user: t.string({ description: 'Your end user, for the provider’s protection from abuse.' }),
    more: t.field({
      type: 'JSON',
      description:
        'Further members of the request by their names on the wire, as an object; what has a ' +
        'field of its own here stands there.',
    }),
  }),
});
