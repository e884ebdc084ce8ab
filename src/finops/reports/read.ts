import type { Services } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Window } from '../../kernel/window.rules.js';
import { tenantReport } from '../../platform/database/tenant-query.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { FACTS_SQL } from './cells.js';
import {
  columnOf,
  dimensionSql,
  READ_SUMS,
  REFUND_SUMS,
  refundsOf,
  type Sketch,
  SUM_NAMES,
  type Sum,
} from './cubes.js';
import { type Plan, planOf, type Segment } from './plan.rules.js';
import { MARK, REFUND_MARK } from './rollup.js';
import { type Histogram, histogramOf } from './sketch.rules.js';
import {
  DIMENSIONS,
  type Dimension,
  type Period,
  RAW_ROWS_MAX,
  REPORT_ROWS_MAX,
} from './vocabulary.js';

/** Which values of a dimension are wanted; null is the value of rows that have none. */
export interface Narrowing {
  readonly dimension: Dimension;
  readonly values: readonly (string | null)[];
}

/** Sums of usage that are asked for. */
export interface SumsQuestion {
  readonly tenantId: string;
  /** One window, or two that are compared; the first decides the order of groups. */
  readonly windows: readonly Window[];
  readonly groupBy: readonly Dimension[];
  readonly period: Period | null;
  readonly timeZone: string;
  readonly narrowings: readonly Narrowing[];
  readonly sketches: readonly Sketch[];
  /** By which sum the groups are ordered, the largest first, and how many are told apart. */
  readonly orderBy: Sum;
  readonly top: number;
}

/** Sums of one group in one period of one window. */
export interface SumsRow {
  /** The number of the window. */
  readonly window: number;
  /** The begin of the period; null where none is asked for. */
  readonly period: Date | null;
  /** Values by the dimensions of the question, null where a row has none. */
  readonly group: Readonly<Partial<Record<Dimension, string | null>>>;
  /** The place of the group, from 1 on; the place after the last holds all others together. */
  readonly place: number;
  readonly sums: Readonly<Record<Sum, bigint>>;
  /** The distributions that were asked for. */
  readonly sketches: Readonly<Partial<Record<Sketch, Histogram>>>;
}

/**
 * Sums of a tenant's usage less the refunds that were posted in the windows: of both the kept sums
 * up to their mark and the rows after it, in one statement and so in one snapshot. They agree with
 * the ledger to the micro-ruble at every moment.
 * One row more than REPORT_ROWS_MAX says that there are too many.
 * @throws report_too_wide where too many rows would have to be read beside the sums
 */
export async function usageSums(
  { pool }: Pick<Services, 'pool'>,
  question: SumsQuestion,
): Promise<readonly SumsRow[]> {
  const known = await knownOf(pool, question.tenantId);
  const plan = planOf({
    ...question,
    closedUntil: known.closedUntil,
    dimensions: [...question.groupBy, ...question.narrowings.map(({ dimension }) => dimension)],
    needsSketches: question.sketches.length > 0,
  });
  const beside = plan.segments.flat().filter(({ grain }) => grain === 'rows');
  await refuseTooManyRows(pool, question.tenantId, beside);
  // What the planner is told: that hardly any rows stand after the marks.
  const { txid, seq, refundTxid, refundSeq } = known;
  const values: unknown[] = [question.tenantId, txid, seq, refundTxid, refundSeq];
  const text = statementOf(question, plan, (value) => `$${values.push(value)}`);
  const { rows } = await tenantReport<FoundRow>(pool, question.tenantId, { text, values });
  for (const { from } of beside) await requireUsageSince(pool, from);
  return rows.map((row) => rowOf(row, question));
}

/**
 * Up to when coarser cells of a tenant are made, and how far the sums have come. Both only move on,
 * and finer cells stay, so that sums which are read later than this may be read by it.
 */
interface Known {
  readonly closedUntil: Date | null;
  readonly txid: bigint;
  readonly seq: bigint;
  readonly refundTxid: bigint;
  readonly refundSeq: bigint;
}

const KNOWN_SQL = `SELECT
    (SELECT until FROM usage_rollup_closed WHERE tenant_id = $1) AS "closedUntil",
    coalesce(max(txid) FILTER (WHERE name = '${MARK}'), 0) AS txid,
    coalesce(max(seq) FILTER (WHERE name = '${MARK}'), 0) AS seq,
    coalesce(max(txid) FILTER (WHERE name = '${REFUND_MARK}'), 0) AS "refundTxid",
    coalesce(max(seq) FILTER (WHERE name = '${REFUND_MARK}'), 0) AS "refundSeq"
  FROM reader_mark WHERE name IN ('${MARK}', '${REFUND_MARK}')`;

async function knownOf(pool: Services['pool'], tenantId: string): Promise<Known> {
  const statement = { name: 'usage_sums_known', text: KNOWN_SQL, values: [tenantId] };
  const { rows } = await tenantReport<Known & object>(pool, tenantId, statement);
  const [known] = rows;
  if (!known) throw new Error('an aggregate has one row');
  return known;
}

type FoundRow = Readonly<Record<string, unknown>>;

function rowOf(row: FoundRow, { groupBy, sketches }: SumsQuestion): SumsRow {
  return {
    window: Number(row.win),
    period: row.period as Date | null,
    place: Number(row.place),
    group: Object.fromEntries(groupBy.map((each, index) => [each, row[`group_${index}`] ?? null])),
    sums: Object.fromEntries(READ_SUMS.map((each) => [each, row[each]])) as SumsRow['sums'],
    sketches: Object.fromEntries(
      sketches.map((each) => [each, histogramOf((row[each] as string | null) ?? '')]),
    ),
  };
}

/** Gives a value to the statement, and answers how the statement names it. */
type Bind = (value: unknown) => string;

function statementOf(question: SumsQuestion, plan: Plan, bind: Bind): string {
  const { groupBy, orderBy, sketches, top } = question;
  const groups = groupBy.map((_each, index) => `group_${index}`);
  const keys = ['win', 'period', ...groups].join(', ');
  const order = groups.map((each) => `${each} NULLS LAST`).join(', ');
  const weight = `sum(${orderBy}) FILTER (WHERE win = 0) OVER (PARTITION BY ${
    groups.join(', ') || '1'
  })`;
  const limit = bind(top);
  const shown = groups.map((each) => `CASE WHEN place <= ${limit} THEN ${each} END`);
  const sums = READ_SUMS.map((each) => `sum(${each})::bigint AS ${each}`);
  const merged = sketches.map((each) => `sum(${each})::text AS ${each}`);
  const inner = sketches.map((each) => `sum(${each}) AS ${each}`);
  const marks = [markSql('mark', MARK), markSql('refund_mark', REFUND_MARK)];
  return `WITH ${marks.join(', ')}, facts AS (${factsSql(question, plan, bind)}),
    grouped AS (SELECT ${keys}, ${[...sums, ...inner].join(', ')} FROM facts GROUP BY ${keys}),
    weighed AS (SELECT *, coalesce(${weight}, -1) AS weight FROM grouped),
    placed AS (SELECT *, dense_rank() OVER (
      ORDER BY ${['weight DESC', order].filter(Boolean).join(', ')}) AS place FROM weighed)
    SELECT win, period, least(place, ${limit} + 1)::int AS place,
      ${[...shown.map((each, index) => `${each} AS group_${index}`), ...sums, ...merged].join(', ')}
    FROM placed GROUP BY win, period, least(place, ${limit} + 1)${shown
      .map((each) => `, ${each}`)
      .join('')}
    ORDER BY win, period, place LIMIT ${REPORT_ROWS_MAX + 1}`;
}

function markSql(name: string, reader: string): string {
  return `${name} AS MATERIALIZED (
      SELECT coalesce(max(txid), 0) AS txid, coalesce(max(seq), 0) AS seq
      FROM reader_mark WHERE name = '${reader}'
    )`;
}

/** The cells, rows and refunds of each part of each window, under the same columns. */
function factsSql(question: SumsQuestion, plan: Plan, bind: Bind): string {
  const parts = plan.segments.flatMap((segments, win) => {
    const window = question.windows[win];
    return [
      ...segments.flatMap((segment) =>
        segment.grain === 'rows'
          ? [rowsSql, refundsSql].map((sql) =>
              sql(question, bind, { win, window: segment, after: 'NOT' }),
            )
          : cellsSql(question, bind, { win, plan, segment, grain: segment.grain }),
      ),
      window ? rowsSql(question, bind, { win, window, after: '' }) : '',
      window ? refundsSql(question, bind, { win, window, after: '' }) : '',
    ];
  });
  return parts.filter(Boolean).join('\nUNION ALL\n');
}

/** The columns of a part of the facts. */
function selected(
  { groupBy, period, timeZone, sketches }: SumsQuestion,
  bind: Bind,
  from: {
    readonly win: number;
    readonly at: string;
    readonly sketch: (name: string) => string;
    readonly sums?: readonly string[];
  },
): string {
  const begin = period
    ? `date_trunc('${period}', ${from.at}, ${bind(timeZone)})`
    : 'NULL::timestamptz';
  return [
    `${from.win} AS win`,
    `${begin} AS period`,
    ...groupBy.map((each, index) => `${columnOf(each)}::text AS group_${index}`),
    ...(from.sums ?? [...SUM_NAMES, '0 AS refunded_micro']),
    ...sketches.map((each) => `${from.sketch(each)} AS ${each}`),
  ].join(', ');
}

function cellsSql(
  question: SumsQuestion,
  bind: Bind,
  part: {
    readonly win: number;
    readonly plan: Plan;
    readonly segment: Segment;
    readonly grain: string;
  },
): string {
  const { win, plan, segment, grain } = part;
  const names = plan.cube ? [plan.cube.name, refundsOf(plan.cube)] : [];
  const refunded = `CASE WHEN cube = '${names[1]}' THEN -amount_micro ELSE 0 END AS refunded_micro`;
  const sums = [...SUM_NAMES, refunded];
  return `SELECT ${selected(question, bind, { win, at: 'starts_at', sketch: (name) => name, sums })}
    FROM usage_rollup
    WHERE tenant_id = $1 AND cube IN (${names.map((each) => `'${each}'`)}) AND grain = '${grain}'
      AND starts_at >= ${bind(segment.from)} AND starts_at < ${bind(segment.to)}
      ${narrowed(question, bind)}`;
}

/** Rows of a window: those after the mark, or those up to it. */
interface RowsPart {
  readonly win: number;
  readonly window: Window;
  readonly after: '' | 'NOT';
}

function rowsSql(question: SumsQuestion, bind: Bind, { win, window, after }: RowsPart): string {
  const [from, to] = [bind(window.from), bind(window.to)];
  const place = after === 'NOT' ? `AND ${placeSql(from, to)}` : '';
  return `SELECT ${selected(question, bind, { win, at: 'created_at', sketch: (name) => name })}
    FROM (SELECT created_at, ${FACTS_SQL} FROM usage_event
      WHERE tenant_id = $1 AND created_at >= ${from} AND created_at < ${to}
        ${after === '' ? 'AND (txid, seq) > ($2::bigint, $3::bigint)' : ''}
        AND ${after} (txid, seq) > ((SELECT txid FROM mark), (SELECT seq FROM mark))
        ${place}) each
    WHERE TRUE ${narrowed(question, bind)}`;
}

const REFUND_DIMENSIONS = DIMENSIONS.codes.map(
  (each) => `${dimensionSql(each)} AS ${columnOf(each)}`,
);

/** Refunds that were posted in a window, found by indexes of their own. */
function refundsSql(question: SumsQuestion, bind: Bind, { win, window, after }: RowsPart): string {
  const sums = READ_SUMS.map((each) => `${REFUND_SUMS[each] ?? '0'} AS ${each}`);
  const sketch = () => '0';
  return `SELECT ${selected(question, bind, { win, at: 'created_at', sketch, sums })}
    FROM (SELECT created_at, amount_micro, vat_micro, ${REFUND_DIMENSIONS.join(', ')}
      FROM usage_refund WHERE tenant_id = $1
        AND created_at >= ${bind(window.from)} AND created_at < ${bind(window.to)}
        ${after === '' ? 'AND (txid, seq) > ($4::bigint, $5::bigint)' : ''}
        AND ${after} (txid, seq) > ((SELECT txid FROM refund_mark), (SELECT seq FROM refund_mark))
      ) each
    WHERE TRUE ${narrowed(question, bind)}`;
}

/** Where rows of a time stand among those of the tenant, by the cells of its hours. */
function placeSql(from: string, to: string): string {
  const hours = `FROM usage_rollup WHERE tenant_id = $1 AND cube = 'total' AND grain = 'hour'
    AND starts_at >= date_trunc('hour', ${from}::timestamptz) AND starts_at < ${to}`;
  return `seq BETWEEN (SELECT min(seq_min) ${hours}) AND (SELECT max(seq_max) ${hours})`;
}

function narrowed({ narrowings }: SumsQuestion, bind: Bind): string {
  const conditions = narrowings.map(({ dimension, values }) => {
    const column = `${columnOf(dimension)}::text`;
    const named = values.filter((each) => each !== null);
    const isNull = values.includes(null) ? ` OR ${column} IS NULL` : '';
    return `AND (${column} = ANY(${bind(named)}::text[])${isNull})`;
  });
  return conditions.join(' ');
}

const ROWS_SQL = `SELECT coalesce(sum(requests), 0)::int AS rows FROM usage_rollup,
    unnest($2::timestamptz[], $3::timestamptz[]) AS part (begins, ends)
  WHERE tenant_id = $1 AND cube = 'total' AND grain = 'hour'
    AND starts_at >= date_trunc('hour', begins) AND starts_at < ends`;

/**
 * Refuses to read the rows of windows that hold too many of them, by the sums of their hours.
 * @throws report_too_wide
 */
export async function refuseTooManyRows(
  pool: Services['pool'],
  tenantId: string,
  windows: readonly Window[],
): Promise<void> {
  if (windows.length === 0) return;
  const values = [tenantId, windows.map(({ from }) => from), windows.map(({ to }) => to)];
  const statement = { name: 'usage_rows_beside', text: ROWS_SQL, values };
  const { rows } = await tenantReport<{ rows: number }>(pool, tenantId, statement);
  const count = rows[0]?.rows ?? 0;
  if (count > RAW_ROWS_MAX) {
    fail('report_too_wide', { values: { rows: count, rowsMax: RAW_ROWS_MAX } });
  }
}
