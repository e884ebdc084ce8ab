import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { findUnexplained } from '../../../src/money/ledger/replay.js';
import { newCustomer, rest } from '../../support/app.js';
import {
  finishOf,
  latest,
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

const LIES = [
  ['millions of tokens', { prompt_tokens: 11, completion_tokens: 5_900_000 }],
  ['more than a row can count', { prompt_tokens: 1e15, completion_tokens: 1e15 }],
  [
    'the largest integers',
    { prompt_tokens: 9_007_199_254_740_991, completion_tokens: 9_007_199_254_740_991 },
  ],
  [
    'thoughts without end',
    {
      prompt_tokens: 11,
      completion_tokens: 4_000,
      completion_tokens_details: { reasoning_tokens: 4_000 },
    },
  ],
  [
    'a cache without end',
    {
      prompt_tokens: 90_000,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 90_000 },
    },
  ],
] as const;

describe.each(VOICES)('an upstream that lies about usage (%s)', (_name, ask) => {
  it.each(LIES)(
    '%s: the charge stays within its hold and follows from its row',
    async (_lie, usage) => {
      await world.double.script('own', { usage });
      const customer = await newCustomer(world, 1_000);
      await rest(world, 'POST', '/v1/gw/policies', {
        credential: customer.token,
        body: { name: 'capped', budgets: { daily_rub: 0.05 } },
      });
      const told = await ask(world, customer.key, SHORT);
      expect(told.failure).toBeUndefined();
      const booked = await latest(world, customer);
      expect(booked.chargedMicro).toBeLessThanOrEqual(booked.heldMicro);
      expect(booked.output).toBeLessThanOrEqual(10);
      expect(booked.rawUsage).toEqual(usage);
      expect(booked.beyondMicro).toBeGreaterThan(booked.heldMicro);
      expect(Number(routingOf(told).cost_rub) * 1e6).toBeCloseTo(Number(booked.chargedMicro), 0);
      const { body } = await rest<{ data: { spent_rub: number }[] }>(
        world,
        'GET',
        '/billing/balance',
        {
          credential: customer.token,
        },
      );
      expect(body).toMatchObject({
        balance_rub: 1_000 - Number(booked.chargedMicro) / 1e6,
        held_rub: 0,
      });
    },
  );
});

describe.each(VOICES.filter(([name]) => name.includes('streamed')))(
  'a stream (%s)',
  (_name, ask) => {
    it.each([
      ['in small events', { text: 'слово', repeat: 3_000 }],
      ['in one read', { text: 'да '.repeat(5_000) }],
      ['in few long events', { text: `${'многословие'.repeat(900)} `.repeat(8) }],
    ])('that passes its own output limit %s is cut there', async (_how, behaviour) => {
      await world.double.script('own', behaviour);
      const customer = await newCustomer(world, 100);
      const told = await ask(world, customer.key, {
        ...SHORT,
        stream_options: { include_usage: true },
      });
      expect([told.failure, finishOf(told)]).toEqual([undefined, 'length']);
      expect(textOf(told).length).toBeLessThan(4_000);
      const booked = await latest(world, customer);
      expect(booked).toMatchObject({ status: 'complete', finishReason: 'length' });
      expect(booked.output).toBeLessThanOrEqual(10);
      expect(booked.chargedMicro).toBeLessThanOrEqual(booked.heldMicro);
      expect(told.chunks.at(-1)).toMatchObject({ usage: { completion_tokens: booked.output } });
    });

    it('within its limit passes whole, also when a provider sends letter by letter', async () => {
      await world.double.script('own', { text: [...'привет мир'].join(' '), usage: null });
      const customer = await newCustomer(world, 100);
      const told = await ask(world, customer.key, { ...SHORT, max_tokens: 40 });
      expect([finishOf(told), textOf(told)]).toEqual(['stop', [...'привет мир'].join(' ')]);
    });
  },
);

describe('a model whose tokens are longer than those that are counted here', () => {
  const WORD = ' достопримечательностей';
  const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const event = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const discredits = () =>
    world.server.services.upstream.health()[0]?.discredited.output_beyond_limit;
  const raw = [
    event({ role: 'assistant', content: '' }),
    ...Array.from({ length: SHORT.max_tokens }, () => event({ content: WORD })),
    event({}, 'length'),
    'data: [DONE]\n\n',
  ].join('');

  it.each(VOICES.filter(([name]) => name.includes('streamed')))(
    'is answered whole up to its limit, and stays in use for others (%s)',
    async (_name, ask) => {
      await world.double.script('own', { raw, headers: { 'content-type': 'text/event-stream' } });
      const customer = await newCustomer(world, 100);
      const before = discredits();
      for (let round = 0; round < 6; round += 1) {
        const told = await ask(world, customer.key, SHORT);
        expect([textOf(told), finishOf(told)]).toEqual([WORD.repeat(SHORT.max_tokens), 'length']);
      }
      // Five of them in a row would take the model away from every other customer.
      expect(discredits()).toBe(before);
    },
  );
});

describe('the books after all of it', () => {
  it('hold, and every charge follows from its own usage row', async () => {
    const { pool } = world.owner;
    const { ledger } = world.server.services;
    await ledger.drain();
    expect(await checkInvariants(pool)).toEqual([]);
    expect(await findUnexplained(pool)).toEqual([]);
    expect(ledger.gauges().overruns).toBeGreaterThanOrEqual(VOICES.length * LIES.length);
    const metrics = await rest<string>(world, 'GET', '/metrics');
    expect(metrics.body).toMatch(/^gw_ledger_overruns_total [1-9]/m);
    expect(metrics.body).toMatch(/^gw_ledger_lost_holds_total 0$/m);
  });
});
