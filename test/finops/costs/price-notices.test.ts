import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { PriceNotices } from '../../../src/finops/costs/price-notices.js';
import { moscowDay } from '../../../src/kernel/time.js';
import { encodeCursor, FEED_START } from '../../../src/records/feed.rules.js';
import {
  endpointAt,
  Receivers,
  SETTINGS,
  verified,
} from '../../actions/webhook-endpoints/world.js';
import {
  changed,
  type FleetWorld,
  laneOf,
  startFleet,
  versionsOf,
} from '../../catalog/fleet/world.js';
import { type Customer, newCustomer } from '../../support/app.js';
import { plantUsage } from '../reports/usage-rows.js';

const DAY_MS = 86_400_000;
const dayAfter = (days: number) => moscowDay(Date.now() + days * DAY_MS);

const WAIT = { timeout: 20_000, interval: 50 };
const receivers = new Receivers();

let world: FleetWorld;
let user: Customer;
let stranger: Customer;
beforeAll(async () => {
  world = await startFleet(
    (origin) => [laneOf('a', origin), laneOf('b', origin, { id: 'other/chat' })],
    SETTINGS,
  );
  user = await newCustomer(world.nodes[0]);
  stranger = await newCustomer(world.nodes[0]);
  await use(user, { inputUncached: 9_000_000, createdAt: new Date(Date.now() - 31 * DAY_MS) });
  await use(user, { inputUncached: 500_000, createdAt: new Date(Date.now() - 3 * DAY_MS) });
  await use(user, { inputUncached: 1_500_000, outputText: 1_000_000 });
  await use(stranger, { model: 'other/chat', provider: 'b', outputText: 5 });
});
afterAll(async () => {
  await receivers.stop();
  await world?.stop();
});

type Used = Omit<Parameters<typeof plantUsage>[1][number], 'tenantId'>;

function use({ tenantId }: Customer, row: Used) {
  const own = { tenantId, model: 'pool/chat', provider: 'a', inputUncached: 0, outputText: 0 };
  return plantUsage(world.nodes[0].owner.pool, [{ ...own, ...row }]);
}

async function addPrice(day: string, input: number, output: number, key = 'a:pool/chat') {
  const args =
    `key: "${key}", reason: "As announced", input: { effectiveFrom: "${day}", ` +
    `inputRub: "${input}", outputRub: "${output}" }`;
  const made = await changed(world.nodes[0], world.operator, 'deploymentPriceAdd', args);
  expect(made.faults).toEqual([]);
  const version = Number(made.version);
  await expect.poll(() => versionsOf(world)).toEqual([version, version]);
}

const noticesOf = (node: 0 | 1) => new PriceNotices(world.nodes[node].server.services);

/** Tells all, however often another node is in the way. */
async function tellAll(): Promise<void> {
  await expect.poll(() => noticesOf(0).tell(), { timeout: 20_000 }).toBe(true);
  await expect.poll(() => noticesOf(1).tell(), { timeout: 20_000 }).toBe(true);
}

async function toldTo({ tenantId }: Customer) {
  const { rows } = await world.nodes[0].owner.pool.query<{ type: string; payload: unknown }>(
    `SELECT type, subject_id AS subject, payload FROM feed_event
     WHERE tenant_id = $1 AND feed = 'anomalies' ORDER BY seq`,
    [tenantId],
  );
  return rows;
}

/** The first event of the feed, as a subscriber sees it. */
async function firstEvent({ token }: Customer) {
  const client = createClient({
    url: `${world.nodes[1].url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
  });
  const query = `subscription ($after: String) { anomalyEvents(after: $after) { type payload {
    __typename ... on PriceChangePayload { model effectiveFrom differenceRub
      dimensions { dimension priceBeforeRub priceRub } } } } }`;
  const variables = { after: encodeCursor(FEED_START) };
  try {
    for await (const { data } of client.iterate({ query, variables })) {
      return (data as { anomalyEvents: unknown } | undefined)?.anomalyEvents;
    }
    return undefined;
  } finally {
    await client.dispose();
  }
}

describe('a price row that begins later', () => {
  const day = dayAfter(10);

  it('is told once to those who used what it changes, in rubles of their own usage', async () => {
    const [receiver, foreign] = [await receivers.start(), await receivers.start()];
    const { secret } = await endpointAt(world.nodes[0], user, receiver);
    await endpointAt(world.nodes[0], stranger, foreign);
    await addPrice(day, 150, 1_000);
    await tellAll();
    await tellAll();
    await expect.poll(() => receiver.hits.length, WAIT).toBe(1);
    const [hit] = receiver.hits;
    expect(hit && verified(hit, secret)).toMatchObject({
      type: 'price.announced',
      data: { deployment: 'a:pool/chat', effective_from: day, difference_rub: '100.00' },
    });
    expect(foreign.hits).toEqual([]);
    expect(await toldTo(user)).toEqual([
      {
        type: 'price_change',
        subject: `a:pool/chat@${day}`,
        payload: {
          deployment: 'a:pool/chat',
          provider: 'a',
          model: 'pool/chat',
          effective_from: day,
          vat_basis: 'included',
          dimensions: [
            {
              dimension: 'input_uncached',
              price_before_rub: '100.00',
              price_rub: '150.00',
              tokens: '2000000',
              difference_rub: '100.00',
            },
          ],
          usage_days: 30,
          requests: '2',
          difference_rub: '100.00',
        },
      },
    ]);
    expect(await toldTo(stranger)).toEqual([]);
    expect(await firstEvent(user)).toEqual({
      type: 'price_change',
      payload: {
        __typename: 'PriceChangePayload',
        model: 'pool/chat',
        effectiveFrom: day,
        differenceRub: '100.00',
        dimensions: [{ dimension: 'input_uncached', priceBeforeRub: '100.00', priceRub: '150.00' }],
      },
    });
  });

  it('is told later to those who begin to use the model before its day', async () => {
    await use(stranger, { inputUncached: 1_000_000 });
    await tellAll();
    expect(await toldTo(stranger)).toMatchObject([
      { type: 'price_change', payload: { effective_from: day, difference_rub: '50.00' } },
    ]);
    expect(await toldTo(user)).toHaveLength(1);
  });

  it('that is superseded before its day is taken back, and the other one is told', async () => {
    await addPrice(day, 120, 1_000);
    await tellAll();
    expect((await toldTo(user)).slice(1)).toMatchObject([
      { type: 'price_change_withdrawn', payload: { difference_rub: '100.00' } },
      { type: 'price_change', payload: { effective_from: day, difference_rub: '40.00' } },
    ]);
  });

  it('of a dimension that an organization did not use is not told to it', async () => {
    const quiet = await newCustomer(world.nodes[0]);
    await use(quiet, { outputText: 7_000 });
    await tellAll();
    expect(await toldTo(quiet)).toEqual([]);
  });

  it('is told once also where the telling breaks off in between', async () => {
    const { pool } = world.nodes[0].owner;
    const before = [await toldTo(user), await toldTo(stranger)];
    await pool.query(`
      CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'the node is gone'; END $$;
      CREATE TRIGGER break_off BEFORE INSERT ON feed_event FOR EACH ROW
        WHEN (NEW.type = 'price_change' AND NEW.tenant_id = '${stranger.tenantId}')
        EXECUTE FUNCTION break_off()`);
    await addPrice(dayAfter(20), 300, 1_000);
    await expect
      .poll(
        () =>
          noticesOf(0)
            .tell()
            .catch((error: Error) => error.message),
        { timeout: 20_000 },
      )
      .toBe('the node is gone');
    await pool.query('DROP TRIGGER break_off ON feed_event; DROP FUNCTION break_off()');
    await tellAll();
    for (const [index, each] of [user, stranger].entries()) {
      const later = (await toldTo(each)).slice(before[index]?.length);
      expect(later).toMatchObject([
        { type: 'price_change', payload: { effective_from: dayAfter(20) } },
      ]);
    }
  });

  it('is told by no node that does not know the last change of the providers', async () => {
    const { services } = world.nodes[1].server;
    const registry = Object.create(services.registry, { version: { value: 1 } });
    const stale = { ...services, registry };
    expect(await new PriceNotices(stale as typeof services).tell()).toBe(false);
  });
});
