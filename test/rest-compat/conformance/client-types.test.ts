import type { ValidateFunction } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import {
  callsAnswer,
  callsStream,
  jsonAnswer,
  packedAnswer,
  vectorsAnswer,
} from '../clients/answers.js';
import { startWorld, type World } from '../clients/world.js';
import { clientValidators } from './client-schemas.js';
import type { Wire } from './wire-types.js';

let world: World;
let customer: Customer;
let validatorOf: (name: keyof Wire) => ValidateFunction;
beforeAll(async () => {
  validatorOf = clientValidators();
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
});
afterAll(() => world?.stop());

/** Every fault of a value as the type of the client package sees it. */
function faultsOf(name: keyof Wire, value: unknown): string[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

async function post(path: string, body: Record<string, unknown>) {
  return rest(world.app, 'POST', path, { credential: customer.key, body });
}

/** The chunks of a streamed answer, as they stand on the wire. */
async function chunksOf(body: Record<string, unknown>): Promise<unknown[]> {
  const answer = await post('/v1/chat/completions', { ...body, stream: true });
  expect(answer.status).toBe(200);
  const lines = String(answer.body)
    .split('\n')
    .filter((line) => line.startsWith('data: '));
  expect(lines.at(-1)).toBe('data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
}

const MESSAGES = [{ role: 'user', content: 'Какая погода в Казани?' }];
const TOOLS = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    strict: true,
    schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  },
};
/** Bodies that use what the wire has, one feature each. */
const FEATURES: Readonly<Record<string, Record<string, unknown>>> = {
  plain: {},
  'several choices': { n: 3 },
  'a tool call': { tools: TOOLS, tool_choice: 'required' },
  'a schema': { response_format: FORMAT },
  logprobs: { logprobs: true, top_logprobs: 2 },
  'a cut answer': { max_tokens: 3 },
  usage: { stream_options: { include_usage: true } },
};

describe('the validators', () => {
  it('refuse what the types refuse', () => {
    expect(faultsOf('completion', {})).toContain(" must have required property 'choices'");
    const chunk = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm' };
    expect(faultsOf('chunk', { ...chunk, choices: [] })).toEqual([]);
    expect(faultsOf('chunk', { ...chunk, choices: [{ index: 0 }] })).not.toEqual([]);
    expect(faultsOf('model', { id: 'm', object: 'model', created: '1', owned_by: 'o' })).toEqual([
      '/created must be number',
    ]);
  });
});

describe('an answer of the sandbox is what the client types say', () => {
  for (const [feature, added] of Object.entries(FEATURES)) {
    const body = { model: 'sandbox/gw-mini', messages: MESSAGES, ...added };

    it(`whole, with ${feature}`, async () => {
      const answer = await post('/v1/chat/completions', body);
      expect(answer.status).toBe(200);
      expect(faultsOf('completion', answer.body)).toEqual([]);
    });

    it(`streamed, with ${feature}`, async () => {
      for (const chunk of await chunksOf(body)) {
        expect(faultsOf('chunk', chunk)).toEqual([]);
      }
    });
  }

  it('embeddings', async () => {
    for (const input of ['один', ['один', 'два'], [1, 2, 3], [[1], [2, 3]]]) {
      const answer = await post('/v1/embeddings', { model: 'sandbox/gw-embed', input });
      expect(faultsOf('embeddings', answer.body)).toEqual([]);
    }
  });
});

describe('an answer of a provider that says little is completed', () => {
  it('whole: without refusal, logprobs, usage and id', async () => {
    await world.script(
      'main',
      jsonAnswer({
        id: 'a',
        object: 'chat.completion',
        created: 1,
        model: 'x',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Да.' }, finish_reason: 'stop' },
        ],
      }),
      callsAnswer({ name: 'weather', arguments: {} }),
    );
    for (const expected of ['stop', 'tool_calls']) {
      const body = { model: 'main/chat', messages: MESSAGES };
      const answer = await post('/v1/chat/completions', body);
      expect(faultsOf('completion', answer.body)).toEqual([]);
      expect(answer.body).toMatchObject({
        choices: [{ finish_reason: expected, logprobs: null, message: { refusal: null } }],
        usage: {
          prompt_tokens_details: { cached_tokens: expect.any(Number) },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      });
    }
  });

  it('streamed', async () => {
    await world.script('main', callsStream({ name: 'weather', arguments: { city: 'Казань' } }), {});
    for (let count = 0; count < 2; count += 1) {
      for (const chunk of await chunksOf({ model: 'main/chat', messages: MESSAGES })) {
        expect(faultsOf('chunk', chunk)).toEqual([]);
      }
    }
  });

  it('embeddings as floats', async () => {
    for (const answer of [vectorsAnswer, packedAnswer]) {
      await world.script('main', answer([1, 0]));
      const answered = await post('/v1/embeddings', { model: 'main/embed', input: 'один' });
      expect(faultsOf('embeddings', answered.body)).toEqual([]);
    }
  });
});

it('models are what the client types say', async () => {
  const options = { credential: customer.key };
  const list = await rest<{ object: string; data: { id: string }[] }>(
    world.app,
    'GET',
    '/v1/models',
    options,
  );
  expect(list.body.object).toBe('list');
  for (const model of list.body.data) expect(faultsOf('model', model)).toEqual([]);
  for (const { id } of list.body.data) {
    const one = await rest(world.app, 'GET', `/v1/models/${id}`, options);
    expect(faultsOf('model', one.body)).toEqual([]);
  }
});

describe('an error is what the client types say', () => {
  const CASES: readonly [string, string, unknown, number][] = [
    ['no such model', '/v1/chat/completions', { model: 'none', messages: MESSAGES }, 404],
    ['a bad body', '/v1/chat/completions', { model: 'main/chat' }, 400],
    ['no such path', '/v1/responses', {}, 404],
    ['a bad input', '/v1/embeddings', { model: 'main/embed', input: [] }, 400],
    ['management', '/v1/gw/policies', { limits: { rpm: 0 } }, 400],
  ];
  for (const [name, path, body, status] of CASES) {
    it(name, async () => {
      const answer = await rest<{ error: Record<string, unknown> }>(world.app, 'POST', path, {
        credential: customer.key,
        body,
      });
      expect(answer.status).toBe(status);
      expect(faultsOf('error', answer.body.error)).toEqual([]);
      expect(Object.keys(answer.body)).toEqual(['error']);
    });
  }
});
