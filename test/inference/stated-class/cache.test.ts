import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { type Asker, ask, type Body, INSIDE, startWorld, stream, WAYS } from './world.js';

let app: ProvidedApp;
beforeAll(async () => {
  app = await startWorld();
});
afterAll(() => app?.stop());

const calls = () => app.double.log.length;

/** Switches the cache on for an organization. */
async function cached({ token }: Customer): Promise<void> {
  const body = { contract_key: 'default', exact_cache_enabled: true, exact_cache_seconds: 600 };
  const path = '/v1/gw/workloads/contracts';
  expect((await rest(app, 'POST', path, { credential: token, body })).status).toBe(200);
}

let asked = 0;
/** Members of a request that no test has made before. */
function fresh(more: Body = {}): Body {
  asked += 1;
  return { model: INSIDE, messages: [{ role: 'user', content: `Вопрос ${asked}?` }], ...more };
}

async function cacheOf(asker: Asker, body: Body) {
  const { gw_routing } = (await ask(app, asker, body)).body;
  const { status, closed_by } = (gw_routing as unknown as { cache: Body }).cache;
  return [status, closed_by];
}

describe.each(Object.keys(WAYS))('data that the %s states as C4', (source) => {
  it('is answered by no cache and kept in none, whole, streamed and at once', async () => {
    const asker = await WAYS[source]?.(app, 'C4');
    if (!asker) throw new Error(source);
    await cached(asker.customer);
    const closed = ['closed', ['data_class_closed']];
    const body = fresh();
    const before = calls();
    expect([await cacheOf(asker, body), await cacheOf(asker, body)]).toEqual([closed, closed]);
    expect(calls()).toBe(before + 2);
    const streamed = [await stream(app, asker, body), await stream(app, asker, body)];
    for (const { gw_routing } of streamed) {
      expect(gw_routing).toMatchObject({ cache: { status: 'closed' } });
    }
    expect(calls()).toBe(before + 4);
    // Of equal requests at the same time each calls for itself.
    const atOnce = fresh();
    await Promise.all(Array.from({ length: 5 }, () => ask(app, asker, atOnce)));
    expect(calls()).toBe(before + 9);
  });
});

describe('a class that is stated for some requests', () => {
  it('takes no answer that was kept of the others, and leaves them none', async () => {
    const customer = await newCustomer(app, 500);
    await cached(customer);
    const asker: Asker = { customer, key: customer.key };
    const body = fresh();
    expect(await cacheOf(asker, body)).toEqual(['miss', []]);
    const stated = { ...asker, metadata: { data_class: 'C3' } };
    expect(await cacheOf(stated, body)).toEqual(['closed', ['data_class_closed']]);
    expect(await cacheOf(asker, body)).toEqual(['hit', []]);
    const other = fresh();
    await cacheOf(stated, other);
    expect(await cacheOf(asker, other)).toEqual(['miss', []]);
    expect(await cacheOf({ ...asker, metadata: { data_class: 'C2' } }, body)).toEqual(['hit', []]);
  });

  it('closes the cache also where a policy does not look for that class', async () => {
    const customer = await newCustomer(app, 500);
    await cached(customer);
    await rest(app, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { firewall: { card: 'off' } },
    });
    const asker: Asker = { customer, key: customer.key };
    expect(await cacheOf(asker, fresh())).toEqual(['closed', ['data_class_unknown']]);
    const stated = { ...asker, metadata: { data_class: 'C4' } };
    expect(await cacheOf(stated, fresh())).toEqual(['closed', ['data_class_closed']]);
  });
});

describe('a request that writes', () => {
  it('is closed to the cache exactly as the plan of the cache says', async () => {
    const customer = await newCustomer(app, 500);
    await cached(customer);
    const asker: Asker = { customer, key: customer.key };
    for (const [writes, data_class] of [
      [true, 'C1'],
      ['true', 'C1'],
      [false, 'C1'],
      ['false', 'C4'],
      [true, 'C3'],
    ] as const) {
      const plan = await rest<{ closed_by: string[] }>(app, 'POST', '/v1/gw/workloads/cache-plan', {
        credential: customer.token,
        body: {
          tenant_id: customer.tenantId,
          request_sha256: 'a'.repeat(64),
          model: INSIDE,
          contract_enabled: true,
          data_class,
          writes: String(writes) === 'true',
          personalized: false,
          similarity: 1,
        },
      });
      expect(plan.status).toBe(200);
      const [status, closedBy] = await cacheOf(
        { ...asker, metadata: { data_class, writes } },
        fresh(),
      );
      expect([status, closedBy]).toEqual([
        plan.body.closed_by.length > 0 ? 'closed' : 'miss',
        plan.body.closed_by,
      ]);
    }
    const body = fresh({ metadata: { writes: false } });
    expect((await cacheOf(asker, body))[0]).toBe('miss');
    expect((await cacheOf(asker, body))[0]).toBe('hit');
  });

  it('says so in the typed field too, where no label may stand twice', async () => {
    const customer = await newCustomer(app, 500);
    await cached(customer);
    const complete = (metadata: Body) =>
      graphql<{ chatComplete: { gwRouting: { cache: object } } } | null>(
        app,
        `mutation($input: ChatInput!) { chatComplete(input: $input) {
          gwRouting { dataClass cache { status closedBy } } } }`,
        { input: { ...fresh(), maxTokens: 50, metadata } },
        customer.key,
      );
    const closed = { status: 'closed', closedBy: ['writes'] };
    for (const metadata of [
      { writes: true },
      { more: { writes: 'true' } },
      { writes: null, more: { writes: true } },
    ]) {
      const { data } = await complete(metadata);
      expect(data?.chatComplete.gwRouting).toEqual({ dataClass: 'C0', cache: closed });
    }
    const { data } = await complete({ dataClass: null, more: { data_class: 'C4' } });
    expect(data?.chatComplete.gwRouting).toMatchObject({ dataClass: 'C4' });
    const twice = await complete({ dataClass: 'C0', more: { data_class: 'C4' } });
    expect(twice.errors?.[0]?.extensions).toMatchObject({
      code: 'invalid_request',
      faults: [{ path: 'input.metadata.more.data_class', code: 'invalid' }],
    });
    const wrong = await complete({ more: { data_class: 'C7' } });
    expect(wrong.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request' });
  });
});

it('an answer to stated data under an Idempotency-Key is given again', async () => {
  const customer = await newCustomer(app, 500);
  const headers = { 'idempotency-key': 'stated-once' };
  const asker: Asker = { customer, key: customer.key, headers, metadata: { data_class: 'C4' } };
  const before = calls();
  const [first, second] = [await ask(app, asker), await ask(app, asker)];
  expect([outcome(first), outcome(second)]).toEqual(['200', '200']);
  expect(second.body).toEqual(first.body);
  expect(calls()).toBe(before + 1);
});
