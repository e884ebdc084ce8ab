import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPolicy } from '../journeys/people.js';
import { type Customer, newCustomer, rest } from '../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../support/live-app.js';
import { newScanned, PROJECTS } from './migration/steps.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

const calls = () => app.double.received('live').length;

interface Asker {
  readonly customer: Customer;
  readonly headers?: Record<string, string>;
}

async function posted(path: string, body: object, { customer, headers = {} }: Asker) {
  const answer = await rest(app, 'POST', path, { credential: customer.token, headers, body });
  expect([path, answer.status]).toEqual([path, 200]);
}

/** What live models may be used under. */
const MASKS = ['phone', 'email', 'secret', 'passport', 'snils', 'inn', 'card', 'bank_account'];
const POLICY = {
  hybrid: 'rf_only',
  firewall: Object.fromEntries(MASKS.map((each) => [each, 'mask'])),
};

async function protectedCustomer(): Promise<Customer> {
  const customer = await newCustomer(app, 500);
  await newPolicy(app, customer.token, POLICY);
  return customer;
}

const TICKET = { subject: 'The printer', body: 'It does not print.', queues: ['Tills'] };

/** Runs a blueprint with the live model on an input without personal data. */
async function runBlueprint(asker: Asker): Promise<void> {
  app.double.script('live', { text: '{}', usage: null });
  const body = { model: LIVE, input: TICKET };
  await posted('/v1/gw/blueprints/support-ticket-triage/run', body, asker);
}

/** Compares a migration over a set of two items. */
async function evaluateMigration(asker: Asker): Promise<void> {
  app.double.script('live', { text: 'The number', usage: null });
  const id = await newScanned(app, asker.customer);
  const evaluation_set = ['One', 'Two'].map((input) => ({ input, expect: { contains: 'number' } }));
  const body = { source_cost_per_1m_rub: 120, evaluation_set };
  await posted(`${PROJECTS}/${id}/compare`, body, asker);
}

/** The classes of all requests of an organization, and who states them. */
async function classesOf({ tenantId }: Customer): Promise<unknown[]> {
  const rows = await app.owner.prisma.usageEvent.findMany({ where: { tenantId } });
  expect(rows.length).toBeGreaterThan(0);
  return rows.map(({ dataClass, metadata }) => {
    const sources = (metadata as { gw_data_class?: { source: string }[] }).gw_data_class ?? [];
    return [dataClass, sources.some(({ source }) => source === 'request')];
  });
}

/** Switches the response cache on for an organization. */
async function cached(customer: Customer): Promise<void> {
  const body = { contract_key: 'default', exact_cache_enabled: true, exact_cache_seconds: 600 };
  await posted('/v1/gw/workloads/contracts', body, { customer });
}

describe.each([
  ['a run of a blueprint', runBlueprint],
  ['an evaluation of a migration', evaluateMigration],
])('the requests of %s', (_name, act) => {
  it('have the class that a header of the caller states', async () => {
    const [customer, other] = [await protectedCustomer(), await protectedCustomer()];
    await act({ customer, headers: { 'x-gw-data-class': 'C4' } });
    await act({ customer: other });
    expect(new Set((await classesOf(customer)).map(String))).toEqual(new Set(['C4,true']));
    expect((await classesOf(other)).map(String)).not.toContain('C4,true');
  });
});

describe('the response cache', () => {
  it('serves a run of a blueprint, unless a header of the caller forbids it', async () => {
    const customer = await protectedCustomer();
    await cached(customer);
    const callsOf = async (headers: Record<string, string> = {}) => {
      const before = calls();
      await runBlueprint({ customer, headers });
      return calls() - before;
    };
    const first = await callsOf();
    expect(first).toBeGreaterThan(0);
    expect(await callsOf()).toBe(0);
    expect(await callsOf({ 'cache-control': 'no-store' })).toBe(first);
  });

  it('answers no evaluation of a migration and keeps none of its answers', async () => {
    const customer = await protectedCustomer();
    await cached(customer);
    const before = calls();
    for (const ran of [2, 4]) {
      await evaluateMigration({ customer });
      expect(calls() - before).toBe(ran);
    }
    const rows = await app.owner.prisma.usageEvent.findMany({
      where: { tenantId: customer.tenantId },
    });
    const kept = rows.map(({ metadata }) => (metadata as { gw_cache?: object }).gw_cache);
    expect(kept).toEqual(rows.map(() => undefined));
  });
});
