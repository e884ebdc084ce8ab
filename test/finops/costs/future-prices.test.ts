import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allocate } from '../../../src/kernel/money.js';
import { MOSCOW_OFFSET_MS, moscowDay } from '../../../src/kernel/time.js';
import { ask, changed, type FleetWorld, laneOf, startFleet } from '../../catalog/fleet/world.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { plantUsage } from '../reports/usage-rows.js';

const DAY_MS = 86_400_000;
const TOMORROW = moscowDay(Date.now() + DAY_MS);
const MICRO = 1_000_000;
const ROWS = [{ effective_from: '2026-01-01' }, { effective_from: TOMORROW }];

let world: FleetWorld;
let customer: Customer;
beforeAll(async () => {
  world = await startFleet((origin) => [
    laneOf('a', origin, {
      capabilities: ['text', 'json', 'streaming'],
      context_window: 200_000,
      max_output_tokens: 16_000,
    }),
    laneOf('b', origin, { id: 'other/chat' }),
  ]);
  customer = await newCustomer(world.nodes[0]);
  const { tenantId } = customer;
  const used = { tenantId, model: 'pool/chat', provider: 'a', feature: 'support' };
  // 1,000 tokens at 100 rubles a million and 1,000 at 1,000 are 1.1 rubles.
  const row = { ...used, inputUncached: 1_000, outputText: 1_000, amountMicro: 1_100_000n };
  await plantUsage(
    world.nodes[0].owner.pool,
    Array.from({ length: 120 }, (_, index) => ({
      ...row,
      costMicro: row.amountMicro,
      createdAt: new Date(Date.now() - (index % 10) * DAY_MS - 60_000),
    })),
  );
  const args =
    `key: "a:pool/chat", reason: "Dearer", input: { effectiveFrom: "${TOMORROW}", ` +
    'inputRub: "200", outputRub: "2000" }';
  expect(await changed(world.nodes[0], world.operator, 'deploymentPriceAdd', args)).toMatchObject({
    faults: [],
  });
});
afterAll(() => world?.stop());

type Body = Record<string, unknown>;

interface Row {
  readonly effective_from: string;
  readonly from_day: string;
  readonly change_rub: number | string;
}

async function post(path: string, body: Body): Promise<Body> {
  const { token: credential } = customer;
  const answer = await rest<Body>(world.nodes[0], 'POST', path, { credential, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

/** What of an amount falls on the days from tomorrow on, where its time begins at an instant. */
function laterPart(micro: bigint, from: string, hours: number): bigint {
  const begin = Date.parse(from);
  const midnight = Date.parse(`${TOMORROW}T00:00:00Z`) - MOSCOW_OFFSET_MS;
  const until = begin + hours * 3_600_000;
  const [, later = 0n] = allocate(micro, [BigInt(midnight - begin), BigInt(until - midnight)]);
  return later;
}

const rubles = (micro: bigint) => Number(micro) / MICRO;

describe('a forecast', () => {
  it.each([
    ['by list price', { model: 'pool/chat', input_tokens: 1_000, output_tokens: 1_000 }],
    ['by recorded requests', { scope_ref: 'support' }],
  ])('%s prices each day by the row in force on it, and says so', async (_, asked) => {
    const run = { units: 1_000, hours: 72, ...asked };
    const body = await post('/v1/gw/finops/forecast', run);
    const later = laterPart(1_100_000_000n, String(body.starts_at), 72);
    expect(body).toMatchObject({
      base: rubles(1_100_000_000n + later),
      price_change_rub: rubles(later),
    });
    const rows = body.price_rows as Row[];
    expect(rows).toMatchObject([
      { deployment: 'a:pool/chat', effective_from: '2026-01-01', change_rub: 0 },
      { deployment: 'a:pool/chat', effective_from: TOMORROW, from_day: TOMORROW },
    ]);
    expect(rows[1]?.change_rub).toBe(rubles(later));
  });

  it('of a stated cost, and of a model without a later row, is what it was', async () => {
    const stated = await post('/v1/gw/finops/forecast', { units: 10, cost_per_unit_rub: 3 });
    expect(stated).toMatchObject({ base: 30, price_rows: [], price_change_rub: 0 });
    const other = await post('/v1/gw/finops/forecast', {
      units: 10,
      model: 'other/chat',
      input_tokens: 1_000,
      output_tokens: 1_000,
    });
    expect(other).toMatchObject({ base: 11, price_change_rub: 0 });
    expect(other.price_rows).toMatchObject([{ deployment: 'b:other/chat', change_rub: 0 }]);
  });
});

describe('a quote by recorded cost', () => {
  it('of the price book is of the days to come, and names their rows', async () => {
    const body = await post('/v1/gw/price-book/receipts', {
      quote_ref: 'Q-1',
      plan: 'team',
      monthly_requests: 1_000,
    });
    const [each, change] = [Number(body.cost_per_request_rub), Number(body.price_change_rub)];
    // All but the rest of today is twice as dear.
    expect(each).toBeGreaterThan(2.1);
    expect(each).toBeLessThanOrEqual(2.2);
    expect(change).toBeCloseTo((each - 1.1) * 1_000, 6);
    expect(body.price_rows).toMatchObject(ROWS);
  });

  it('of revenue is of the days to come, and names their rows', async () => {
    const body = await post('/v1/gw/revenue/quotes', { package: 'pilot' });
    const [cost, change] = [Number(body.cost_rub), Number(body.price_change_rub)];
    expect(change).toBeGreaterThan(0.45 * cost);
    expect(change).toBeLessThanOrEqual(0.5 * cost);
    expect(body.price_rows).toMatchObject(ROWS);
  });
});

describe('a what-if of the router', () => {
  const QUERY = `query ($input: RoutingWhatIfInput!) { routingWhatIf(input: $input) {
    verdict decisions recordedCostRub sameTokensCostRub priceRows { deployment effectiveFrom } } }`;

  it('supposes the rows of a stated day and names them; else each day has its own', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    for (const lane of ['a', 'b']) await world.double.script(lane, { usage });
    const payer = await newCustomer(world.nodes[0], 100);
    const { status } = await ask(world.nodes[0], payer.key, false, { model: 'gw:auto' });
    expect(status).toBe(200);
    const suppose = async (input: Body) => {
      const { data } = await graphql<{ routingWhatIf: Body }>(
        world.nodes[0],
        QUERY,
        { input },
        payer.token,
      );
      return data.routingWhatIf;
    };
    expect(await suppose({})).toMatchObject({ verdict: 'IDENTICAL', decisions: 1, priceRows: [] });
    const then = await suppose({ pricesOn: TOMORROW });
    expect(then.priceRows).toEqual(
      expect.arrayContaining([
        { deployment: 'a:pool/chat', effectiveFrom: TOMORROW },
        { deployment: 'b:other/chat', effectiveFrom: '2026-01-01' },
      ]),
    );
  });
});

describe('batch templates of a stated day', () => {
  it('have the row of that day, those of no day the row of today', async () => {
    const read = async (query: string) => {
      const path = `/v1/gw/batches/templates?model=pool/chat${query}`;
      const { body } = await rest<{ data: Body[] }>(world.nodes[0], 'GET', path);
      return body.data.find(({ price_effective_from: from }) => from !== null) ?? {};
    };
    const [now, then] = [await read(''), await read(`&day=${TOMORROW}`)];
    expect([now.price_effective_from, then.price_effective_from]).toEqual(['2026-01-01', TOMORROW]);
    expect(Number(then.sync_rub_per_thousand)).toBe(2 * Number(now.sync_rub_per_thousand));
  });
});
