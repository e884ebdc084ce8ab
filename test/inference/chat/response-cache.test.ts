import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
  for (const who of [customer, other]) await publish(who, {});
});
afterAll(() => app.stop());
beforeEach(() => app.double.script('live', {}));

type Body = Record<string, unknown>;

async function publish(who: Customer, more: Body) {
  const answer = await rest(app, 'POST', '/v1/gw/workloads/contracts', {
    credential: who.token,
    body: {
      contract_key: 'default',
      exact_cache_enabled: true,
      exact_cache_seconds: 600,
      ...more,
    },
  });
  expect(answer.status).toBe(200);
}

let asked = 0;
/** A request that no test has made before. */
function fresh(more: Body = {}): Body {
  asked += 1;
  const content = `Как дела, вопрос ${asked}?`;
  return { model: LIVE, max_tokens: 100, messages: [{ role: 'user', content }], ...more };
}

interface Chat {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly gw_routing: { readonly cost_rub: number; readonly cache?: Body; readonly price: Body };
}

async function chat(body: Body, who = customer): Promise<Chat> {
  const answer = await rest<Chat>(app, 'POST', '/v1/chat/completions', {
    credential: who.key,
    body,
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

const calls = () => app.double.received('live').length;
const cacheOf = async (body: Body, who = customer) => (await chat(body, who)).gw_routing.cache;

/** The text of a stream, with the receipts of its last chunk. */
async function streamed(body: Body, who = customer) {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const events = (await response.text())
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'));
  const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)));
  const text = chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('');
  return { text, routing: chunks.at(-1).gw_routing };
}

describe('an equal request', () => {
  it('is answered from the cache, at a tenth of the price, and the receipt says so', async () => {
    const body = fresh();
    const before = calls();
    const first = await chat(body);
    const second = await chat(body);
    expect(calls()).toBe(before + 1);
    expect(second.choices).toEqual(first.choices);
    expect(first.gw_routing.cache).toEqual({
      status: 'miss',
      contract: 'default',
      contract_version: 1,
      closed_by: [],
      age_seconds: null,
      price_basis_points: null,
    });
    expect(second.gw_routing.cache).toEqual({
      status: 'hit',
      contract: 'default',
      contract_version: 1,
      closed_by: [],
      age_seconds: expect.any(Number),
      price_basis_points: 1_000,
    });
    expect(second.gw_routing.cost_rub).toBeCloseTo(first.gw_routing.cost_rub / 10, 9);
    const { rows } = await app.owner.pool.query(
      `SELECT amount_micro::float8 / 1e6 AS rub, attempts, metadata->>'gw_cache' AS cache
       FROM usage_event WHERE tenant_id = $1 ORDER BY txid DESC, seq DESC LIMIT 1`,
      [customer.tenantId],
    );
    expect(rows).toEqual([{ rub: second.gw_routing.cost_rub, attempts: 0, cache: 'hit' }]);
  });

  it('is answered as a stream too, with the same text and one call', async () => {
    const body = fresh();
    const before = calls();
    const first = await streamed(body);
    const second = await streamed(body);
    expect(calls()).toBe(before + 1);
    expect(second.text).toBe(first.text);
    expect(first.text).not.toBe('');
    expect([first.routing.cache.status, second.routing.cache.status]).toEqual(['miss', 'hit']);
    expect(second.routing.cost_rub).toBeCloseTo(first.routing.cost_rub / 10, 9);
  });

  it('is answered over GraphQL too, typed', async () => {
    const question = { parts: [{ text: 'Сколько будет дважды два?' }], role: 'user' };
    const ask = async () => {
      const { data } = await graphql<{ chatComplete: { gwRouting: { cache: Body } } }>(
        app,
        `mutation ($input: ChatInput!) { chatComplete(input: $input) {
          gwRouting { cache { status contract contractVersion closedBy priceBasisPoints } } } }`,
        { input: { model: LIVE, maxTokens: 100, messages: [question] } },
        customer.key,
      );
      return data.chatComplete.gwRouting.cache;
    };
    const cache = { contract: 'default', contractVersion: 1, closedBy: [] };
    expect(await ask()).toEqual({ ...cache, status: 'miss', priceBasisPoints: null });
    expect(await ask()).toEqual({ ...cache, status: 'hit', priceBasisPoints: 1_000 });
  });

  it('of another organization asks the provider itself, whatever the first one keeps', async () => {
    for (let round = 0; round < 10; round += 1) {
      const body = fresh({ temperature: round / 10 });
      app.double.script('live', { text: `для первого ${round}` });
      await chat(body);
      app.double.script('live', { text: `для второго ${round}` });
      const before = calls();
      const answer = await chat(body, other);
      expect(answer.choices[0]?.message.content).toBe(`для второго ${round}`);
      expect(calls()).toBe(before + 1);
      expect((await chat(body)).choices[0]?.message.content).toBe(`для первого ${round}`);
    }
  });

  it('at the same time is asked once: a stampede of twenty makes one call', async () => {
    app.double.script('live', { delayMs: 300 });
    for (const ask of [chat, streamed]) {
      const body = fresh();
      const before = calls();
      await Promise.all(Array.from({ length: 20 }, () => ask(body)));
      expect(calls()).toBe(before + 1);
    }
  });
});

describe('the cache is closed', () => {
  const closedBy = async (body: Body) => {
    const before = calls();
    const [first, second] = [await cacheOf(body), await cacheOf(body)];
    expect(calls()).toBe(before + 2);
    expect(first).toEqual(second);
    return [first?.status, first?.closed_by];
  };

  it('cache_closed_for_personal: to C3, to tools, and to requests of one person', async () => {
    const say = (content: string) => ({ messages: [{ role: 'user', content }] });
    const parameters = { type: 'object', properties: {} };
    const tools = [{ type: 'function', function: { name: 'pay', parameters } }];
    expect(await closedBy(fresh(say('Паспорт 4509 123456, выдан ОВД')))).toEqual([
      'closed',
      ['data_class_closed'],
    ]);
    expect(await closedBy(fresh({ tools }))).toEqual(['closed', ['writes']]);
    expect(await closedBy(fresh({ user: 'u-1' }))).toEqual(['closed', ['personalized']]);
    const personal = fresh({ user: 'u-1', tools });
    expect(await closedBy(personal)).toEqual(['closed', ['writes', 'personalized']]);
  });

  it('to what JSON does not tell apart exactly, and to what is nested too deep', async () => {
    let schema: Body = { type: 'string' };
    for (let depth = 0; depth < 14; depth += 1) {
      schema = { type: 'object', properties: { inner: schema } };
    }
    const format = { type: 'json_schema', json_schema: { name: 'deep', schema } };
    for (const odd of [{ seed: 2 ** 53 }, { response_format: format }]) {
      expect(await closedBy(fresh(odd))).toEqual(['closed', ['not_exact']]);
    }
  });

  it('to answers that are cut, lie about their usage, fail or are no JSON', async () => {
    const choice = {
      index: 0,
      message: { role: 'assistant', content: 'x' },
      finish_reason: 'length',
    };
    const length = {
      raw: JSON.stringify({ id: 'x', object: 'chat.completion', choices: [choice] }),
      headers: { 'content-type': 'application/json' },
    };
    const lie = { usage: { prompt_tokens: 11, completion_tokens: 9_999_999, total_tokens: 1 } };
    for (const behaviour of [length, lie]) {
      app.double.script('live', behaviour);
      const body = fresh();
      const before = calls();
      await chat(body);
      await chat(body);
      expect(calls()).toBe(before + 2);
    }
    for (const behaviour of [{ raw: 'not json' }, { status: 500 }]) {
      app.double.script('live', behaviour);
      const body = fresh();
      const failed = await rest(app, 'POST', '/v1/chat/completions', {
        credential: customer.key,
        body,
      });
      expect(failed.status).toBeGreaterThanOrEqual(500);
      app.double.script('live', {});
      expect((await cacheOf(body))?.status).toBe('miss');
    }
  });

  it('by the next version of the contract, from the next request on', async () => {
    const body = fresh({ metadata: { workload: 'switched' } });
    expect(await cacheOf(body)).toBeUndefined();
    await publish(customer, { contract_key: 'switched' });
    expect([(await cacheOf(body))?.status, (await cacheOf(body))?.status]).toEqual(['miss', 'hit']);
    await publish(customer, { contract_key: 'switched', exact_cache_enabled: false });
    const before = calls();
    expect(await cacheOf(body)).toBeUndefined();
    expect(calls()).toBe(before + 1);
  });

  it('to another version of the policy', async () => {
    const body = fresh();
    await chat(body);
    const made = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { name: 'later', allowed_models: [LIVE] },
    });
    expect(made.status).toBeLessThan(300);
    expect((await cacheOf(body))?.status).toBe('miss');
  });
});

it('nothing stays held, and the books hold', async () => {
  const { rows } = await app.owner.pool.query(
    'SELECT DISTINCT held_micro::int AS held FROM account',
  );
  expect(rows).toEqual([{ held: 0 }]);
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
});
