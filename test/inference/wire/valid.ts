import fc from 'fast-check';
import type OpenAI from 'openai';

type Request = OpenAI.Chat.ChatCompletionCreateParams;
type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Part = OpenAI.Chat.ChatCompletionContentPart;

const word = fc.string({ minLength: 1, maxLength: 12 });
const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
const schema = fc.constant({ type: 'object', properties: {} });
/** Members that may be left out. */
const some = { requiredKeys: [] };

const textPart = fc.record({ type: fc.constant('text' as const), text: anyText });

const part: fc.Arbitrary<Part> = fc.oneof(
  textPart,
  fc.record({
    type: fc.constant('image_url' as const),
    image_url: fc.record(
      { url: word, detail: fc.constantFrom('auto' as const, 'low' as const, 'high' as const) },
      { requiredKeys: ['url'] },
    ),
  }),
  fc.record({
    type: fc.constant('input_audio' as const),
    input_audio: fc.record({
      data: word,
      format: fc.constantFrom('wav' as const, 'mp3' as const),
    }),
  }),
  fc.record({
    type: fc.constant('file' as const),
    file: fc.record({ file_data: word, filename: anyText }, { requiredKeys: ['file_data'] }),
  }),
);

const content = fc.oneof(anyText, fc.array(part, { minLength: 1, maxLength: 3 }));
const texts = fc.oneof(anyText, fc.array(textPart, { minLength: 1, maxLength: 2 }));

const call: fc.Arbitrary<OpenAI.Chat.ChatCompletionMessageToolCall> = fc.oneof(
  fc.record({
    id: word,
    type: fc.constant('function' as const),
    function: fc.record({ name: word, arguments: anyText }),
  }),
  fc.record({
    id: word,
    type: fc.constant('custom' as const),
    custom: fc.record({ name: word, input: anyText }),
  }),
);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'developer' as const), content: texts }),
  fc.record(
    { role: fc.constant('user' as const), content, name: word },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record(
    { role: fc.constant('assistant' as const), content: texts, refusal: fc.constant(null) },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.constant(null),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ role: fc.constant('tool' as const), content: texts, tool_call_id: word }),
  fc.record({
    role: fc.constant('function' as const),
    content: fc.option(anyText),
    name: word,
  }),
);

const tool: fc.Arbitrary<OpenAI.Chat.ChatCompletionTool> = fc.oneof(
  fc.record({
    type: fc.constant('function' as const),
    function: fc.record(
      { name: word, description: anyText, parameters: schema, strict: fc.option(fc.boolean()) },
      { requiredKeys: ['name'] },
    ),
  }),
  fc.record({
    type: fc.constant('custom' as const),
    custom: fc.record(
      {
        name: word,
        format: fc.oneof(
          fc.constant({ type: 'text' as const }),
          fc.constant({
            type: 'grammar' as const,
            grammar: { definition: 'a', syntax: 'lark' as const },
          }),
        ),
      },
      { requiredKeys: ['name'] },
    ),
  }),
);

const toolChoice: fc.Arbitrary<OpenAI.Chat.ChatCompletionToolChoiceOption> = fc.oneof(
  fc.constantFrom('none' as const, 'auto' as const, 'required' as const),
  fc.record({ type: fc.constant('function' as const), function: fc.record({ name: word }) }),
  fc.record({ type: fc.constant('custom' as const), custom: fc.record({ name: word }) }),
  fc.record({
    type: fc.constant('allowed_tools' as const),
    allowed_tools: fc.record({
      mode: fc.constantFrom('auto' as const, 'required' as const),
      tools: fc.constant<{ [key: string]: unknown }[]>([{ type: 'function' }]),
    }),
  }),
);

const format: fc.Arbitrary<NonNullable<Request['response_format']>> = fc.oneof(
  fc.constant({ type: 'text' as const }),
  fc.constant({ type: 'json_object' as const }),
  fc.record({
    type: fc.constant('json_schema' as const),
    json_schema: fc.record({ name: word, schema, strict: fc.option(fc.boolean()) }),
  }),
);

/** Requests as the client's own type has them, every member of it now and then. */
export const validChat: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
      top_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      presence_penalty: fc.option(fc.double({ min: -2, max: 2, noNaN: true })),
      frequency_penalty: fc.option(fc.double({ min: -2, max: 2, noNaN: true })),
      seed: fc.option(fc.maxSafeInteger()),
      logit_bias: fc.option(fc.dictionary(word, fc.integer({ min: -100, max: 100 }))),
      logprobs: fc.option(fc.boolean()),
      top_logprobs: fc.option(fc.integer({ min: 0, max: 20 })),
      n: fc.option(fc.integer({ min: 1, max: 16 })),
      max_tokens: fc.option(fc.integer({ min: 1, max: 10_000 })),
      max_completion_tokens: fc.option(fc.integer({ min: 1, max: 10_000 })),
      stop: fc.option(fc.oneof(anyText, fc.array(anyText, { minLength: 1, maxLength: 4 }))),
      tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
      tool_choice: toolChoice,
      parallel_tool_calls: fc.boolean(),
      response_format: format,
      modalities: fc.option(fc.constant(['text' as const, 'audio' as const])),
      audio: fc.option(fc.constant({ format: 'mp3' as const, voice: 'alloy' as const })),
      prediction: fc.option(fc.record({ type: fc.constant('content' as const), content: texts })),
      reasoning_effort: fc.constantFrom('minimal' as const, 'low' as const, 'high' as const, null),
      service_tier: fc.constantFrom('auto' as const, 'flex' as const, null),
      verbosity: fc.constantFrom('low' as const, 'high' as const, null),
      store: fc.option(fc.boolean()),
      user: word,
      safety_identifier: fc.option(word),
      prompt_cache_key: fc.option(word),
      stream_options: fc.option(fc.record({ include_usage: fc.boolean() }, some)),
      metadata: fc.option(fc.dictionary(word, anyText, { maxKeys: 4 })),
      web_search_options: fc.record(
        {
          search_context_size: fc.constantFrom('low' as const, 'medium' as const, 'high' as const),
          user_location: fc.constant({
            type: 'approximate' as const,
            approximate: { city: 'Казань', country: 'RU' },
          }),
        },
        some,
      ),
      functions: fc.array(
        fc.record({ name: word, parameters: schema }, { requiredKeys: ['name'] }),
        { minLength: 1, maxLength: 2 },
      ),
      function_call: fc.oneof(
        fc.constantFrom('none' as const, 'auto' as const),
        fc.record({ name: word }),
      ),
    } satisfies { [Name in keyof Request]?: fc.Arbitrary<Request[Name]> },
    some,
  )
  .chain((optional) =>
    fc
      .array(message, { minLength: 1, maxLength: 3 })
      .map((messages) => ({ model: 'gw:auto', messages, ...optional })),
  );

const context = fc.record({
  blocks: fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 128 }),
      text: fc.string({ minLength: 1 }),
      priority: fc.constantFrom('MUST', 'SHOULD', 'COULD'),
      value: fc.option(fc.integer({ min: 1, max: 10 })),
    }),
    { minLength: 1, maxLength: 5, selector: ({ id }) => id },
  ),
  role: fc.option(fc.constantFrom('system', 'user')),
});

/** The same with members that the wire does not know, which pass. */
export const extendedChat = fc
  .tuple(validChat, fc.dictionary(word, fc.jsonValue(), { maxKeys: 3 }), fc.option(context))
  .map(([body, more, gw_context]) => ({
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`x_${name}`, value])),
    ...body,
    gw_context,
  }));
