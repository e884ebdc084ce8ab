import type pg from 'pg';
import { dimensionSql, SUM_NAMES, SUMS } from '../../../src/finops/reports/cubes.js';
import type { SumsQuestion, SumsRow } from '../../../src/finops/reports/read.js';

/** The same sums, from nothing but the rows and the lines of the ledger. */
export async function sumsFrom(pool: pg.Pool, question: SumsQuestion): Promise<unknown[]> {
  const { groupBy, period, timeZone } = question;
  const shown = groupBy.map((each) => `(${dimensionSql(each)})::text AS "${each}"`);
  const begin = period ? `date_trunc('${period}', created_at, '${timeZone}')` : 'NULL';
  const { rows } = await pool.query(
    `SELECT ${[...shown, `${begin}::timestamptz AS period`].join(', ')},
       ${SUM_NAMES.map((each) => `sum(${each})::bigint AS ${each}`).join(', ')},
       sum(refunded_micro)::bigint AS refunded_micro
     FROM (
       SELECT created_at, ${[...DIMENSION_COLUMNS, 'metadata'].join(', ')},
         ${SUM_NAMES.map((each) => `${SUMS[each]} AS ${each}`).join(', ')}, 0 AS refunded_micro
       FROM usage_event WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3
       UNION ALL
       SELECT e.created_at, ${DIMENSION_COLUMNS.map((each) => `u.${each}`).join(', ')}, u.metadata,
         ${SUM_NAMES.map((each) => REFUNDED[each] ?? '0').join(', ')}, e.amount_micro
       FROM ledger_entry e JOIN usage_event u ON u.id = e.charged_request_id
       WHERE e.tenant_id = $1 AND e.type = 'refund' AND e.created_at >= $2 AND e.created_at < $3
     ) each
     GROUP BY ${[...groupBy.map((_each, index) => index + 1), groupBy.length + 1].join(', ')}`,
    [question.tenantId, question.windows[0]?.from, question.windows[0]?.to],
  );
  return sorted(rows);
}

const REFUNDED: Readonly<Partial<Record<string, string>>> = {
  amount_micro: '-e.amount_micro',
  vat_micro: '-e.vat_micro',
};

/** Dimensions as rows of usage have them; the others are members of their metadata. */
const DIMENSION_COLUMNS = [
  ...['feature', 'client_id', 'model', 'provider', 'route', 'key_id', 'project_id'],
  ...['environment', 'operation', 'simulated'],
];

function sorted(rows: readonly object[]): unknown[] {
  const text = (value: unknown) =>
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each));
  return [...rows].sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Sums as a report has read them, in the form and order of `sumsFrom`. */
export function flat(rows: readonly SumsRow[]): unknown[] {
  return sorted(rows.map(({ group, period, sums }) => ({ ...group, period, ...sums })));
}
