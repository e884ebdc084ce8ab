import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { readOn } from '../../../src/money/integrity/period.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
}, 120_000);
afterAll(() => app.stop());

const DAY_MS = 86_400_000;

/** Until the witness and the proof have read every row. */
async function isProven(): Promise<void> {
  const unread = `SELECT count(*)::int AS unread FROM usage_event u WHERE (u.txid, u.seq) >
    (SELECT txid, seq FROM reader_mark WHERE name = 'integrity_witness')`;
  await vi.waitFor(
    async () => {
      await proveBooks(app.server.services);
      const { rows } = await app.owner.pool.query<{ unread: number }>(unread);
      expect(rows[0]?.unread).toBe(0);
    },
    { timeout: 60_000, interval: 200 },
  );
}

describe('rows that the gateway itself writes', () => {
  /** Reads all that there is of a customer, as a seal would, and answers what it finds. */
  async function foundIn({ tenantId }: Customer): Promise<{ id: string; faults: string[] }[]> {
    const { pool } = app.owner;
    const id = newId('IntegritySeal');
    await pool.query(
      `INSERT INTO integrity_seal (id, tenant_id, seal_key, from_at, to_at, rows_total)
       VALUES ($1, $2, 'now', now() - interval '1 day', now() + interval '1 day', 1)`,
      [id, tenantId],
    );
    while ((await readOn(pool, id, DAY_MS)) !== 'read');
    const { rows } = await pool.query<{ id: string; faults: string[] }>(
      `SELECT request_id AS id, faults FROM integrity_fault WHERE seal_id = $1`,
      [id],
    );
    await pool.query('DELETE FROM integrity_seal WHERE id = $1', [id]);
    return rows;
  }

  it('have no fault: answers plain, streamed and under a key, top-ups and refunds', async () => {
    const customer = await newCustomer(app, 1_000);
    const chat = (more: object, headers: Record<string, string> = {}) =>
      rest(app, 'POST', '/v1/chat/completions', {
        credential: customer.key,
        body: { model: 'gw:auto', messages: [{ role: 'user', content: 'Hello' }], ...more },
        headers,
      });
    const key = { 'idempotency-key': newId('Request') };
    const answers = [
      await chat({}),
      await chat({ stream: true }),
      await chat({}, key),
      await chat({}, key),
      await chat({ max_tokens: 3 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await Promise.all(Array.from({ length: 20 }, () => chat({})));
    const charged = `SELECT request_id AS id FROM hold
      WHERE tenant_id = $1 AND state = 'delivered' AND charged_micro > 1 LIMIT 1`;
    await vi.waitFor(
      async () => {
        const { rows } = await app.owner.pool.query<{ id: string }>(charged, [customer.tenantId]);
        expect(rows).toHaveLength(1);
        await app.owner.pool.query(
          `SELECT ledger_post($1, $2, 'refund', 1, 'A refund', NULL, $3)`,
          [customer.accountId, newId('Request'), rows[0]?.id],
        );
      },
      { timeout: 20_000, interval: 200 },
    );
    await isProven();
    await app.server.services.transparencyLog.bringForward();
    expect(await foundIn(customer)).toEqual([]);
  }, 120_000);
});
