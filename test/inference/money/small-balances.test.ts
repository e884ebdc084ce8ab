import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { affordableTokens } from '../../../src/inference/affordable.rules.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import {
  type Body,
  latest,
  type MoneyWorld,
  routingOf,
  SHORT,
  startMoneyWorld,
  VOICES,
} from './world.js';

let world: MoneyWorld;

beforeAll(async () => {
  world = await startMoneyWorld();
});

afterAll(async () => {
  await world.stop();
});

// The model takes 1,000 answer tokens at 1,000 RUB a million: a ruble when nothing is said.
const OPEN = { model: SHORT.model, messages: SHORT.messages };

async function sent(): Promise<Body> {
  const received = await world.double.received('own');
  return JSON.parse(received.at(-1)?.body ?? '{}') as Body;
}

async function capped(dailyRub: number): Promise<Customer> {
  const customer = await newCustomer(world, 1_000);
  await rest(world, 'POST', '/v1/gw/policies', {
    credential: customer.token,
    body: { name: 'small', budgets: { daily_rub: dailyRub } },
  });
  return customer;
}

describe.each(VOICES)('funds that do not cover the upper bound (%s)', (_name, ask) => {
  it('pay for a shorter answer, and the receipt says so', async () => {
    await world.double.script('own', {});
    const customer = await newCustomer(world, 1);
    const told = await ask(world, customer.key, OPEN);
    expect(told.failure).toBeUndefined();
    const { output_limit: limit } = routingOf(told) as { output_limit: { tokens: number } };
    expect(limit).toEqual({
      tokens: limit.tokens,
      asked_tokens: 1_000,
      lowered_by: 'balance',
      budget: null,
    });
    expect(limit.tokens).toBeGreaterThanOrEqual(256);
    expect(limit.tokens).toBeLessThan(500);
    expect((await sent()).max_tokens).toBe(limit.tokens);
    const { heldMicro } = await latest(world, customer);
    expect(heldMicro).toBeLessThanOrEqual(500_000n);
  });

  it('of a budget likewise, under the name of the budget', async () => {
    await world.double.script('own', {});
    const customer = await capped(0.8);
    const told = await ask(world, customer.key, { ...OPEN, max_tokens: 900 });
    expect(told.failure).toBeUndefined();
    const limit = routingOf(told).output_limit as { tokens: number };
    expect(limit).toEqual({
      tokens: limit.tokens,
      asked_tokens: 900,
      lowered_by: 'budget',
      budget: 'small (day)',
    });
    expect((await sent()).max_tokens).toBe(limit.tokens);
  });

  it('say nothing where they cover it', async () => {
    await world.double.script('own', {});
    const customer = await newCustomer(world, 10);
    const told = await ask(world, customer.key, OPEN);
    expect(routingOf(told)).not.toHaveProperty('output_limit');
    expect(await sent()).not.toHaveProperty('max_tokens');
  });

  it('that do not even cover a short answer are refused', async () => {
    const customer = await newCustomer(world, 0.2);
    expect((await ask(world, customer.key, OPEN)).failure).toBe('insufficient_balance');
    const small = await capped(0.1);
    expect((await ask(world, small.key, OPEN)).failure).toBe('budget_too_small');
  });
});

describe('the typed receipt', () => {
  const ASK = `mutation($input: ChatInput!) { chatComplete(input: $input) {
    gwRouting { outputLimit { tokens askedTokens loweredBy budget } } wire
  } }`;
  interface Asked {
    readonly chatComplete: {
      readonly gwRouting: { readonly outputLimit: unknown };
      readonly wire: { readonly gw_routing: { readonly output_limit: { tokens: number } } };
    };
  }
  const asked = async (customer: Customer) => {
    const input = { model: SHORT.model, messages: [{ role: 'user', content: 'Привет' }] };
    const { data } = await graphql<Asked>(world, ASK, { input }, customer.key);
    return data.chatComplete;
  };

  it('says of a lowered limit what the wire says', async () => {
    await world.double.script('own', {});
    const { gwRouting, wire } = await asked(await capped(0.8));
    expect(gwRouting.outputLimit).toEqual({
      tokens: wire.gw_routing.output_limit.tokens,
      askedTokens: 1_000,
      loweredBy: 'budget',
      budget: 'small (day)',
    });
  });

  it('says nothing where no limit was lowered', async () => {
    const { gwRouting } = await asked(await newCustomer(world, 10));
    expect(gwRouting.outputLimit).toBeNull();
  });
});

describe('the message of a refusal', () => {
  const refused = (customer: Customer, body: Body = OPEN) =>
    rest<{ error: { message: string } }>(world, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body,
    });

  it('names what is free, what is needed at least, and both cures', async () => {
    const { status, body } = await refused(await newCustomer(world, 0.2));
    const words =
      'The balance does not cover this request: 0.20 RUB are free, and it can cost N RUB even ' +
      'with a short answer. Top up the account, or send a shorter prompt or a lower max_tokens.';
    const message = body.error.message.replace(/0\.2\d+ RUB even/, 'N RUB even');
    expect([status, message]).toEqual([402, words]);
  });

  it('does not call a budget spent that is only too small', async () => {
    const customer = await capped(0.1);
    const { status, body } = await refused(customer);
    const words =
      'The budget "small (day)" is not spent, but too small for this request: 0.10 of 0.10 RUB ' +
      'are left, and it can cost N RUB even with a short answer. Raise the cap, or send a ' +
      'shorter prompt or a lower max_tokens.';
    const message = body.error.message.replace(/0\.2\d+ RUB even/, 'N RUB even');
    expect([status, message]).toEqual([402, words]);
  });

  it('is not needed where the caller asks for little', async () => {
    const customer = await newCustomer(world, 0.2);
    expect((await refused(customer, { ...OPEN, max_tokens: 50 })).status).toBe(200);
  });
});

describe('several requests on one small balance', () => {
  it('pass together, as each takes at most half of what is free', async () => {
    await world.double.script('own', { delayMs: 300 });
    const customer = await newCustomer(world, 1.6);
    const [, ask] = VOICES[0] ?? [];
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => ask?.(world, customer.key, OPEN)),
    );
    expect(answers.map((answer) => answer?.failure)).toEqual([undefined, undefined, undefined]);
  });
});

describe('the affordable limit', () => {
  it('is the most that half of the free funds pay for, but never less than a useful answer', () => {
    const given = fc.record({
      askedTokens: fc.integer({ min: 1, max: 100_000 }),
      freeMicro: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      inputMicro: fc.bigInt({ min: 0n, max: 10n ** 7n }),
      tokenMicro: fc.bigInt({ min: 1n, max: 10n ** 5n }),
    });
    fc.assert(
      fc.property(given, ({ askedTokens, freeMicro, inputMicro, tokenMicro }) => {
        const estimate = (tokens: number) => inputMicro + BigInt(tokens) * tokenMicro;
        const least = Math.min(256, askedTokens);
        const limit = affordableTokens({ askedTokens, freeMicro, estimate });
        if (estimate(least) > freeMicro) {
          expect(limit).toBeUndefined();
          return;
        }
        expect(limit).toBeGreaterThanOrEqual(least);
        expect(limit).toBeLessThanOrEqual(askedTokens);
        const found = limit ?? 0;
        expect(estimate(found)).toBeLessThanOrEqual(freeMicro);
        if (found > least) expect(estimate(found)).toBeLessThanOrEqual(freeMicro / 2n);
        if (found < askedTokens) expect(estimate(found + 1)).toBeGreaterThan(freeMicro / 2n);
      }),
    );
  });
});
