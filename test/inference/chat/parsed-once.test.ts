import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newCustomer, rest } from '../../support/app.js';
import { type MoneyWorld, SHORT, startMoneyWorld } from '../money/world.js';

let world: MoneyWorld;

beforeAll(async () => {
  world = await startMoneyWorld();
});

afterAll(async () => {
  await world.stop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const LENGTH = 1_500_000;
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (content: string, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const END = `${FINISH}data: [DONE]\n\n`;
const PADDED = { padding: 'p'.repeat(LENGTH) };
const USAGE = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };

describe('an event of a relayed stream that has more than a mebibyte', () => {
  it.each([
    ['is the first one', event(chunk('а', PADDED))],
    ['follows others', event(chunk('а')) + event(chunk('б')) + event(chunk('в', PADDED))],
    ['states usage', event(chunk('а', { ...PADDED, usage: USAGE }))],
  ])('is parsed once at most where it %s', async (_where, raw) => {
    const headers = { 'content-type': 'text/event-stream' };
    await world.double.script('own', { raw: raw + END, headers });
    const customer = await newCustomer(world, 100);
    const parse = vi.spyOn(JSON, 'parse');
    const { body } = await rest<string>(world, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { ...SHORT, max_tokens: 900, stream: true },
    });
    const parsed = parse.mock.calls.filter(([text]) => text.length >= LENGTH).length;
    parse.mockRestore();
    expect(body).toContain(PADDED.padding);
    expect(body).toContain('gw_routing');
    expect(parsed).toBeLessThanOrEqual(1);
  });
});
