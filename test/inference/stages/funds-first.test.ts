import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { THREADS } from '../../../src/inference/firewall/apart/apart.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
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

/** More than is read at once. At 100 RUB a million a byte is held at 0.0001 RUB: 2.4 RUB. */
const TEXT = '12 34 '.repeat(4_000);
const LONG = { ...SHORT, messages: [{ role: 'user', content: TEXT }] };

async function limited(policy: object, fundsRub = 100): Promise<Customer> {
  const customer = await newCustomer(world, fundsRub);
  const body = { name: 'own', ...policy };
  await rest(world, 'POST', '/v1/gw/policies', { credential: customer.token, body });
  return customer;
}

/** What the body is answered, and how often a text was read for it. */
async function answered(customer: Customer, body: string | object) {
  const read = vi.spyOn(THREADS, 'requests');
  const response = await fetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${customer.key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  const reads = read.mock.calls.length;
  read.mockRestore();
  return [`${response.status} ${error?.code}`, reads];
}

const OK = ['200 undefined', 1];

describe('a long request under a budget', () => {
  it('of its policy that cannot pay for it is refused before its text is read', async () => {
    const small = await limited({ budgets: { daily_rub: 1 } });
    expect(await answered(small, LONG)).toEqual(['402 budget_too_small', 0]);
    const wide = await limited({ budgets: { daily_rub: 50 } });
    expect(await answered(wide, LONG)).toEqual(OK);
  });

  it('of its use case likewise, and no other request and no other organization', async () => {
    const customer = await newCustomer(world, 100);
    const set = await rest(world, 'POST', '/v1/gw/finops/budgets', {
      credential: customer.token,
      body: { scope: 'use_case', scope_ref: 'support', hard_cap_rub: 1 },
    });
    expect(set.status).toBe(200);
    const labelled = { ...LONG, metadata: { feature: 'support' } };
    expect(await answered(customer, labelled)).toEqual(['402 budget_too_small', 0]);
    expect(await answered(customer, LONG)).toEqual(OK);
    expect(await answered(await newCustomer(world, 100), labelled)).toEqual(OK);
  });

  it('is read where only what others hold is in its way: they may give it back', async () => {
    const customer = await limited({ budgets: { daily_rub: 4 } });
    await world.double.script('own', { delayMs: 3_000 }, {});
    const credential = customer.key;
    const before = (await world.double.received('own')).length;
    const first = rest(world, 'POST', '/v1/chat/completions', { credential, body: LONG });
    await expect
      .poll(async () => (await world.double.received('own')).length)
      .toBeGreaterThan(before);
    expect(await answered(customer, LONG)).toEqual([expect.stringContaining('budget_reserved'), 1]);
    expect((await first).status).toBe(200);
  });
});

describe('a long request with blocks', () => {
  const blocks = [{ id: 'a', text: TEXT, priority: 'MUST' }];
  const body = JSON.stringify({ ...SHORT, gw_context: { blocks } });
  const spaced = body.replace('"blocks":', `${' '.repeat(40_000)}"blocks":`);
  const padded = body.replace('"gw_context":', `"gw_note":"${'x'.repeat(40_000)}","gw_context":`);

  it.each([
    ['as it is', body],
    ['with white space', spaced],
    ['with a member that nothing reads', padded],
  ])('is judged by what would be charged, %s', async (_what, sent) => {
    expect(await answered(await newCustomer(world, 3), sent)).toEqual(OK);
    expect(await answered(await newCustomer(world, 2), sent)).toEqual([
      '402 insufficient_balance',
      0,
    ]);
  });

  it('may drop those that need not be sent: they cost nothing before they are chosen', async () => {
    const could = { blocks: [{ id: 'a', text: TEXT, priority: 'COULD' }], tokens_max: 100 };
    expect(await answered(await newCustomer(world, 1), { ...SHORT, gw_context: could })).toEqual([
      '200 undefined',
      0,
    ]);
  });
});
