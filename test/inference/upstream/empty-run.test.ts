import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  EMPTY_BYTES_MAX,
  EMPTY_EVENTS_MAX,
  EmptyRun,
} from '../../../src/inference/upstream/empty-run.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { begun, drain, type Lanes, LONG, makeLanes } from './lanes.js';

const event = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta }], ...more })}\n\n`;
const EMPTY = event({});
const FULL = event({ content: 'a' });

/** Takes runs of so many events each until one is too long; how many runs that took. */
function runsUntilTooLong(text: string, count: number, runsMax: number): number | undefined {
  const run = new EmptyRun();
  const events = Buffer.from(text);
  for (let runs = 1; runs <= runsMax; runs += 1) {
    if (run.isTooLong(events, count, undefined)) return runs;
  }
  return undefined;
}

describe('a run of events without content', () => {
  it('is too long once so many have come since one was looked at', () => {
    const runs = runsUntilTooLong(EMPTY.repeat(10), 10, 2_000) ?? 0;
    expect(runs * 10).toBeGreaterThan(EMPTY_EVENTS_MAX);
    expect(runs * 10).toBeLessThanOrEqual(EMPTY_EVENTS_MAX + 1_010);
  });

  it('is too long once so many bytes have come', () => {
    const padded = event({}, { padding: 'x'.repeat(100_000) });
    const runs = runsUntilTooLong(padded, 1, 100) ?? 0;
    expect(runs * padded.length).toBeGreaterThan(EMPTY_BYTES_MAX);
    expect(runs).toBeLessThan(16);
  });

  it('is never too long where any event of each run has content', () => {
    expect(runsUntilTooLong(EMPTY.repeat(9) + FULL, 10, 20_000)).toBeUndefined();
    const image = event({ content: 'x'.repeat(2 * EMPTY_BYTES_MAX) });
    expect(runsUntilTooLong(image, 1, 5)).toBeUndefined();
  });

  it('begins anew with content', () => {
    const run = new EmptyRun();
    const empty = Buffer.from(EMPTY.repeat(EMPTY_EVENTS_MAX));
    const full = Buffer.from(FULL);
    for (let times = 0; times < 5; times += 1) {
      expect(run.isTooLong(empty, EMPTY_EVENTS_MAX, undefined)).toBe(false);
      expect(run.isTooLong(full, 1, undefined)).toBe(false);
    }
    expect(run.isTooLong(empty, EMPTY_EVENTS_MAX, undefined)).toBe(false);
    expect(run.isTooLong(empty, EMPTY_EVENTS_MAX, undefined)).toBe(true);
  });
});

describe('a stream without content', () => {
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
    lanes = makeLanes([{ name: 'a', origin: double.origin }], LONG);
  });

  const FAILED = {
    kind: 'failed',
    error: 'invalid_answer',
    message: 'the provider sent a stream without content',
  };
  const insert = EMPTY.repeat(13_000);

  it('ends as a failure of its provider, before and after its first words', async () => {
    for (const insertAfter of [0, 4]) {
      double.script('a', { insertAfter, insert, neverEnds: true });
      expect((await drain(await begun(lanes, ['a']))).end).toEqual(FAILED);
    }
    expect(lanes.upstream.health()[0]).toMatchObject({ calls: 2, failures: 2 });
  });

  it('ends so too where each of its events states usage', async () => {
    const stating = event({}, { usage: { prompt_tokens: 1 } }).repeat(13_000);
    double.script('a', { insertAfter: 4, insert: stating, neverEnds: true });
    expect((await drain(await begun(lanes, ['a']))).end).toEqual(FAILED);
  });

  it('goes on where fewer of them stand between words', async () => {
    double.script('a', { insertAfter: 4, insert: EMPTY.repeat(9_000) });
    const { end, text } = await drain(await begun(lanes, ['a']));
    expect([end.kind, text.endsWith('ends here.')]).toEqual(['done', true]);
  });
});
