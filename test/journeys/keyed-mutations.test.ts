import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSchema } from '../../src/app/schema.js';
import { KEYED_MUTATIONS } from '../../src/graph/keeping.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';
import { callsOfMutations } from '../support/mutation-calls.js';

const schema = await openSchema();

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** What a node leaves that died after the commit and before its answer was kept. */
async function loseAnswer(key: string): Promise<void> {
  const { rowCount } = await app.owner.pool.query(
    `UPDATE idempotency_record SET status = 'running', answer = NULL, http_status = NULL,
       content_type = NULL, renewed_at = renewed_at - interval '10 minutes'
     WHERE key = $1 AND status = 'done'`,
    [key],
  );
  expect(rowCount).toBe(1);
}

interface Told {
  readonly status: number;
  readonly text: string;
}

const differences: object[] = [];
const send = globalThis.fetch;

async function told(response: Promise<Response>): Promise<Told> {
  const answer = await response;
  return { status: answer.status, text: await answer.text() };
}

/** Makes every change under a key, loses its answer, and repeats it twice. */
async function sendTwice(url: Parameters<typeof fetch>[0], init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  const reads = init.method === 'GET' || String(init.body).includes('"query":"{');
  if (reads || !headers.has('authorization')) return send(url, init);
  const key = randomUUID();
  headers.set('idempotency-key', key);
  const ask = () => send(url, { ...init, headers });
  const first = await told(ask());
  if (first.status >= 400 || first.text.includes('"errors"')) {
    differences.push({ url, init, first });
  } else {
    await loseAnswer(key);
    const second = await told(ask());
    const response = await ask();
    const third = { status: response.status, text: await response.clone().text() };
    const replayed = response.headers.get('idempotent-replayed');
    const same = [second, third].every(({ text }) => text === first.text);
    if (!same || replayed !== 'true') differences.push({ url, init, first, second, third });
  }
  return new Response(first.text, {
    status: first.status,
    headers: { 'content-type': 'application/json' },
  });
}

describe('the table of keyed mutations', () => {
  it('names every mutation of the schema once', () => {
    const fields = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect([...KEYED_MUTATIONS.keys()].sort()).toEqual(fields.sort());
  });
});

/** They have no caller, and so no key, or none that could ask again. */
const WITHOUT_CALLER = ['authRegister', 'authLogout'];

const later = new Proxy({} as TestApp, { get: (_none, name) => Reflect.get(app, name) });
const calls = callsOfMutations(later);

describe('a mutation that is repeated because its answer was lost', () => {
  let customer: Customer;
  beforeEach(async () => {
    customer = await newCustomer(app, 500);
    differences.length = 0;
    vi.stubGlobal('fetch', sendTwice);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const names = Object.keys(calls).filter((name) => !WITHOUT_CALLER.includes(name));
  it.each(names)('answers the same and is made once: %s', async (name) => {
    const before = await events(name);
    await calls[name]?.(customer);
    expect(differences).toEqual([]);
    expect(await events(name)).toBe(before + 1);
  });

  const RECORDED_AS: Readonly<Record<string, string>> = {
    toolCallApprove: 'approvalApprove',
    toolCallReject: 'approvalReject',
  };

  async function events(name: string): Promise<number> {
    const action = RECORDED_AS[name] ?? name;
    const where = { tenantId: customer.tenantId, action };
    return app.owner.prisma.auditEvent.count({ where });
  }
});
