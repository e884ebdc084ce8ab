import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { THREADS } from '../../../src/inference/firewall/apart/apart.js';
import { ScanTooLong } from '../../../src/inference/firewall/apart/scan-thread.js';
import { ScanLost } from '../../../src/inference/firewall/apart/work.js';
import { newFolder, writeProviders } from '../../faults/providers.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { spawnUpstreamDouble } from '../../support/upstream-double.js';
import type { Behaviour } from '../../support/upstream-double.mjs';
import { latest, type MoneyWorld, SHORT, startMoneyWorld } from './world.js';

let world: MoneyWorld;
const folder = newFolder();

beforeAll(async () => {
  const double = await spawnUpstreamDouble();
  const lane = { lane: 'own', model: 'own/model', gapMs: 400 };
  const file = writeProviders(folder, double.origin, [lane]);
  const own = await startMoneyWorld({ GW_PROVIDERS_FILE: file });
  world = { ...own, double, stop: () => own.stop().finally(() => double.close()) };
});

afterAll(async () => {
  await world.stop();
  folder.remove();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const SECRETS = 'stack trace, host gpu-12, org-7fa1';
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const said = (content: string) =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] });
const failing = (error: object): Behaviour => ({
  raw: said('Первые слова. ') + event({ error }) + said('нет'),
  headers: { 'content-type': 'text/event-stream' },
});

interface Seen {
  readonly text: string;
  readonly error: { readonly code: string; readonly type: string; readonly message: string };
}

async function ask(customer: Customer, headers: Record<string, string> = {}): Promise<Seen> {
  const { body: text } = await rest<string>(world, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { ...SHORT, max_tokens: 900, stream: true },
    headers,
  });
  const events = text.split('\n\n').filter((each) => each.startsWith('data: {'));
  const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '{}');
  return { text, error: last.error };
}

const RUSSIAN = { 'accept-language': 'ru' };
const keyed = (key: string) => ({ 'idempotency-key': key });

/** How a stream may end in its middle, and what its client is told in both languages. */
const CUTS: readonly (readonly [what: string, how: Behaviour, told: string, russian: string])[] = [
  [
    'an error of the provider',
    failing({ message: SECRETS, code: 500 }),
    'own: it failed inside',
    'own: внутренняя ошибка провайдера',
  ],
  [
    'an error without a code',
    failing({ message: SECRETS }),
    'own: it failed inside',
    'own: внутренняя ошибка провайдера',
  ],
  [
    'a refusal in the middle',
    failing({ message: SECRETS, code: 400 }),
    'own: it refused the request',
    'own: провайдер отклонил запрос',
  ],
  ['a cut connection', { cutAfter: 4 }, 'own: its answer was cut', 'own: ответ оборвался'],
  [
    'silence',
    { silentAfter: 4 },
    'own: it stopped in the middle of its answer',
    'own: провайдер замолчал посреди ответа',
  ],
  [
    'events without content that do not end',
    { insertAfter: 4, insert: event({ choices: [{ index: 0, delta: {} }] }).repeat(12_000) },
    'own: its answer could not be read',
    'own: ответ не удалось прочитать',
  ],
];

describe.each(CUTS)('a stream that ends with %s', (_what, how, told, russian) => {
  it('is told by its kind alone, and is charged as it was produced', async () => {
    await world.double.script('own', how);
    const customer = await newCustomer(world, 100);
    const seen = await ask(customer);
    expect(seen.error).toMatchObject({
      code: 'stream_cut',
      type: 'upstream_error',
      message:
        `The stream was cut before its answer was complete: ${told}. ` +
        'What was produced is charged.',
    });
    expect(seen.text).not.toMatch(/stack trace|gpu-12|org-7fa1|\[DONE\]/);
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({ status: 'partial', errorCode: null });
    expect(Number((await latest(world, customer)).chargedMicro)).toBeGreaterThan(0);
  });

  it('is free under an idempotency key, and says so in Russian', async () => {
    await world.double.script('own', how);
    const customer = await newCustomer(world, 100);
    const seen = await ask(customer, { ...RUSSIAN, ...keyed('once') });
    expect(seen.error).toMatchObject({
      code: 'stream_cut',
      message: `Поток прерван раньше, чем ответ закончился: ${russian}. Ничего не списано.`,
    });
    expect(await latest(world, customer)).toMatchObject({
      state: 'released',
      status: 'failed',
      errorCode: 'stream_cut',
      chargedMicro: null,
    });
  });
});

describe('a stream whose answer takes too long to read', () => {
  const policy = {
    name: 'own',
    firewall_custom: [{ name: 'ticket', patterns: ['T-[0-9]{4}'], mode: 'mask' }],
  };

  async function cutAfterSome(fault: Error, headers: Record<string, string>) {
    await world.double.script('own', { repeat: 30, gapMs: 2 });
    const customer = await newCustomer(world, 100);
    await rest(world, 'POST', '/v1/gw/policies', { credential: customer.token, body: policy });
    const read = THREADS.streams;
    let saying = 0;
    vi.spyOn(THREADS, 'streams').mockImplementation(async (work, turn) => {
      if (saying > 0 && work.kind !== 'forget') throw fault;
      const result = await read(work, turn);
      const text = work.kind === 'events' ? String(Buffer.from(result as Uint8Array)) : '';
      saying += /"content":"[^"]/.test(text) ? 1 : 0;
      return result;
    });
    const seen = await ask(customer, headers);
    return { error: seen.error, booked: await latest(world, customer) };
  }

  const REASON = 'the firewall takes longer than 20 s to read its answer';
  const WORDS = 'межсетевой экран данных читает ответ дольше 20 секунд';

  it('is charged as it was delivered', async () => {
    const { error, booked } = await cutAfterSome(new ScanTooLong(), {});
    expect(error).toMatchObject({
      code: 'stream_cut',
      message:
        `The stream was cut before its answer was complete: ${REASON}. ` +
        'What was delivered is charged.',
    });
    expect(booked).toMatchObject({ status: 'partial', errorCode: null });
  });

  it('is free under an idempotency key', async () => {
    const { error, booked } = await cutAfterSome(new ScanTooLong(), { ...RUSSIAN, ...keyed('a') });
    expect(error).toMatchObject({
      code: 'stream_cut',
      message: `Поток прерван раньше, чем ответ закончился: ${WORDS}. Ничего не списано.`,
    });
    expect(booked).toMatchObject({ state: 'released', errorCode: 'stream_cut' });
  });

  it('says by its own name that the thread was lost', async () => {
    const { error, booked } = await cutAfterSome(new ScanLost(), keyed('b'));
    expect(error.code).toBe('firewall_scan_lost');
    expect(booked).toMatchObject({ state: 'released', errorCode: 'firewall_scan_lost' });
  });
});

describe('a stream that outlasts its node', () => {
  async function stopped(headers: Record<string, string>) {
    await world.double.script('own', { repeat: 200, gapMs: 20 });
    const customer = await newCustomer(world, 100);
    const { runningStreams } = world.server.services;
    const add = runningStreams.add.bind(runningStreams);
    vi.spyOn(runningStreams, 'areEnding', 'get').mockReturnValue(true);
    vi.spyOn(runningStreams, 'add').mockImplementation((end) => {
      setTimeout(end, 300);
      return add(end);
    });
    return { ...(await ask(customer, headers)), booked: () => latest(world, customer) };
  }

  it('is told that the node stops, and that what was produced is charged', async () => {
    const { error, booked } = await stopped({});
    expect(error).toMatchObject({
      code: 'stream_cut',
      message:
        'The stream was cut before its answer was complete: the gateway is stopping. ' +
        'What was produced is charged.',
    });
    expect(await booked()).toMatchObject({ status: 'partial', errorCode: null });
  });

  it('is free under an idempotency key', async () => {
    const { error, booked } = await stopped({ ...RUSSIAN, ...keyed('c') });
    expect(error).toMatchObject({
      code: 'stream_cut',
      message:
        'Поток прерван раньше, чем ответ закончился: шлюз останавливается. Ничего не списано.',
    });
    expect(await booked()).toMatchObject({ state: 'released', errorCode: 'stream_cut' });
  });
});
