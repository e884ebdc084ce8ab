import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChatRequest } from '../../../src/inference/chat/request.js';
import { readEmbeddingsRequest } from '../../../src/inference/embeddings/request.js';
import { chatFaults } from '../../../src/inference/wire/chat-request.js';
import { embeddingsFaults } from '../../../src/inference/wire/embeddings-request.js';
import {
  CHAT_REQUEST_SCHEMA,
  EMBEDDINGS_REQUEST_SCHEMA,
} from '../../../src/inference/wire-schemas.js';
import { GatewayError } from '../../../src/kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../../src/kernel/json.js';
import { MALFORMED_CHATS, MALFORMED_EMBEDDINGS } from './malformed.js';
import { extendedChat, validChat } from './valid.js';

const ajv = new Ajv({ strict: false, allErrors: true });
const publishedChat = ajv.compile(CHAT_REQUEST_SCHEMA);
const publishedEmbeddings = ajv.compile(EMBEDDINGS_REQUEST_SCHEMA);

function chatPaths(body: JsonObject): string[] {
  return chatFaults(body, 0).map(({ path }) => path);
}

/** What a validator makes of a body: nothing where it passes. */
function errorsOf(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('a malformed chat body', () => {
  for (const { name, body, faults } of MALFORMED_CHATS) {
    it(`is refused with every fault named: ${name}`, () => {
      expect(chatPaths(body)).toEqual(faults);
      for (const fault of chatFaults(body, 0)) expect(fault.message).toContain(fault.path);
    });

    it(`is refused by the published schema: ${name}`, () => {
      expect(errorsOf(publishedChat, body)).not.toEqual([]);
    });
  }

  it('has its faults told together, each with its own place', () => {
    const body = {
      model: 5,
      messages: [{ role: 'tool', content: [null] }, 'hello'],
      seed: 'a',
      metadata: { feature: 1 },
    };
    expect(chatFaults(body, 0)).toEqual([
      { path: 'model', code: 'wrong_type', message: 'model must be a text.' },
      {
        path: 'messages.0.content.0',
        code: 'wrong_type',
        message: 'messages.0.content.0 must be a content part.',
      },
      {
        path: 'messages.0.tool_call_id',
        code: 'missing',
        message: 'messages.0.tool_call_id is missing: it must be a text that is not empty.',
      },
      {
        path: 'messages.1',
        code: 'wrong_type',
        message: 'messages.1 must be an object with role and content.',
      },
      {
        path: 'seed',
        code: 'wrong_type',
        message: `seed must be a whole number from ${-(2 ** 63)} to ${2 ** 63}.`,
      },
      {
        path: 'metadata.feature',
        code: 'wrong_type',
        message: 'metadata.feature must be a text of at most 512 characters.',
      },
    ]);
  });

  it('with many faults is read only until fifty of them are known', () => {
    const messages = Array.from({ length: 10_000 }, () => 5);
    expect(chatFaults({ model: 'm', messages }, 0)).toHaveLength(50);
  });

  it('counts the messages of the client, not those of a prompt before them', () => {
    const messages = [{ role: 'system', content: 'a' }, { role: 'user' }];
    expect(chatFaults({ model: 'm', messages }, 1)[0]?.path).toBe('messages.0.content');
  });
});

describe('a malformed embeddings body', () => {
  for (const { name, body, faults } of MALFORMED_EMBEDDINGS) {
    it(`is refused with every fault named, by the published schema too: ${name}`, () => {
      expect(embeddingsFaults(body).map(({ path }) => path)).toEqual(faults);
      expect(errorsOf(publishedEmbeddings, body)).not.toEqual([]);
    });
  }
});

describe('a request as the types of the client have it', () => {
  it('is accepted, members that the wire does not know included', () => {
    fc.assert(
      fc.property(extendedChat, (body) => {
        expect(chatFaults(body, 0)).toEqual([]);
        expect(errorsOf(publishedChat, body)).toEqual([]);
        expect(readChatRequest(body, JSON.stringify(body).length).size.textBytes).toBeGreaterThan(
          0,
        );
      }),
      { numRuns: 150 },
    );
  });

  it('may write out as null what it leaves out', () => {
    const names = Object.keys(CHAT_REQUEST_SCHEMA.properties as object);
    const optional = names.filter((name) => name !== 'model' && name !== 'messages');
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'a', name: null }],
      ...Object.fromEntries(optional.map((name) => [name, null])),
    };
    expect(chatFaults(body, 0)).toEqual([]);
    expect(errorsOf(publishedChat, body)).toEqual([]);
  });

  it('may hold kinds of parts, tools and calls that only a provider knows', () => {
    const body = {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'video_url', video_url: { url: 'https://v.test' } }] },
        { role: 'assistant', tool_calls: [{ type: 'search', query: 'a' }] },
      ],
      tools: [{ type: 'web_search' }],
      response_format: { type: 'structural_tag', format: {} },
    };
    expect(chatFaults(body, 0)).toEqual([]);
    expect(errorsOf(publishedChat, body)).toEqual([]);
  });
});

/** A body with one value of it, at any depth, replaced by any other. */
const disturbed = fc
  .tuple(validChat, fc.infiniteStream(fc.nat()), fc.jsonValue())
  .map(([body, choices, value]) => replaceSomewhere(body, choices, value) as JsonObject);

function replaceSomewhere(at: unknown, choices: Iterator<number>, value: unknown): unknown {
  const keys = typeof at === 'object' && at !== null ? Object.keys(at) : [];
  const choice = choices.next().value as number;
  const key = keys[choice % (keys.length + 1)];
  if (key === undefined) return value;
  const inner = replaceSomewhere((at as Record<string, unknown>)[key], choices, value);
  if (Array.isArray(at)) return at.map((each, index) => (String(index) === key ? inner : each));
  return { ...(at as object), [key]: inner };
}

describe('any JSON as a body', () => {
  const reads = [readChatRequest, readEmbeddingsRequest] as const;

  it('is read or refused as invalid_request, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), disturbed), fc.constantFrom(...reads), (body, read) => {
        try {
          read(body, Buffer.byteLength(JSON.stringify(body)));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
          expect((thrown as GatewayError).code).toBe('invalid_request');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is judged by the published schema as by the checks', () => {
    fc.assert(
      fc.property(disturbed, (body) => {
        const given = asObject(body);
        const asksForPrompt = given?.gw_prompt != null || asObject(given?.metadata)?.prompt_key;
        fc.pre(given !== undefined && !asksForPrompt);
        const passes = chatFaults(given as JsonObject, 0).length === 0;
        expect({ body, passes: publishedChat(body) }).toEqual({ body, passes });
      }),
      { numRuns: 600 },
    );
  });
});
