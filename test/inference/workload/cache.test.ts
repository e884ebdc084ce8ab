import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { type Body, routingOf, VOICES } from '../money/world.js';
import { effectsOf, PLAIN, publish, startWorkloadWorld, THINKER } from './world.js';

let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  app = await startWorkloadWorld();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

let questions = 0;
/** A request of a workload that no test has made before. */
function fresh(workload: string, more: Body = {}): Body & { readonly metadata: Body } {
  questions += 1;
  const messages = [{ role: 'user', content: `Вопрос ${questions}` }];
  return { model: PLAIN, max_tokens: 50, messages, metadata: { workload }, ...more };
}

const cached = (who: Customer, contract_key: string, terms: Body = {}) =>
  publish(app, who, {
    contract_key,
    exact_cache_enabled: true,
    exact_cache_seconds: 600,
    ...terms,
  });

describe.each(VOICES)('the term of a kept answer (%s)', (_name, ask) => {
  it('is that of the contract of its reader, whatever that of its writer is', async () => {
    await cached(customer, 'long');
    await cached(customer, 'short', { exact_cache_seconds: 1 });
    const body = fresh('long');
    const under = async (workload: string) => {
      const told = await ask(app, customer.key, { ...body, metadata: { workload } });
      return (routingOf(told).cache as Body).status;
    };
    expect(await under('long')).toBe('miss');
    await vi.waitFor(async () => expect(await under('short')).toBe('miss'), 10_000);
  });
});

describe('an answer that contracts of two terms keep', () => {
  const [[, ask]] = VOICES as [(typeof VOICES)[number]];

  it('is kept for the longer one, whichever has called for it', async () => {
    await cached(customer, 'for_minutes');
    await cached(customer, 'for_a_second', { exact_cache_seconds: 1 });
    const body = fresh('for_minutes');
    const under = async (workload: string) => {
      const told = await ask(app, customer.key, { ...body, metadata: { workload } });
      return (routingOf(told).cache as Body).status;
    };
    expect(await under('for_minutes')).toBe('miss');
    // Written anew under the shorter term.
    await vi.waitFor(async () => expect(await under('for_a_second')).toBe('miss'), 10_000);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await under('for_minutes')).toBe('hit');
    expect(await under('for_a_second')).toBe('miss');
  });
});

describe('the scope of kept answers', () => {
  const [[, ask]] = VOICES as [(typeof VOICES)[number]];
  const statusOf = async (body: Body, key = customer.key) => {
    const told = await ask(app, key, body);
    return (routingOf(told).cache as Body | undefined)?.status;
  };

  it('is the organization, one project or one client', async () => {
    const { data } = await graphql<{ projectCreate: { id: string } }>(
      app,
      'mutation { projectCreate(name: "another") { id } }',
      {},
      customer.token,
    );
    const created = await rest<{ key: string }>(app, 'POST', '/api-keys', {
      credential: customer.token,
      body: { keyType: 'service', name: 'other', projectId: data.projectCreate.id },
    });
    const { key } = created.body;
    const byScope = {
      organization: ['hit', 'hit'],
      project: ['miss', 'hit'],
      client: ['hit', 'miss'],
    };
    for (const [scope, [otherProject, otherClient]] of Object.entries(byScope)) {
      await cached(customer, scope, { exact_cache_scope: scope });
      const body = fresh(scope);
      expect(await statusOf(body)).toBe('miss');
      expect(await statusOf(body)).toBe('hit');
      expect([scope, await statusOf(body, key)]).toEqual([scope, otherProject]);
      const client = { ...body, metadata: { ...body.metadata, client_id: 'c-1' } };
      expect([scope, await statusOf(client)]).toEqual([scope, otherClient]);
    }
  });

  it('never reaches another organization', async () => {
    const other = await newCustomer(app, 1_000);
    for (const who of [customer, other])
      await cached(who, 'shared', { exact_cache_scope: 'client' });
    const body = fresh('shared');
    expect([await statusOf(body), await statusOf(body, other.key)]).toEqual(['miss', 'miss']);
  });

  it('keeps answers of other reasoning apart', async () => {
    await cached(customer, 'thinks', { reasoning_effort_max: 'high' });
    const body = fresh('thinks', { model: THINKER });
    expect([await statusOf(body), await statusOf(body)]).toEqual(['miss', 'hit']);
    await cached(customer, 'thinks', { reasoning_effort_max: 'low' });
    expect(await statusOf(body)).toBe('miss');
  });

  it('can pass over no-cache, and never over no-store', async () => {
    await cached(customer, 'firm', {
      exact_cache_bypass: 'no_store_only',
      exact_cache_scope: 'project',
    });
    await cached(customer, 'free');
    const asking = async (workload: string, cache_control: string) => {
      const body = fresh(workload);
      await ask(app, customer.key, body);
      const metadata = { ...body.metadata, cache_control };
      const told = await ask(app, customer.key, { ...body, metadata });
      return effectsOf(told);
    };
    const firm = { stated: '600', asked: 'no-cache', used: '600', reason: 'kept_answer' };
    expect(await asking('firm', 'no-cache')).toEqual({
      cache_seconds: firm,
      cache_scope: { ...firm, stated: 'project', asked: null, used: 'project' },
    });
    expect((await asking('firm', 'no-store'))?.cache_seconds).toEqual({
      ...firm,
      asked: 'no-store',
      used: null,
      reason: 'bypassed',
    });
    expect(await asking('free', 'no-cache')).toEqual({
      cache_seconds: { ...firm, reason: 'bypassed' },
    });
  });
});
