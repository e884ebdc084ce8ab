import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { expect } from 'vitest';
import { RETENTION } from '../../../src/assurance/trust/retention.js';
import { newId } from '../../../src/kernel/ids.js';
import { everyTenant } from '../../../src/platform/database/tenant.js';
import { chainTrails } from '../../../src/records/audit-chain.js';
import { run } from '../../delivery/blueprints/wire.js';
import { readSealedRows } from '../../faults/sealed-rows.js';
import { newSealedWorld, SEALED_WRITES, writeSealed } from '../../faults/sealed-writes.js';
import { newPolicy } from '../../journeys/people.js';
import { type Customer, rest, type TestApp } from '../../support/app.js';
import { EASY_CASES, posted } from '../../support/proof.js';

/** Leaves rows of one organization in every table that the list of retention names. */
export async function fill(app: TestApp, customer: Customer): Promise<void> {
  const { token: credential, tenantId } = customer;
  const world = await newSealedWorld(app, customer);
  for (const kind of SEALED_WRITES) {
    expect(await writeSealed(app, world, kind)).toMatchObject({ isDone: true });
  }
  await posted(app, credential, `prompts/${world.promptId}/case-sets`, { cases: EASY_CASES });
  await newPolicy(app, credential, { hybrid: 'hybrid' });
  const input = { subject: 'Tills', body: 'They do not print.', queues: ['Tills'] };
  const ended = await run(app, customer, 'support-ticket-triage', { input });
  expect(ended.body.status).toBe('completed');
  await goOnWith(app, customer);
  const headers = { 'idempotency-key': 'one' };
  const chat = {
    model: 'sandbox/gw-mini',
    messages: [{ role: 'user', content: 'Hello, I am Ivan Petrov.' }],
  };
  const keyed = (path: string, body: object) =>
    rest(app, 'POST', path, { credential, headers, body });
  expect((await keyed('/v1/chat/completions', chat)).status).toBe(200);
  const created = await rest(app, 'POST', '/api-keys', {
    credential,
    headers: { 'idempotency-key': 'two' },
    body: { keyType: 'service', name: 'two' },
  });
  expect(created.status).toBe(200);
  const url = 'https://hooks.example.com/kept';
  const hook = await posted(app, credential, 'webhooks', { url, event_types: ['receipt.sealed'] });
  await posted(app, credential, `webhooks/${hook.id}/pause`, {});
  await app.owner.pool.query(DELIVERIES, [tenantId, hook.id]);
  await app.owner.pool.query(EVENT, [tenantId]);
  await chainTrails(app.server.services);
}

/** A run that goes on, as one of another node. */
async function goOnWith(app: TestApp, { tenantId, userId }: Customer): Promise<void> {
  const prisma = everyTenant(app.server.services.prisma);
  await prisma.blueprintRunUnderway.create({
    data: {
      ...{ id: newId('BlueprintRun'), tenantId, blueprintId: 'support-ticket-triage' },
      ...{ blueprintVersion: '1', manifestHash: new Uint8Array(32), businessResult: {} },
      ...{ input: { subject: 'Ivan Petrov' }, steps: [] },
      ...{ requestedBy: userId, requestedByKind: 'user', requestId: randomUUID() },
      startedAt: new Date(),
      aliveUntil: new Date(Date.now() + 3_600_000),
    },
  });
}

const EVENT = `
  INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
  VALUES (gen_random_uuid(), $1, 'anomalies', 'anomaly.found', gen_random_uuid(), '{}')`;

/** One that has ended, and one that goes on after an answer. */
const DELIVERIES = `
  INSERT INTO webhook_delivery (id, tenant_id, endpoint_id, event_id, event_type, body, status,
    next_attempt_at, ended_at, response)
  SELECT gen_random_uuid(), $1, $2, gen_random_uuid()::text, 'receipt.sealed', '{}', status,
    CASE status WHEN 'pending' THEN now() + interval '1 day' END,
    CASE status WHEN 'delivered' THEN now() END, 'an answer'
  FROM unnest('{delivered,pending}'::text[]) AS status`;

type Counts = Readonly<Record<string, number>>;

const COUNTED = `
  SELECT 'idempotency_record' AS name, count(answer)::int AS found
    FROM idempotency_record WHERE tenant_id = $1
  UNION ALL SELECT 'keyed_outcome', count(answer)::int FROM keyed_outcome WHERE tenant_id = $1
  UNION ALL SELECT 'kept_answer', count(answer)::int FROM kept_answer WHERE tenant_id = $1
  UNION ALL SELECT 'webhook_delivery',
    count(*) FILTER (WHERE ended_at IS NOT NULL OR response IS NOT NULL)::int
    FROM webhook_delivery WHERE tenant_id = $1`;

/** The values of an organization that can be read, by table: sealed ones, answers, deliveries. */
export async function contentsOf(pool: pg.Pool, tenantId: string): Promise<Counts> {
  const { readable, faults } = await readSealedRows(pool);
  expect(faults).toEqual([]);
  const { rows } = await pool.query<{ name: string; found: number }>(COUNTED, [tenantId]);
  const counts = Object.fromEntries(rows.map(({ name, found }) => [name, found]));
  for (const { table } of readable.filter((each) => each.tenantId === tenantId)) {
    counts[table] = (counts[table] ?? 0) + 1;
  }
  return counts;
}

/** The rows of an organization in every table of the list. */
export async function rowsOf(
  database: Pick<pg.ClientBase, 'query'>,
  tenantId: string,
): Promise<Counts> {
  const counts: Record<string, number> = {};
  for (const table of new Set(RETENTION.flatMap((row) => row.tables))) {
    const { rows } = await database.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM ${table} WHERE tenant_id = $1`,
      [tenantId],
    );
    counts[table] = rows[0]?.found ?? 0;
  }
  return counts;
}
