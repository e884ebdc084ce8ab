import { isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { openSchema } from '../../../src/app/schema.js';
import {
  typedFault,
  typedFaults,
  typedPath,
  wireBody,
} from '../../../src/inference/chat/typed/body.rules.js';
import { CHAT_REQUEST, chatFaults } from '../../../src/inference/wire/chat-request.js';

const schema = await openSchema();

const TYPED = {
  model: 'gw:auto',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      name: 'ivan',
      parts: [
        { text: 'What is this?' },
        { imageUrl: { url: 'https://p.test/1.png', detail: 'low' } },
        { inputAudio: { data: 'QUJD', format: 'mp3' } },
        { file: { fileData: 'QUJD', filename: 'a.txt' } },
        { other: { type: 'video_url', video_url: { url: 'https://v.test' } } },
      ],
    },
    {
      role: 'assistant',
      toolCalls: [
        { id: 'c1', function: { name: 'see', arguments: '{}' } },
        { id: 'c2', custom: { name: 'say', input: 'a' } },
      ],
    },
    { role: 'tool', toolCallId: 'c1', content: 'a cat' },
  ],
  prompt: { key: 'k', version: 2, variables: { clientName: 'x' } },
  approval: { waitSeconds: 5, reason: 'now' },
  metadata: {
    feature: 'f',
    clientId: 'c',
    dataClass: 'C2',
    writes: true,
    more: { teamName: 't' },
  },
  tools: [
    { function: { name: 'see', parameters: { additionalProperties: false }, strict: true } },
    { custom: { name: 'say', format: { type: 'text' } } },
    { other: { type: 'web_search' } },
  ],
  toolChoice: { function: 'see' },
  parallelToolCalls: false,
  responseFormat: { jsonSchema: { name: 'a', schema: { maxLength: 5 }, strict: true } },
  maxTokens: 10,
  logitBias: { 5: 1 },
  stop: ['a'],
  more: { storeIt: true, model: 'not this one' },
};

const WIRE = {
  storeIt: true,
  model: 'gw:auto',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      name: 'ivan',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://p.test/1.png', detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'QUJD', format: 'mp3' } },
        { type: 'file', file: { file_data: 'QUJD', filename: 'a.txt' } },
        { type: 'video_url', video_url: { url: 'https://v.test' } },
      ],
    },
    {
      role: 'assistant',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'see', arguments: '{}' } },
        { id: 'c2', type: 'custom', custom: { name: 'say', input: 'a' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
  ],
  gw_prompt: { key: 'k', version: 2, variables: { clientName: 'x' } },
  gw_approval: { wait_seconds: 5, reason: 'now' },
  metadata: { feature: 'f', client_id: 'c', data_class: 'C2', writes: true, teamName: 't' },
  tools: [
    {
      type: 'function',
      function: { name: 'see', parameters: { additionalProperties: false }, strict: true },
    },
    { type: 'custom', custom: { name: 'say', format: { type: 'text' } } },
    { type: 'web_search' },
  ],
  tool_choice: { type: 'function', function: { name: 'see' } },
  parallel_tool_calls: false,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'a', schema: { maxLength: 5 }, strict: true },
  },
  max_tokens: 10,
  logit_bias: { 5: 1 },
  stop: ['a'],
};

describe('a typed chat request', () => {
  it('becomes a body of the wire, what is the caller’s own kept as it is', () => {
    expect(wireBody(TYPED)).toEqual(WIRE);
    expect(chatFaults(wireBody(TYPED), 0)).toEqual([]);
  });

  it('says each choice of a tool and each form of an answer', () => {
    expect(wireBody({ toolChoice: { mode: 'required' } })).toEqual({ tool_choice: 'required' });
    expect(wireBody({ toolChoice: { custom: 'say' } })).toEqual({
      tool_choice: { type: 'custom', custom: { name: 'say' } },
    });
    expect(wireBody({ responseFormat: { kind: 'json_object' } })).toEqual({
      response_format: { type: 'json_object' },
    });
  });

  it('leaves out what is left out', () => {
    const messages = [{ role: 'user', content: 'a' }];
    expect(wireBody({ model: 'm', messages })).toEqual({ model: 'm', messages });
  });

  it('has only fields that the wire has', () => {
    const type = schema.getType('ChatInput');
    if (!isInputObjectType(type)) throw new TypeError('ChatInput is no input');
    const fields = Object.keys(type.getFields()).filter((name) => name !== 'more');
    const names = Object.keys(
      wireBody(Object.fromEntries(fields.map((name) => [name, name === 'metadata' ? {} : 1]))),
    );
    const missing = names.filter((name) => !(name in (CHAT_REQUEST.schema.properties as object)));
    expect(missing).toEqual([]);
  });

  it('has its faults named where they stand in it', () => {
    const paths = [
      ['messages.1.content.0.image_url.url', 'input.messages.1.parts.0.imageUrl.url'],
      ['messages.0.content', 'input.messages.0.content'],
      ['gw_prompt.key', 'input.prompt.key'],
      ['metadata.client_id', 'input.metadata.clientId'],
    ] as const;
    for (const [wire, typed] of paths) expect(typedPath(wire)).toBe(typed);
    const fault = { path: 'max_tokens', code: 'wrong_type', message: 'max_tokens must be 1.' };
    expect(typedFault(fault as Parameters<typeof typedFault>[0])).toEqual({
      path: 'input.maxTokens',
      code: 'wrong_type',
      message: 'input.maxTokens must be 1.',
    });
  });

  it('is refused where it says a thing twice or decides what its field decides', () => {
    const faults = typedFaults({
      messages: [{ role: 'user', content: 'a', parts: [{ text: 'b' }] }],
      more: { stream: true, stream_options: {} },
      metadata: { more: 'x' },
    });
    expect(faults.map(({ path }) => path)).toEqual([
      'input.metadata.more',
      'input.more.stream',
      'input.more.stream_options',
      'input.messages.0.parts',
    ]);
  });
});
