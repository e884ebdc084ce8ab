import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/delivery/cockpit/vocabulary.js';
import { setWorkspaceRequired } from '../../access/organization/samples.js';
import { newWorkspace } from '../../access/workspaces/samples.js';
import { type Books, openBooks } from '../../faults/books.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { COCKPIT, type ShownRun } from './runs.js';

let database: TestDatabase;
let books: Books;
let app: TestApp;
let customer: Customer;

beforeAll(async () => {
  database = await freshDatabase();
  books = openBooks(database.connection);
  app = await startApp({ DATABASE_URL: database.databaseUrl });
  customer = await newCustomer(app, 500);
});
afterAll(async () => {
  await app.stop();
  await books.close();
  await database.drop();
});

function run(credential: string, body: Readonly<Record<string, unknown>> = {}) {
  return rest<ShownRun>(app, 'POST', COCKPIT, { credential, body });
}

function statuses({ checks }: ShownRun): Record<string, string> {
  return Object.fromEntries(checks.map(({ code, status }) => [code, status]));
}

const ALL_PASS = {
  auth: 'pass',
  models: 'pass',
  chat: 'pass',
  streaming: 'pass',
  embeddings: 'pass',
  tool_calls: 'pass',
  error_format: 'pass',
};

async function usageOf(owner: Customer) {
  const path = '/usage?feature=gw_cockpit';
  const { body } = await rest<{ data: { request_id: string; amount_rub: number }[] }>(
    app,
    'GET',
    path,
    { credential: owner.token },
  );
  return body.data;
}

describe('the migration cockpit runs live checks with the caller’s own key', () => {
  it('each with latency, pass or fail and the evidence, as real billed requests', async () => {
    const owner = await newCustomer(app, 500);
    const { status, body } = await run(owner.key);
    expect([status, body.status, statuses(body)]).toEqual([200, 'passed_simulated', ALL_PASS]);
    expect(Object.fromEntries(body.checks.map(({ code, evidence }) => [code, evidence]))).toEqual({
      auth: { kind: 'api_key', role: 'service' },
      models: { models: 4, model: 'gw:auto' },
      chat: expect.objectContaining({ model: 'sandbox/gw-mini', finish_reason: 'stop' }),
      streaming: expect.objectContaining({ done: true, model: 'sandbox/gw-mini' }),
      embeddings: { model: 'sandbox/gw-embed', dimensions: 256 },
      tool_calls: { model: 'sandbox/gw-pro', tool: 'report_weather', arguments: ['city'] },
      error_format: { error_code: 'model_not_found', error_type: 'not_found_error', missing: [] },
    });
    for (const check of body.checks) {
      expect(check.latency_ms).toBeGreaterThanOrEqual(0);
      expect(check.request_id).toMatch(/^[0-9a-f-]{36}$/);
    }
    const usage = await usageOf(owner);
    const billed = body.checks.filter(({ cost_rub }) => (cost_rub ?? 0) > 0);
    expect(billed.map(({ code }) => code)).toEqual([
      'chat',
      'streaming',
      'embeddings',
      'tool_calls',
    ]);
    expect(new Map(usage.map((row) => [row.request_id, row.amount_rub]))).toEqual(
      new Map(billed.map((check) => [check.request_id, check.cost_rub])),
    );
    const sum = usage.reduce((total, row) => total + row.amount_rub, 0);
    expect(body.cost_rub).toBeCloseTo(sum, 6);
  });

  it.each(['standard', 'service', 'agent'])('with a key of type %s', async (keyType) => {
    const { id, key } = await newKey(app, customer.token, keyType);
    const { body } = await run(key);
    expect([body.status, body.caller_kind, body.caller_id]).toEqual([
      'passed_simulated',
      'api_key',
      id,
    ]);
  });

  it('with a member’s token, over GraphQL', async () => {
    const { data } = await graphql<{ migrationCheckRun: Record<string, unknown> }>(
      app,
      'mutation { migrationCheckRun { status callerKind callerId checks { code status } } }',
      {},
      customer.token,
    );
    expect(data.migrationCheckRun).toEqual({
      status: 'passed_simulated',
      callerKind: 'user',
      callerId: customer.userId,
      checks: Object.entries(ALL_PASS).map(([code, status]) => ({ code, status })),
    });
  });

  it('under the workspace that the caller names, as where every request needs one', async () => {
    const strict = await newCustomer(app, 500);
    const policy = { actions: ['chat', 'embeddings', 'tools'] };
    const { id } = (await newWorkspace(app, strict, { policy })).body;
    await setWorkspaceRequired(app, strict.token, true);
    const options = { credential: strict.key, body: {} };
    const without = await rest<ShownRun>(app, 'POST', COCKPIT, options);
    const headers = { 'x-gw-workspace': id };
    const within = await rest<ShownRun>(app, 'POST', COCKPIT, { ...options, headers });
    expect(statuses(without.body).chat).toBe('fail');
    expect(statuses(within.body)).toEqual(ALL_PASS);
  });

  it('and with the models that are asked for', async () => {
    const { body } = await run(customer.key, { model: 'no/such', embeddings_model: 'nor/this' });
    expect([body.status, statuses(body)]).toEqual([
      'failed',
      {
        ...ALL_PASS,
        models: 'fail',
        chat: 'fail',
        streaming: 'fail',
        embeddings: 'fail',
        tool_calls: 'fail',
      },
    ]);
  });
});

describe('a refusal is a failed check and no error', () => {
  it('lack of funds shows the fix of the catalogue', async () => {
    const poor = await newCustomer(app);
    const { status, body } = await run(poor.key);
    const chat = body.checks.find(({ code }) => code === 'chat');
    expect([status, body.status, body.cost_rub]).toEqual([200, 'failed', 0]);
    expect(chat).toMatchObject({
      status: 'fail',
      status_code: 402,
      fix: 'Top up the account. Send a shorter prompt or a lower max_tokens.',
      evidence: { error_code: 'insufficient_balance' },
      cost_rub: 0,
    });
    expect(statuses(body)).toMatchObject({ auth: 'pass', models: 'pass', error_format: 'pass' });
  });

  it('without a model of embeddings that check is skipped', async () => {
    const owner = await newCustomer(app, 500);
    const policy = { allowed_models: ['sandbox/gw-mini'] };
    await rest(app, 'POST', '/v1/gw/policies', { credential: owner.token, body: policy });
    const { body } = await run(owner.key);
    expect([body.status, statuses(body)]).toEqual([
      'passed_simulated',
      { ...ALL_PASS, embeddings: 'skipped' },
    ]);
  });

  it.each([
    ['a model without a name', { model: '' }],
    ['a name of 201 characters', { embeddings_model: 'a'.repeat(201) }],
  ])('but %s is', async (_name, body) => {
    expect(outcome(await run(customer.key, body))).toBe('400 invalid_request');
  });
});

describe('who may run and read', () => {
  it('takes the right to run inference', async () => {
    expect(outcome(await rest(app, 'POST', COCKPIT, { body: {} }))).toBe('401 missing_credential');
    const viewer = await newMember(app, customer.token, 'viewer');
    expect(outcome(await run(viewer.token))).toBe('403 permission_denied');
  });

  it('lists the own runs alone, newest first', async () => {
    const owner = await newCustomer(app, 500);
    const first = (await run(owner.key)).body;
    const second = (await run(owner.key, { model: 'no/such' })).body;
    const listed = await rest<{ data: ShownRun[] }>(app, 'GET', `${COCKPIT}/runs`, {
      credential: owner.token,
    });
    expect(listed.body.data).toEqual([second, first]);
    const stranger = await rest<{ data: ShownRun[] }>(app, 'GET', `${COCKPIT}/runs`, {
      credential: (await newCustomer(app)).token,
    });
    expect(stranger.body.data).toEqual([]);
    const agent = await newKey(app, owner.token, 'agent');
    const refused = await rest(app, 'GET', `${COCKPIT}/runs`, { credential: agent.key });
    expect(outcome(refused)).toBe('403 permission_denied');
  });
});

describe('progress', () => {
  it('is told by a durable feed, each check once and in order, to the own members', async () => {
    const owner = await newCustomer(app, 500);
    const following = new AbortController();
    const stream = await follow(owner.token, following.signal);
    const other = await newCustomer(app, 500);
    await run(other.key);
    const { body } = await run(owner.key);
    const events = await take(stream, 9);
    following.abort();
    expect(events.map(({ type, payload }) => [type, payload.code ?? payload.status])).toEqual([
      ['started', undefined],
      ...body.checks.map(({ code }) => ['checked', code]),
      ['finished', 'passed_simulated'],
    ]);
    expect(new Set(events.map(({ subjectId }) => subjectId))).toEqual(new Set([body.id]));
  });
});

interface Told {
  readonly type: string;
  readonly subjectId: string;
  readonly payload: { readonly code?: string; readonly status?: string };
}

async function follow(credential: string, signal: AbortSignal) {
  const query = `subscription {
    migrationCheckEvents {
      type
      subjectId
      payload {
        ... on MigrationCheck { code }
        ... on MigrationCheckRunEnd { status }
      }
    }
  }`;
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${credential}`,
    },
    body: JSON.stringify({ query }),
  });
  if (!response.body) throw new Error('nothing follows');
  return response.body.pipeThrough(new TextDecoderStream()).getReader();
}

async function take(reader: Awaited<ReturnType<typeof follow>>, count: number): Promise<Told[]> {
  let text = '';
  for (;;) {
    const told = [...text.matchAll(/^data: (\{.*\})$/gm)].map(
      ([, json = '']) =>
        (JSON.parse(json) as { data: { migrationCheckEvents: Told } }).data.migrationCheckEvents,
    );
    if (told.length >= count) return told;
    const { value, done } = await reader.read();
    if (done) throw new Error(`the feed ended after ${told.length} events`);
    text += value;
  }
}

describe('a client that goes away', () => {
  it('stops the checks that have not begun, and the run says so', async () => {
    const owner = await newCustomer(app, 500);
    const following = new AbortController();
    const stream = await follow(owner.token, following.signal);
    const leaving = new AbortController();
    const release = await holdsWait();
    const asked = fetch(app.url + COCKPIT, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.key}` },
      body: '{}',
    }).catch(() => undefined);
    await take(stream, 3);
    leaving.abort();
    await asked;
    following.abort();
    const [stopped] = await finishedRuns(owner);
    await release();
    expect(stopped?.status).toBe('stopped');
    expect(stopped?.checks.slice(0, 2).map(({ status }) => status)).toEqual(['pass', 'pass']);
    const away = 'The client went away before this check was done.';
    expect(stopped?.checks.slice(2).map(({ status, message }) => [status, message])).toEqual(
      CHECKS.rows.slice(2).map(() => ['skipped', away]),
    );
    expect((await usageOf(owner)).filter(({ amount_rub }) => amount_rub > 0)).toEqual([]);
  });
});

/** Lets every hold of the ledger wait, so that the first billed check does. */
async function holdsWait(): Promise<() => Promise<void>> {
  const client = await books.pool.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE hold IN EXCLUSIVE MODE');
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

async function finishedRuns(owner: Customer): Promise<readonly ShownRun[]> {
  for (;;) {
    const { body } = await rest<{ data: ShownRun[] }>(app, 'GET', `${COCKPIT}/runs`, {
      credential: owner.token,
    });
    if (body.data.length > 0) return body.data;
    await sleep(20);
  }
}
