import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROL_ROWS } from '../../../src/assurance/trust/controls.rules.js';
import { KEY_HOURS } from '../../../src/records/idempotency-statements.js';
import { sweepOutcomes } from '../../../src/records/keyed-outcomes.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let owner: Customer;
let neighbour: Customer;
beforeAll(async () => {
  app = await startApp();
  [owner, neighbour] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app?.stop());

interface Created {
  readonly id: string;
  readonly key: string;
}

const createKey = ({ token }: Customer) =>
  rest<Created>(app, 'POST', '/api-keys', {
    credential: token,
    headers: { 'idempotency-key': 'the-key-of-the-shop' },
    body: { keyType: 'service', name: 'shop' },
  });

interface SealedAnswer {
  readonly answer: Buffer;
  readonly row: string;
  readonly table: string;
}

const ANSWERS = `
  SELECT answer, actor_id || ' ' || key AS row, 'idempotency_record' AS table
  FROM idempotency_record WHERE tenant_id = $1 AND answer IS NOT NULL
  UNION ALL SELECT answer, effect_id::text, 'keyed_outcome'
  FROM keyed_outcome WHERE tenant_id = $1 AND answer IS NOT NULL
  UNION ALL SELECT answer, request_id::text, 'kept_answer'
  FROM kept_answer WHERE tenant_id = $1`;

/** The tables whose rows of a customer open to a text, by the secret of the server. */
async function openedTo({ tenantId }: Customer, text: string): Promise<string[]> {
  const { rows } = await app.owner.pool.query<SealedAnswer>(ANSWERS, [tenantId]);
  const { keyring } = app.server.services;
  return rows
    .filter(({ answer, row, table }) =>
      keyring.open({ tenantId, table, field: 'answer', row }, answer).toString().includes(text),
    )
    .map(({ table }) => table);
}

/** The tables in which a text stands as it is. */
async function inTheClear(text: string): Promise<string[]> {
  const { rows } = await app.owner.pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const sql = `SELECT FROM ${name} t
      WHERE t::text LIKE '%' || $1 || '%'
         OR t::text LIKE '%' || encode($1::bytea, 'hex') || '%' LIMIT 1`;
    if ((await app.owner.pool.query(sql, [text])).rowCount === 1) found.push(name);
  }
  return found;
}

const HOURS_LATER = `
  UPDATE idempotency_record SET expires_at = expires_at - make_interval(hours => $2),
    renewed_at = renewed_at - make_interval(hours => $2) WHERE tenant_id = $1`;
const OUTCOMES_LATER = `
  UPDATE keyed_outcome SET created_at = created_at - make_interval(hours => $2)
  WHERE tenant_id = $1`;

async function sweepLater(customers: readonly Customer[], hours: number): Promise<void> {
  for (const { tenantId } of customers) {
    await app.owner.pool.query(HOURS_LATER, [tenantId, hours]);
    await app.owner.pool.query(OUTCOMES_LATER, [tenantId, hours]);
  }
  await app.server.services.idempotency.sweep();
  await sweepOutcomes(app.server.services);
}

describe('the answer that shows a new key under an Idempotency-Key', () => {
  it('is kept for as long as the trust centre says', () => {
    const control = CONTROL_ROWS.find(({ code }) => code === 'keys_hashed');
    expect(control?.statement).toContain(`хранится запечатанным ${KEY_HOURS} ч.`);
  });

  it('is kept sealed for a day and by nobody afterwards', async () => {
    const [first, theirs] = [await createKey(owner), await createKey(neighbour)];
    expect((await createKey(owner)).body).toEqual(first.body);
    expect(theirs.body.key).not.toBe(first.body.key);
    const { key } = first.body;
    expect(await openedTo(owner, key)).toContain('idempotency_record');
    expect(await openedTo(neighbour, key)).toEqual([]);
    expect(await inTheClear(key)).toEqual([]);
    await sweepLater([owner], KEY_HOURS - 1);
    expect(await openedTo(owner, key)).toContain('idempotency_record');
    await sweepLater([owner], 1);
    expect(await openedTo(owner, key)).toEqual([]);
    expect(await openedTo(neighbour, theirs.body.key)).toContain('idempotency_record');
    const again = await createKey(owner);
    expect(again.body.key).not.toBe(key);
    const known = await rest(app, 'GET', '/v1/models', { credential: key });
    expect(known.status).toBe(200);
  });
});
