import { afterAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import type { StreamAnswer } from '../../../src/inference/upstream/call.js';
import { UpstreamAborted, UpstreamFailure } from '../../../src/inference/upstream/failure.js';
import { countChatInput } from '../../../src/inference/upstream/tokens.js';
import { drain } from './lanes.js';
import { type Body, call, upstream, whole } from './sandbox-call.js';

const tokenizer = await loadTokenizer();
afterAll(() => upstream.close());

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const weather = (name: string) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['Moscow', 'Kazan'] },
        days: { type: 'integer' },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
});

describe('a simulated answer', () => {
  it('is of the full shape, says that it is simulated and repeats the user', async () => {
    const body = user('Меня зовут Иван');
    const answer = await whole(body);
    const text = 'Имитация ответа. Вы написали: Меня зовут Иван';
    const prompt = countChatInput(tokenizer, body.messages);
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'gw-mini',
      simulated: true,
      system_fingerprint: 'sandbox',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: tokenizer.count(text),
        total_tokens: prompt + tokenizer.count(text),
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it('is the same for the same request', async () => {
    const [one, other] = [await whole(user('x')), await whole(user('x'))];
    expect({ ...one, created: 0 }).toEqual({ ...other, created: 0 });
    expect((await whole(user('y'))).id).not.toBe(one.id);
  });

  it('reads content parts and counts images', async () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    ];
    const answer = await whole(user(parts), 'sandbox/gw-pro');
    expect(answer.choices[0].message.content).toBe(
      'Simulated answer. You wrote: What is this? Images: 1.',
    );
    expect(answer.usage.prompt_tokens).toBeGreaterThan(700);
  });

  it('is cut at max_tokens with the reason length, at max_completion_tokens too', async () => {
    for (const name of ['max_tokens', 'max_completion_tokens']) {
      const answer = await whole({ ...user('раз два три четыре пять'), [name]: 4 });
      expect(answer.choices[0].finish_reason).toBe('length');
      expect(answer.usage.completion_tokens).toBe(4);
      expect(tokenizer.count(answer.choices[0].message.content)).toBeLessThanOrEqual(4);
    }
  });

  it('ends before the first stop sequence', async () => {
    const answer = await whole({ ...user('one two three'), stop: ['three', 'two'] });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Simulated answer. You wrote: one ' },
    });
  });

  it('has n choices that differ', async () => {
    const { choices } = await whole({ ...user('hi'), n: 3 });
    const texts = choices.map((choice: { message: { content: string } }) => choice.message.content);
    expect(new Set(texts).size).toBe(3);
  });

  it('has logprobs for each token where asked', async () => {
    const { choices } = await whole({ ...user('hi'), logprobs: true, top_logprobs: 2 });
    const [{ logprobs, message }] = choices;
    const tokens = logprobs.content.map((entry: { token: string }) => entry.token);
    expect(tokens.join('')).toBe(message.content);
    expect(logprobs.content[0].top_logprobs).toHaveLength(2);
    expect(logprobs.content[0]).toMatchObject({ logprob: -0.1, bytes: expect.any(Array) });
  });

  it('counts reasoning tokens by the effort, inside the limit', async () => {
    const body = { ...user('think'), reasoning_effort: 'high' };
    const free = await whole(body, 'sandbox/gw-pro');
    expect(free.usage.completion_tokens_details.reasoning_tokens).toBe(256);
    const tight = await whole({ ...body, max_completion_tokens: 10 }, 'sandbox/gw-pro');
    expect(tight.usage).toMatchObject({
      completion_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 9 },
    });
  });
});

describe('tools', () => {
  const calls = async (body: Body) => {
    const answer = await whole(body);
    return (answer.choices[0].message.tool_calls ?? []).map(
      (one: { function: { name: string; arguments: string } }) => [
        one.function.name,
        JSON.parse(one.function.arguments),
      ],
    );
  };
  const tools = [weather('get_weather'), weather('send_report')];

  it('that are forced are called with arguments of their schema', async () => {
    const forced = { type: 'function', function: { name: 'send_report' } };
    const body = { ...user('for Kazan'), tools, tool_choice: forced };
    expect(await calls(body)).toEqual([['send_report', { city: 'Kazan', days: 1 }]]);
    const answer = await whole(body);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ type: 'function', id: expect.any(String) }] },
    });
  });

  it.each([
    ['required calls one though none fits', 'required', 'hello', ['get_weather']],
    [
      'required calls all that fit',
      'required',
      'weather and report',
      ['get_weather', 'send_report'],
    ],
    ['auto calls what the message mentions', 'auto', 'the weather?', ['get_weather']],
    ['auto calls nothing that is not mentioned', 'auto', 'hello', []],
    ['none calls nothing', 'none', 'the weather?', []],
  ])('%s', async (_, tool_choice, text, names) => {
    const made = await calls({ ...user(text), tools, tool_choice });
    expect(made.map(([name]: [string]) => name)).toEqual(names);
  });

  it('are called one at a time without parallel calls', async () => {
    const body = { ...user('weather and report'), tools, parallel_tool_calls: false };
    expect(await calls(body)).toHaveLength(1);
  });

  it('are not called again once their result is there; the answer repeats it', async () => {
    const messages = [
      { role: 'user', content: 'the weather?' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', tool_call_id: 'x', content: 'It rains.' },
    ];
    const answer = await whole({ messages, tools });
    expect(answer.choices[0].message.content).toBe('Simulated answer. You wrote: It rains.');
  });
});

describe('response formats', () => {
  it('json_object gives an object', async () => {
    const answer = await whole({ ...user('hi'), response_format: { type: 'json_object' } });
    expect(JSON.parse(answer.choices[0].message.content)).toEqual({ simulated: true, echo: 'hi' });
  });

  it('json_schema gives an instance of the schema', async () => {
    const schema = {
      type: 'object',
      properties: { status: { type: 'string', enum: ['ok'] } },
      required: ['status'],
      additionalProperties: false,
    };
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 's', strict: true, schema },
    };
    const answer = await whole({ ...user('hi'), response_format });
    expect(answer.choices[0].message.content).toBe('{"status":"ok"}');
  });
});

describe('streams', () => {
  async function streamed(body: Body) {
    const answer = await call('sandbox/gw-mini', {
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    return drain(answer as StreamAnswer);
  }

  it('carry the text and the usage of the whole answer', async () => {
    const body = user('Привет 🙂, как дела?');
    const expected = await whole(body);
    expect(await streamed(body)).toMatchObject({
      text: expected.choices[0].message.content,
      usage: [expected.usage],
      end: { kind: 'done' },
    });
  });

  it('carry calls whose pieces of arguments make valid JSON', async () => {
    const answer = await call('sandbox/gw-mini', {
      ...user('weather in Kazan and report'),
      tools: [weather('get_weather'), weather('send_report')],
      stream: true,
    });
    const made: string[] = [];
    await new Promise<void>((resolve) => {
      (answer as StreamAnswer).stream.start({
        onEvents: (bytes) => {
          for (const event of bytes.toString('utf8').split('\n\n').filter(Boolean)) {
            const [choice] = JSON.parse(event.slice(6)).choices;
            for (const one of choice.delta.tool_calls ?? []) {
              made[one.index] = (made[one.index] ?? '') + one.function.arguments;
            }
          }
          return true;
        },
        onUsage: () => true,
        onEnd: () => resolve(),
      });
    });
    expect(made.map((text) => JSON.parse(text))).toEqual([
      { city: 'Kazan', days: 1 },
      { city: 'Kazan', days: 1 },
    ]);
  });

  it('wait for a slow reader and lose nothing', async () => {
    const answer = (await call('sandbox/gw-mini', {
      ...user('слово '.repeat(300)),
      stream: true,
    })) as StreamAnswer;
    const { text, end } = await drain(answer, () => {
      setImmediate(() => answer.stream.resume());
      return false;
    });
    expect(text.match(/слово/g)).toHaveLength(300);
    expect(end).toEqual({ kind: 'done' });
  });
});

describe('what the metadata asks for', () => {
  const asking = (metadata: Body, more: Body = {}) => ({ ...user('hi'), metadata, ...more });

  it.each([
    ['400', 'upstream_rejected'],
    ['429', 'upstream_rate_limited'],
    ['500', 'upstream_failed'],
    ['reset', 'upstream_failed'],
    ['timeout', 'upstream_timeout'],
  ])('the error %s comes out as %s', async (sandbox_error, code) => {
    const error = await call('sandbox/gw-pro', asking({ sandbox_error })).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UpstreamFailure);
    expect(error.code).toBe(code);
  });

  it('a failing model falls back to the next of its chain', async () => {
    const body = asking({ sandbox_error: '500', sandbox_error_model: 'gw-mini' });
    const answer = await call('sandbox/gw-mini', body);
    expect(answer.deployment.id).toBe('sandbox/gw-pro');
    expect(answer.attempts.map((one) => one.error)).toEqual(['server_error', null]);
  });

  it.each([
    ['cut_after_4', 'cut'],
    ['error_after_4', 'server_error'],
  ])('%s breaks a stream that has begun', async (sandbox_error, error) => {
    const answer = await call('sandbox/gw-mini', asking({ sandbox_error }, { stream: true }));
    expect(await drain(answer as StreamAnswer)).toMatchObject({
      events: 4,
      end: { kind: 'failed', error },
    });
  });

  it('usage is left out, or holds cached tokens', async () => {
    expect(await whole(asking({ sandbox_usage: 'none' }))).not.toHaveProperty('usage');
    const cached = await whole(asking({ sandbox_cached_tokens: '5' }));
    expect(cached.usage.prompt_tokens_details.cached_tokens).toBe(5);
  });

  it('a client that leaves during the delay ends the call', async () => {
    const client = new AbortController();
    const answer = call('sandbox/gw-mini', asking({ sandbox_delay_ms: '60000' }), client.signal);
    setTimeout(() => client.abort(), 10);
    await expect(answer).rejects.toBeInstanceOf(UpstreamAborted);
  });

  it('failures made to order never open a breaker', async () => {
    for (let index = 0; index < 6; index += 1) {
      await call('sandbox/gw-pro', asking({ sandbox_error: '500' })).catch(() => undefined);
    }
    expect(upstream.health().every((one) => one.state === 'closed')).toBe(true);
  });
});

describe('invalid requests', () => {
  it.each<[string, Body]>([
    ['without messages', { messages: [] }],
    ['with a tool choice without tools', { ...user('x'), tool_choice: 'required' }],
    ['with too many choices', { ...user('x'), n: 99 }],
    ['past the window', user('слово '.repeat(40_000))],
    [
      'with a schema that has no instance',
      {
        ...user('x'),
        response_format: { type: 'json_schema', json_schema: { schema: { $ref: '#/nowhere' } } },
      },
    ],
  ])('%s are rejected with 400', async (_, body) => {
    const error = await call('sandbox/gw-mini', body).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'upstream_rejected', status: 400 });
  });
});
