import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../../src/platform/metrics.js';
import { Months } from '../../../src/records/months.js';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { silent } from '../../money/ledger/books.js';
import { idAt, type MonthsWorld, openMonths } from './world.js';

let world: MonthsWorld;

beforeAll(async () => {
  world = await openMonths();
});

afterAll(() => world.close());

const months = (metrics = new Metrics()) => {
  const { platformPool } = world.working;
  const each = new Months({ platformPool, log: silent });
  each.start({ metrics });
  return { each, metrics };
};

describe('months', () => {
  it('are made once where two nodes make them at the same time', async () => {
    const make = () =>
      world.working.platformPool.query<{ made: number }>('SELECT make_months(5) AS made');
    const made = (await Promise.all([make(), make()])).map(({ rows }) => rows[0]?.made ?? 0);
    expect(made.reduce((sum, each) => sum + each)).toBe(4);
    const { rows } = await world.owner.query(
      `SELECT of_table, count(*)::int, count(DISTINCT until_month)::int AS months,
         (SELECT count(*)::int FROM pg_inherits WHERE inhparent = of_table::regclass) AS parts
       FROM month_partition GROUP BY 1 ORDER BY 1`,
    );
    expect(rows).toEqual(
      ['feed_event', 'usage_event'].map((of_table) => ({
        of_table,
        count: 6,
        months: 6,
        parts: 7,
      })),
    );
    expect(await months().each.makeAhead()).toBe(0);
  });

  it('are made by the application, which can neither read nor change them itself', async () => {
    const codes = await Promise.all(
      [
        'SELECT * FROM gw_months.usage_event_first',
        'DROP TABLE gw_months.usage_event_first',
        'CALL add_month($$usage_event$$, $$2050-01-01$$)',
        'DELETE FROM month_partition',
      ].map((sql) => world.working.platformPool.query(sql).catch(({ code }) => code)),
    );
    expect(codes).toEqual(['42501', '42501', '42501', '42501']);
  });

  it('that are missing lose no row, which is counted and put into its month', async () => {
    const { each, metrics } = months();
    const { tenantId } = world.other;
    const id = idAt(new Date((world.ends.at(-1)?.getTime() ?? 0) + 100 * 86_400_000));
    await plantUsage(world.books.pool, [{ tenantId, id, status: 'failed' }]);
    const rowIn = async () =>
      (
        await world.owner.query(
          `SELECT tableoid::regclass::text AS part, to_jsonb(u) AS row FROM usage_event u
           WHERE tenant_id = $1 AND id = $2`,
          [tenantId, id],
        )
      ).rows;
    const [before] = await rowIn();
    expect(before?.part).toBe('gw_months.usage_event_rest');
    await each.makeAhead();
    expect(await metrics.text()).toContain('gw_rows_beyond_months 1\n');
    await world.working.platformPool.query('SELECT make_months(9)');
    await each.makeAhead();
    expect(await metrics.text()).toContain('gw_rows_beyond_months 0\n');
    const after = await rowIn();
    expect(after).toEqual([{ row: before?.row, part: expect.stringMatching(/_20\d\d_\d\d$/) }]);
    const change = `UPDATE usage_event SET model = 'x' WHERE id = '${id}'`;
    expect(await world.books.pool.query(change).catch(({ code }) => code)).toBe('42501');
  });
});
