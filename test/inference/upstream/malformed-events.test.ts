import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StreamEnd, StreamSink } from '../../../src/inference/upstream/call.js';
import {
  type Behaviour,
  startUpstreamDouble,
  type UpstreamDouble,
} from '../../support/upstream-double.mjs';
import { begun, drain, type Lanes, LONG, makeLanes, until, whole } from './lanes.js';

const TEXT = 'Привет, this is the double speaking 🙂 and it ends here.';

let double: UpstreamDouble;
let lanes: Lanes;
beforeAll(async () => {
  double = await startUpstreamDouble();
});
afterAll(async () => {
  await lanes.upstream.close();
  await double.close();
});
beforeEach(async () => {
  await lanes?.upstream.close();
  const plans = ['a', 'b'].map((name) => ({ name, origin: double.origin }));
  lanes = makeLanes(plans, LONG);
  for (const name of ['a', 'b']) double.script(name, {});
});

const READS: readonly (readonly [string, Behaviour])[] = [
  ['in one read', { oneWrite: true }],
  ['in many reads', { gapMs: 2 }],
  ['in pieces', { splitBytes: 31 }],
];

const BROKEN = [
  'data: {"choices":[{"delta":{"content":"a"}\n\n',
  'data: {"choices":[{"delta":{"content":"}]}"}\n\n',
  'data: {"choices":[{"delta":{"content":\n\n',
  'data: {"choices":[{"delta":{"content":}}]}\n\n',
  'data: {"error"\n\n',
  'data: {"usage":{"prompt_tokens":}}\n\n',
  'data: [DONT]\n\n',
  'data: hello\n\n',
  'event: message\ndata: {"choices":\ndata: [}\n\n',
];

const PASSED_OVER = [
  'data: null\n\n',
  'data: [1]\n\n',
  'data: 1e999\n\n',
  'data: "text"\n\n',
  'data:\n\n',
  'data: \t \n\n',
  ': comment\n\n',
  'event: ping\nid: 7\n\n',
  'data: ["error"]\n\n',
  'retry: 1\n\n',
];

describe.each(READS)('an event that is no JSON, %s', (_, reads) => {
  it.each(BROKEN)(
    'ends a stream that has begun as the fault of the provider: %j',
    async (insert) => {
      double.script('a', { ...reads, insertAfter: 4, insert });
      const drained = await drain(await begun(lanes, ['a', 'b']));
      const message = 'the provider sent a stream that cannot be read';
      expect(drained.end).toEqual({ kind: 'failed', error: 'invalid_answer', message });
      expect(drained.events).toBe(4);
      expect(TEXT.startsWith(drained.text)).toBe(true);
      expect(lanes.upstream.health()[0]).toMatchObject({ calls: 1, failures: 1 });
    },
  );

  it.each(BROKEN)('before any content lets another deployment answer: %j', async (insert) => {
    double.script('a', { ...reads, insertAfter: 1, insert });
    const answer = await begun(lanes, ['a', 'b']);
    expect(answer.attempts.map((one) => [one.providerId, one.error, one.counted])).toEqual([
      ['a', 'invalid_answer', true],
      ['b', null, false],
    ]);
    expect(await drain(answer)).toMatchObject({ text: TEXT, end: { kind: 'done' } });
  });
});

describe.each(READS)('an event that says nothing, %s', (_, reads) => {
  it.each([0, 5].flatMap((at) => PASSED_OVER.map((insert) => [at, insert] as const)))(
    'is passed over at %i: %j',
    async (insertAfter, insert) => {
      double.script('a', { ...reads, insertAfter, insert });
      const drained = await drain(await begun(lanes, ['a']));
      expect(drained).toMatchObject({ text: TEXT, events: 13, end: { kind: 'done' } });
    },
  );
});

describe('an event', () => {
  it('beyond 4 MiB ends the stream as a fault of the provider', async () => {
    const insert = `data: {"choices":[{"delta":{"content":"${'x'.repeat(5 * 1024 * 1024)}"}}]}\n\n`;
    double.script('a', { insertAfter: 4, insert });
    const drained = await drain(await begun(lanes, ['a', 'b']));
    expect(drained.end).toMatchObject({ kind: 'failed', error: 'invalid_answer' });
    double.script('a', { insertAfter: 0, insert });
    expect((await begun(lanes, ['a', 'b'])).deployment.providerId).toBe('b');
  });

  it('with bytes that are no UTF-8 comes as valid text, and the stream goes on', async () => {
    double.script('a', { latin: true, text: 'caf\u00e9 au lait', oneWrite: true });
    const bytes: Buffer[] = [];
    const answer = await begun(lanes, ['a']);
    const end = await new Promise<StreamEnd>((resolve) => {
      answer.stream.start(sink({ onEvents: (events) => bytes.push(events) > 0, onEnd: resolve }));
    });
    expect(end).toEqual({ kind: 'done' });
    const text = new TextDecoder('utf8', { fatal: true }).decode(Buffer.concat(bytes));
    expect(text).toContain('caf\ufffd');
    expect(text).toContain('lait');
  });

  it('with braces and brackets in its text comes as the bytes that were sent', async () => {
    const text = 'an } open { and ] some [[ more ,} here :] end';
    double.script('a', { text });
    expect(await drain(await begun(lanes, ['a']))).toMatchObject({ text, end: { kind: 'done' } });
  });
});

describe('a stream without any answer', () => {
  const role = '{"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}';
  const usage = '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":900}}';
  const noChoice = '{"choices":[]}';
  it.each([
    ['only the role', [role]],
    ['no choice at all', [noChoice, noChoice]],
    ['usage alone', [role, usage]],
    ['choices that are no list', ['{"choices":{"0":{"delta":{"content":"x"}}}}']],
    ['choices that are no objects', ['{"choices":["x"]}', '{"choices":[null]}']],
    ['no choice for a hundred kilobytes', Array.from({ length: 5_000 }, () => noChoice)],
  ])('but %s is a fault of the provider, and another one answers', async (_, chunks) => {
    const raw = [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
    double.script('a', { raw });
    const drained: unknown[] = [];
    const answer = await begun(lanes, ['a', 'b']);
    drained.push(answer.attempts[0]?.error ?? (await drain(answer)).end);
    const late = {
      kind: 'failed',
      error: 'invalid_answer',
      message: 'the provider sent no answer',
    };
    expect(drained).toEqual([chunks.length > 100 ? late : 'invalid_answer']);
    expect(lanes.upstream.health()[0]).toMatchObject({ failures: 1 });
  });
});

describe('a whole answer', () => {
  const message = { role: 'assistant', content: 'x' };
  it.each([
    ['has no choice', { choices: [] }],
    ['has choices that are no list', { choices: { 0: { message } } }],
    ['has choices without a message', { choices: [{ index: 0, text: 'x' }] }],
    ['has a message that is no object', { choices: [{ message: 'x' }] }],
    ['has null among its choices', { choices: [{ message }, null] }],
    ['is a list', [{ choices: [{ message }] }]],
    ['has an error beside its choices', { error: { message: 'no' }, choices: [{ message }] }],
  ])('that %s is a fault of the provider, and another one answers', async (_, body) => {
    double.script('a', { raw: JSON.stringify(body) });
    const answer = await whole(lanes, ['a', 'b']);
    expect(answer.deployment.providerId).toBe('b');
    expect(answer.attempts[0]).toMatchObject({ counted: true, status: 200 });
  });

  it.each([
    ['with several choices', { choices: [{ message }, { message }] }],
    ['with blanks', `{ "choices" : [ { "message" : ${JSON.stringify(message)} } ] }\n`],
    ['whose error is null', { choices: [{ message }], error: null }],
    ['whose text looks odd', { choices: [{ message: { content: '}, n "error" []' } }] }],
    ['whose text is empty', { choices: [{ message: { content: null }, finish_reason: 'stop' }] }],
  ])('%s is one, in the bytes that were sent', async (_, body) => {
    const raw = typeof body === 'string' ? body : JSON.stringify(body);
    double.script('a', { raw });
    const answer = await whole(lanes, ['a', 'b']);
    expect([answer.deployment.providerId, answer.body.toString('utf8')]).toEqual(['a', raw]);
  });
});

describe('a reader that throws', () => {
  const odd = new Error('a fault of our own');
  const throwing = () => {
    throw odd;
  };
  const throwers: readonly (readonly [string, Partial<StreamSink>, Behaviour])[] = [
    ['at events that were held for it', { onEvents: throwing }, { oneWrite: true }],
    ['at events that come', { onEvents: throwing }, { gapMs: 5 }],
    ['at usage', { onUsage: throwing }, { gapMs: 5 }],
    ['at usage that was held for it', { onUsage: throwing }, { oneWrite: true }],
  ];
  it.each(throwers)(
    '%s ends its stream once, as a fault of ours that counts against nobody',
    async (_, thrower, behaviour) => {
      double.script('a', { ...behaviour, neverEnds: true, repeat: 20 });
      const mark = double.log.length;
      const message = 'the answer could not be passed on';
      const oneStream = async () => {
        const answer = await begun(lanes, ['a']);
        const ends: StreamEnd[] = [];
        answer.stream.start(sink({ ...thrower, onEnd: (end) => ends.push(end) }));
        await until(() => ends.length > 0);
        await until(() => double.log.slice(mark).every(({ end }) => end !== 'open'));
        expect(ends).toEqual([{ kind: 'failed', error: 'internal', message, cause: odd }]);
      };
      await Promise.all(Array.from({ length: 8 }, oneStream));
      expect(lanes.upstream.health()[0]).toMatchObject({ state: 'closed', calls: 8, failures: 0 });
    },
  );

  it('at its end does no harm', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note).on('uncaughtException', note);
    const answer = await begun(lanes, ['a']);
    let told = 0;
    answer.stream.start(
      sink({
        onEnd: () => {
          told += 1;
          throw odd;
        },
      }),
    );
    await until(() => told > 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note).off('uncaughtException', note);
    expect([told, unhandled]).toEqual([1, []]);
    expect(lanes.upstream.health()[0]).toMatchObject({ failures: 0 });
  });

  it('and a reader that leaves while it is given what was held are told nothing more', async () => {
    double.script('a', { oneWrite: true, insertAfter: 3, insert: 'data: {"usage":{"a":1}}\n\n' });
    const answer = await begun(lanes, ['a']);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const seen: string[] = [];
    answer.stream.start({
      onEvents: () => {
        seen.push('events');
        answer.stream.abort();
        return false;
      },
      onUsage: () => seen.push('usage') > 0,
      onEnd: ({ kind }) => seen.push(kind),
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen.filter((one) => one === 'done' || one === 'aborted')).toHaveLength(1);
  });
});

function sink(more: Partial<StreamSink>): StreamSink {
  return { onEvents: () => true, onUsage: () => true, onEnd: () => undefined, ...more };
}
