import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetFocusGroups } from '../../../src/finops/focus/kept-groups.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { plantUsage } from '../reports/usage-rows.js';
import { micro, type Page } from './charged-app.js';
import type { WireRow } from './published-rules.js';

let app: TestApp;
let own: Customer;
let other: Customer;

const DAY = new Date('2026-09-10T00:00:00+03:00');
const WINDOW = `from=${DAY.toISOString()}&to=${new Date(DAY.getTime() + 86_400_000).toISOString()}`;
const GROUPS = 700;

/** Requests of one day, each of a client of its own and so of a group of its own. */
async function plantDay({ tenantId, projectId }: Customer, clients: number, amountMicro: bigint) {
  const rows = Array.from({ length: clients }, (_each, index) => ({
    ...{ tenantId, projectId, clientId: `client-${index}`, amountMicro, inputUncached: 3 },
    createdAt: new Date(DAY.getTime() + index * 60_000),
  }));
  await plantUsage(app.owner.pool, rows);
}

beforeAll(async () => {
  app = await startApp();
  own = await newCustomer(app);
  other = await newCustomer(app);
  await plantDay(own, GROUPS, 7n);
  await plantDay(other, 3, 1_000n);
});
afterAll(() => app?.stop());

/** The export page by page; `between` is done after each. */
async function pagesOf(between: (page: number) => Promise<void> = async () => {}) {
  const rows: WireRow[] = [];
  for (let cursor = '', page = 1; ; page += 1) {
    const path = `/v1/gw/cost/focus?${WINDOW}&limit=200${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await rest<Page>(app, 'GET', path, { credential: own.token });
    expect(status).toBe(200);
    rows.push(...body.data);
    if (body.next_cursor === null) return rows;
    cursor = body.next_cursor;
    await between(page);
  }
}

async function kept({ tenantId }: Customer): Promise<number> {
  const { rows } = await app.owner.pool.query<{ kept: number }>(
    'SELECT count(*)::int AS kept FROM focus_group WHERE tenant_id = $1',
    [tenantId],
  );
  return rows[0]?.kept ?? 0;
}

const billed = (rows: readonly WireRow[]) =>
  rows.reduce((sum, row) => sum + micro(row.BilledCost), 0n);

describe('groups that are kept for the pages to come', () => {
  it('are those that the first page saw, whatever is charged meanwhile', async () => {
    const rows = await pagesOf(async (page) => {
      if (page === 1) expect(await kept(own)).toBe(GROUPS);
      if (page === 2) await plantDay(own, 1, 99n);
    });
    expect(billed(rows)).toBe(7n * BigInt(GROUPS));
    expect(new Set(rows.map((row) => row.x_ClientId)).size).toBe(GROUPS);
    expect(await kept(other)).toBe(0);
  });

  it('make the same export as groups that are summed up again for each page', async () => {
    const first = await pagesOf();
    const again = await pagesOf(async () => {
      await app.owner.pool.query('DELETE FROM focus_group');
    });
    expect(again).toEqual(first);
  });

  it('are forgotten after minutes, and no sooner', async () => {
    await pagesOf();
    const before = await kept(own);
    expect(before).toBeGreaterThan(0);
    await forgetFocusGroups(app.server.services);
    expect(await kept(own)).toBe(before);
    await app.owner.pool.query(`UPDATE focus_group SET made_at = now() - interval '16 minutes'`);
    await forgetFocusGroups(app.server.services);
    expect(await kept(own)).toBe(0);
  });

  it('are forgotten all together, so that no page goes on from some of them', async () => {
    const { pool } = app.owner;
    // So many older ones that a round which takes them one by one would end among those in use.
    await pool.query(
      `INSERT INTO focus_group
       SELECT $1, sha256('older'), g::text, now(), 'usage', false, NULL, NULL, NULL, 1, 1, 0,
         0, 0, 0, 0, 0, now() - interval '1 day'
       FROM generate_series(1, 19700) g`,
      [other.tenantId],
    );
    const rows = await pagesOf(async (page) => {
      if (page > 1) return;
      await pool.query(
        `UPDATE focus_group SET made_at = now() - interval '16 minutes' WHERE tenant_id = $1`,
        [own.tenantId],
      );
      await forgetFocusGroups(app.server.services);
      expect([0, GROUPS]).toContain(await kept(own));
    });
    expect(new Set(rows.map((row) => row.x_ClientId)).size).toBe(GROUPS);
    expect(await kept(other)).toBe(0);
  });

  it('go out as a file in every format of tables', async () => {
    const ask = async (format: string) => {
      const url = `${app.url}/v1/gw/cost/focus?${WINDOW}&format=${format}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${own.token}` } });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const rows = (await ask('ndjson')).trimEnd().split('\n');
    const told = rows.map((line) => JSON.parse(line) as WireRow);
    expect(told).toEqual(await pagesOf());
    expect((await ask('csv')).trimEnd().split('\r\n')).toHaveLength(rows.length + 1);
    expect((await ask('csv_ru')).trimEnd().split('\r\n')).toHaveLength(rows.length + 1);
  });
});
