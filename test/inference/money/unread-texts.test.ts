import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { THREADS } from '../../../src/inference/firewall/apart/apart.js';
import {
  ScanAbandoned,
  ScanTooLong,
  ScanUnbegun,
} from '../../../src/inference/firewall/apart/scan-thread.js';
import { ScanLost } from '../../../src/inference/firewall/apart/work.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import {
  latest,
  MODEL,
  type MoneyWorld,
  routingOf,
  SHORT,
  startMoneyWorld,
  textOf,
  VOICES,
} from './world.js';

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

/** More than is read at once, and about 4,800 tokens by the guess of the limits. */
const LONG = {
  ...SHORT,
  messages: [{ role: 'user', content: '12 34 '.repeat(4_000) }],
};

async function under(policy: object): Promise<Customer> {
  const customer = await newCustomer(world, 100);
  const body = { name: 'own', ...policy };
  await rest(world, 'POST', '/v1/gw/policies', { credential: customer.token, body });
  return customer;
}

async function ask(customer: Customer, body: object) {
  const answer = await rest<{ error?: { code: string } }>(world, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body,
  });
  return { said: `${answer.status} ${answer.body.error?.code}`, headers: answer.headers };
}

/** How often requests for the model have ended with each outcome before any provider. */
function outcomes() {
  const metrics = world.server.services.modelMetrics.metrics();
  const samples = metrics.find(({ name }) => name === 'gw_model_requests_total')?.samples ?? [];
  const ofModel = samples.filter(
    ({ labels }) => labels?.model === MODEL && labels.provider === 'none',
  );
  const countOf = (outcome: string) =>
    ofModel.find(({ labels }) => labels?.outcome === outcome)?.value ?? 0;
  return { failed: countOf('failed'), refused: countOf('refused'), left: countOf('left') };
}

async function heldRub({ token }: Customer): Promise<number> {
  const { body } = await rest<{ held_rub: number }>(world, 'GET', '/billing/balance', {
    credential: token,
  });
  return body.held_rub;
}

describe('a request whose text is not read', () => {
  it('for want of a turn is told when to come back and keeps no slot or tokens', async () => {
    const customer = await under({ limits: { tpm: 6_000, concurrency: 1 } });
    vi.spyOn(THREADS, 'requests').mockRejectedValue(new ScanUnbegun());
    const before = outcomes();
    for (let turn = 0; turn < 3; turn += 1) {
      const { said, headers } = await ask(customer, LONG);
      expect([said, headers.get('retry-after')]).toEqual(['503 firewall_busy', '10']);
    }
    expect(outcomes()).toEqual({ ...before, failed: Number(before.failed) + 3 });
    expect(world.server.services.openRequests.size).toBe(0);
    expect(await heldRub(customer)).toBe(0);
  });

  it('because it took all its time keeps its tokens taken: the work was done', async () => {
    const customer = await under({ limits: { tpm: 6_000, concurrency: 1 } });
    const other = await under({ limits: { tpm: 6_000, concurrency: 1 } });
    vi.spyOn(THREADS, 'requests').mockRejectedValue(new ScanTooLong());
    expect((await ask(customer, LONG)).said).toBe('422 firewall_scan_too_long');
    expect((await ask(customer, LONG)).said).toBe('429 rate_limit_tokens');
    expect((await ask(other, LONG)).said).toBe('422 firewall_scan_too_long');
    expect(world.server.services.openRequests.size).toBe(0);
    expect(await heldRub(customer)).toBe(0);
  });

  it('because its client has left counts as left, and as no failure', async () => {
    const customer = await newCustomer(world, 100);
    let waits = () => {};
    const isWaiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    vi.spyOn(THREADS, 'requests').mockImplementation((_work, { signal }) => {
      waits();
      return new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new ScanAbandoned()));
      });
    });
    const before = outcomes();
    const leaving = new AbortController();
    const asked = fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${customer.key}` },
      body: JSON.stringify(LONG),
    });
    await isWaiting;
    leaving.abort();
    await asked.catch(() => {});
    await expect.poll(outcomes).toEqual({ ...before, left: Number(before.left) + 1 });
    expect(world.server.services.openRequests.size).toBe(0);
    expect(await heldRub(customer)).toBe(0);
  });
});

const PATTERNS = {
  firewall_custom: [{ name: 'ticket', patterns: ['T-[0-9]{4}'], mode: 'mask' }],
};
const WORDS = 'Раз два три четыре пять, вышел зайчик погулять. ';

const streams = VOICES.filter(([name]) => name.includes('streamed'));

describe.each(streams)('a stream with an event that is too long (%s)', (_name, voice) => {
  const event = (content: string) => {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
  };

  it('is cut as a failure of its provider, and what was delivered is charged', async () => {
    await world.double.script('own', {
      raw: event(WORDS) + event('x'.repeat(5 * 1_048_576)),
      headers: { 'content-type': 'text/event-stream' },
    });
    const customer = await newCustomer(world, 100);
    const told = await voice(world, customer.key, { ...SHORT, max_tokens: 500 });
    expect([told.failure, textOf(told)]).toEqual(['stream_cut', WORDS]);
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({
        status: 'partial',
        output: (await loadTokenizer()).count(WORDS),
        usageSource: 'estimated',
      });
    expect(await heldRub(customer)).toBe(0);
  });
});

describe.each(streams)('a stream that can no longer be read (%s)', (_name, voice) => {
  it('ends by its own name, and the text that was delivered is charged', async () => {
    await world.double.script('own', { text: WORDS, repeat: 30, gapMs: 2 });
    const customer = await under(PATTERNS);
    const read = THREADS.streams;
    let saying = 0;
    vi.spyOn(THREADS, 'streams').mockImplementation(async (work, turn) => {
      if (saying > 0 && work.kind !== 'forget') throw new ScanLost();
      const result = await read(work, turn);
      const text = work.kind === 'events' ? String(Buffer.from(result as Uint8Array)) : '';
      saying += /"content":"[^"]/.test(text) ? 1 : 0;
      return result;
    });
    const told = await voice(world, customer.key, { ...SHORT, max_tokens: 900 });
    expect(told.failure).toBe('firewall_scan_lost');
    const text = textOf(told);
    expect(text).not.toBe('');
    expect(text.length).toBeLessThan(WORDS.length * 30);
    const tokens = (await loadTokenizer()).count(text);
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({
        status: 'partial',
        output: tokens,
        usageSource: 'estimated',
        rawUsage: null,
      });
    expect(await heldRub(customer)).toBe(0);
  });

  it('without a delivered text costs nothing', async () => {
    await world.double.script('own', { text: WORDS, repeat: 4, gapMs: 5 });
    const customer = await under(PATTERNS);
    vi.spyOn(THREADS, 'streams').mockRejectedValue(new ScanUnbegun());
    const told = await voice(world, customer.key, { ...SHORT, max_tokens: 500 });
    expect([told.failure, textOf(told)]).toEqual(['firewall_busy', '']);
    expect(await latest(world, customer)).toMatchObject({
      state: 'released',
      status: 'failed',
      errorCode: 'firewall_busy',
    });
  });
});

describe.each(streams)('a stream that has passed as it came (%s)', (_name, voice) => {
  // Long for the firewall and short in tokens.
  const text = `a.petrov@example.ru${' '.repeat(20_000)}end`;
  const usage = { prompt_tokens: 5, completion_tokens: 40, total_tokens: 45 };

  it.each([
    ['has no turn', new ScanUnbegun()],
    ['takes too long', new ScanTooLong()],
    ['is lost', new ScanLost()],
  ])('is whole where looking at it %s, and says that nobody has looked', async (_how, fault) => {
    await world.double.script('own', { text, usage });
    const customer = await newCustomer(world, 100);
    vi.spyOn(THREADS, 'answers').mockRejectedValue(fault);
    const told = await voice(world, customer.key, { ...SHORT, max_tokens: 1_000 });
    expect([told.failure, textOf(told)]).toEqual([undefined, text]);
    expect(told.chunks.at(-1)?.gw_firewall).toMatchObject({ verdict: 'pass', answer: null });
    expect(routingOf(told)).toMatchObject({ usage_source: 'upstream' });
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({
        state: 'delivered',
        status: 'complete',
        output: 40,
        usageSource: 'upstream',
        rawUsage: usage,
      });
    expect(await heldRub(customer)).toBe(0);
  });

  it('says what stands in it where it was looked at', async () => {
    await world.double.script('own', { text, usage });
    const customer = await newCustomer(world, 100);
    const told = await voice(world, customer.key, { ...SHORT, max_tokens: 1_000 });
    expect(told.chunks.at(-1)?.gw_firewall).toMatchObject({
      answer: { findings: [{ class: 'email', confidence: 'confirmed', count: 1 }], masked: [] },
    });
  });
});
