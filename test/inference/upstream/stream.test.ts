import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { begun, drain, type Lanes, LONG, makeLanes, until } from './lanes.js';

const TEXT = 'Привет, this is the double speaking 🙂 and it ends here.';
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const DONE = { kind: 'done' };

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
  lanes = makeLanes(['a', 'b'].map((name) => ({ name, origin: double.origin })));
  for (const name of ['a', 'b']) double.script(name, {});
});

describe('a stream', () => {
  it('hands on every event and the usage, and ends as done', async () => {
    const answer = await begun(lanes, ['a']);
    expect(answer.attempts.map((one) => one.error)).toEqual([null]);
    expect(await drain(answer)).toEqual({ text: TEXT, events: 13, usage: [USAGE], end: DONE });
  });

  it.each([
    ['a byte at a time', { splitBytes: 1 }],
    ['three bytes at a time', { splitBytes: 3 }],
    ['with carriage returns', { carriageReturns: true }],
    ['with carriage returns, a byte at a time', { carriageReturns: true, splitBytes: 1 }],
    ['without the final mark but with a reason to finish', { withoutDone: true }],
    ['on a connection that stays open after the mark', { neverEnds: true }],
  ])('is the same %s', async (_, behaviour) => {
    double.script('a', behaviour);
    const patient = makeLanes([{ name: 'a', origin: double.origin }], LONG);
    const drained = await drain(await begun(patient, ['a']));
    expect(drained).toMatchObject({ text: TEXT, usage: [USAGE], end: DONE });
    await patient.upstream.close();
  });

  it('without usage figures is done without them', async () => {
    double.script('a', { usage: null });
    expect(await drain(await begun(lanes, ['a']))).toMatchObject({ usage: [], end: DONE });
  });

  it('keeps what came before it was started', async () => {
    const answer = await begun(lanes, ['a']);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await drain(answer)).toMatchObject({ text: TEXT, end: DONE });
  });

  it('uses its connection again', async () => {
    for (let call = 0; call < 3; call += 1) {
      await drain(await begun(lanes, ['a']));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lanes.upstream.egress()).toMatchObject([{ connections: 1, requests: 3 }]);
  });
});

describe('before the first content', () => {
  it.each([
    ['cuts it', { cutAfter: 1 }, 'cut'],
    ['is silent after its headers', { silentAfterHeaders: true }, 'first_byte_timeout'],
    ['is silent after the role', { silentAfter: 1 }, 'first_byte_timeout'],
    ['sends an error event', { errorAfter: 1 }, 'server_error'],
    ['ends without content', { raw: 'data: [DONE]\n\n' }, 'invalid_answer'],
    ['sends what is no stream', { raw: 'data: hello\n\n' }, 'invalid_answer'],
  ])('another deployment takes over when the first %s', async (_, behaviour, error) => {
    double.script('a', behaviour);
    const answer = await begun(lanes, ['a', 'b']);
    expect(answer.attempts.map((one) => [one.providerId, one.error])).toEqual([
      ['a', error],
      ['b', null],
    ]);
    expect(await drain(answer)).toMatchObject({ text: TEXT, events: 13, end: DONE });
  });
});

describe('after the first content', () => {
  it.each([
    ['a cut', { cutAfter: 4 }, 'cut'],
    ['a silence', { silentAfter: 4 }, 'gap_timeout'],
    ['an error event', { errorAfter: 4 }, 'server_error'],
    [
      'an end without a reason to finish',
      { withoutDone: true, withoutFinish: true, usage: null },
      'cut',
    ],
  ])('%s is the end and never a fall-over', async (_, behaviour, error) => {
    double.script('a', behaviour);
    const mark = double.log.length;
    const drained = await drain(await begun(lanes, ['a', 'b']));
    expect(drained.end).toMatchObject({ kind: 'failed', error });
    expect(TEXT.startsWith(drained.text)).toBe(true);
    expect(drained.text).not.toBe('');
    expect(double.log.slice(mark).map(({ lane }) => lane)).toEqual(['a']);
  });

  it('breaks count against the deployment', async () => {
    double.script('a', { cutAfter: 4 });
    await drain(await begun(lanes, ['a']));
    expect(lanes.upstream.health()[0]).toMatchObject({ calls: 1, failures: 1 });
  });

  it('the text of an error is never handed on as content', async () => {
    double.script('a', { errorAfter: 4 });
    const drained = await drain(await begun(lanes, ['a']));
    expect(drained.text).not.toContain('double broke');
    expect(drained.events).toBe(4);
  });
});

describe('the reader', () => {
  it('who goes away stops the upstream at once', async () => {
    double.script('a', { repeat: 500, gapMs: 2 });
    const client = new AbortController();
    const mark = double.log.length;
    const answer = await begun(lanes, ['a'], { signal: client.signal });
    let seen = 0;
    const drained = drain(answer, () => {
      seen += 1;
      if (seen === 10) client.abort();
      return true;
    });
    expect((await drained).end).toEqual({ kind: 'aborted' });
    await until(() => double.log[mark]?.end === 'aborted');
    expect(double.log[mark]?.chunks).toBeLessThan(500);
  });

  it('may abort the stream itself', async () => {
    double.script('a', { repeat: 500, gapMs: 2 });
    const answer = await begun(lanes, ['a']);
    const drained = drain(answer);
    answer.stream.abort();
    expect((await drained).end).toEqual({ kind: 'aborted' });
  });

  it('who is slow slows the upstream down, loses nothing and is not timed out', async () => {
    const word = 'x'.repeat(10_000);
    double.script('a', { text: word, repeat: 2_000 });
    const mark = double.log.length;
    const answer = await begun(lanes, ['a']);
    let held = false;
    const drained = drain(answer, () => {
      if (held) return true;
      held = true;
      setTimeout(() => answer.stream.resume(), 600);
      return false;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const whileHeld = double.log[mark]?.chunks ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(double.log[mark]?.chunks).toBe(whileHeld);
    expect(whileHeld).toBeLessThan(2_000);
    const { text, end } = await drained;
    expect(end).toEqual(DONE);
    expect(text === word.repeat(2_000)).toBe(true);
  });
});
