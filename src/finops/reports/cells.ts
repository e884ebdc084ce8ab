import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import {
  CUBES,
  type Cube,
  columnOf,
  dimensionSql,
  REFUND_SUMS,
  refundsOf,
  SKETCH_NAMES,
  SKETCHES,
  SUM_NAMES,
  SUMS,
} from './cubes.js';
import { sketchSql } from './sketch.rules.js';
import { DIMENSIONS, type Grain } from './vocabulary.js';

const DIMENSION_FACTS = DIMENSIONS.codes.map(
  (each) => `${dimensionSql(each)} AS ${columnOf(each)}`,
);

/** What a usage row adds to the cells that it belongs to. */
export const FACTS_SQL = [
  ...DIMENSION_FACTS,
  ...SUM_NAMES.map((each) => `${SUMS[each]} AS ${each}`),
  ...SKETCH_NAMES.map(
    (each) =>
      `CASE WHEN status <> 'failed' AND (${SKETCHES[each]}) IS NOT NULL
       THEN ${sketchSql(SKETCHES[each])} END AS ${each}`,
  ),
].join(',\n');

/** What cells are made of: rows of a table by txid and seq, and how the cubes are called. */
interface Source {
  readonly table: string;
  readonly facts: string;
  readonly nameOf: (cube: Cube) => string;
  readonly hasSketches: boolean;
}

const USAGE: Source = {
  table: 'usage_event',
  facts: FACTS_SQL,
  nameOf: ({ name }) => name,
  hasSketches: true,
};

/** A refund has the dimensions of its charged request, and takes from its sums. */
const REFUNDS: Source = {
  table: 'usage_refund',
  facts: [
    ...DIMENSION_FACTS,
    ...SUM_NAMES.map((each) => `${REFUND_SUMS[each] ?? '0'} AS ${each}`),
  ].join(',\n'),
  nameOf: refundsOf,
  hasSketches: false,
};

const COLUMNS = DIMENSIONS.codes.map(columnOf);
const COLUMN_LIST = COLUMNS.join(', ');
const SUM_LIST = SUM_NAMES.join(', ');
const ADDED = [...SUM_NAMES, ...SKETCH_NAMES];
const SKETCH_LIST = SKETCH_NAMES.join(', ');
const CELL_COLUMNS = `tenant_id, cube, grain, starts_at, cell, ${COLUMN_LIST}, ${SUM_LIST},
  seq_min, seq_max, ${SKETCH_LIST}`;

/** The begin of the unit that a time lies in. */
function startSql(grain: Grain, at: string): string {
  return grain === 'hour'
    ? `date_trunc('hour', ${at})`
    : `date_trunc('${grain}', ${at}, '${TIME_ZONE_DEFAULT}')`;
}

/** So many rows tell of a batch how much of it is alike. */
const SAMPLE_ROWS = 500;

/** Whether of the first rows of a batch at least two are alike for each that differs. */
const IS_ALIKE = `SELECT 2 * count(*) <= sum(rows) AS pays FROM (
    SELECT count(*) AS rows FROM (
      SELECT tenant_id, hour, ${COLUMN_LIST} FROM batch LIMIT ${SAMPLE_ROWS}
    ) sample GROUP BY tenant_id, hour, ${COLUMN_LIST}
  ) differing`;

/**
 * Rows of a batch that no cube tells apart, as one: requests of a key are much alike, and each of
 * the cubes then sums what is left of them. Where they are not, rows stay as they are: the numbers
 * of a distribution are large, and to sum one of each by itself costs more than it saves.
 */
function alikeSql({ hasSketches }: Source): string {
  const sketches = hasSketches ? SKETCH_NAMES : [];
  const listed = (sqlOf: (name: string) => string) =>
    [
      ...SUM_NAMES.map((each) => `${sqlOf(each)}::bigint AS ${each}`),
      ...sketches.map((each) => `${sqlOf(each)} AS ${each}`),
    ].join(', ');
  return `SELECT tenant_id, hour, day, ${COLUMN_LIST}, min(seq) AS seq_min, max(seq) AS seq_max,
      ${listed((each) => `sum(${each})`)}
    FROM batch WHERE (SELECT pays FROM is_alike)
    GROUP BY tenant_id, hour, day, ${COLUMN_LIST}
    UNION ALL
    SELECT tenant_id, hour, day, ${COLUMN_LIST}, seq, seq, ${listed((each) => each)}
    FROM batch WHERE (SELECT pays FROM is_alike) IS NOT TRUE`;
}

/**
 * Cells of the finest grain of some cubes, all of them made in one pass over what is alike: a
 * dimension that a cube does not have is null in its cells.
 */
function finestSql(source: Source, grain: Grain, hasSketches: boolean): string {
  const cubes = CUBES.filter(
    (each) => each.grains[0] === grain && (each.hasSketches && source.hasSketches) === hasSketches,
  );
  if (cubes.length === 0) return '';
  const used = COLUMNS.filter((column) => cubes.some((cube) => columnsOf(cube).includes(column)));
  // GROUPING has a bit for each of its arguments, the last the lowest: 1 where it is left out.
  const maskOf = (cube: Cube) =>
    used.reduce((mask, column) => mask * 2 + (columnsOf(cube).includes(column) ? 0 : 1), 0);
  const names = cubes.map((cube) => `WHEN ${maskOf(cube)} THEN '${source.nameOf(cube)}'`).join(' ');
  const sets = cubes.map((cube) => `(tenant_id, ${grain}, ${columnsOf(cube).join(', ')})`);
  const dimensions = COLUMNS.map((each) => (used.includes(each) ? each : `NULL AS ${each}`));
  const sketchOf = (each: string) => (hasSketches ? `coalesce(sum(${each}), 0)` : '0');
  return `SELECT tenant_id, CASE GROUPING(${used.join(', ')}) ${names} END AS cube,
      '${grain}' AS grain, ${grain} AS starts_at, ${dimensions.join(', ')},
      ${SUM_NAMES.map((each) => `sum(${each})::bigint AS ${each}`).join(', ')},
      min(seq_min) AS seq_min, max(seq_max) AS seq_max,
      ${SKETCH_NAMES.map((each) => `${sketchOf(each)} AS ${each}`)}
    FROM alike GROUP BY GROUPING SETS (${sets.join(', ')})`;
}

function columnsOf(cube: Cube): readonly string[] {
  return cube.dimensions.map(columnOf);
}

/** Cells of a coarser grain, of finer ones. */
function coarserSql(grain: string, startsAt: string): string {
  return `tenant_id, cube, ${grain} AS grain, ${startsAt} AS starts_at, cell, ${COLUMN_LIST},
    ${SUM_NAMES.map((each) => `sum(${each})::bigint AS ${each}`).join(', ')},
    min(seq_min) AS seq_min, max(seq_max) AS seq_max,
    ${SKETCH_NAMES.map((each) => `sum(${each}) AS ${each}`).join(', ')}`;
}

const BY_CELL = `tenant_id, cube, 3, 4, cell, ${COLUMN_LIST}`;

function allFinestSql(source: Source): string {
  return (['hour', 'day'] as const)
    .flatMap((grain) => [finestSql(source, grain, true), finestSql(source, grain, false)])
    .filter(Boolean)
    .join('\nUNION ALL\n');
}

/**
 * Adds the rows of a batch to the cells of the finest grain, and those of a time that is closed to
 * the coarser ones too. Answers the tenants whose time may be closed up to the first of their rows.
 * Parameters: the position after which and the one up to which, and the most rows.
 */
function advanceSql(source: Source): string {
  return `WITH batch AS MATERIALIZED (
    SELECT tenant_id, seq, ${startSql('hour', 'created_at')} AS hour,
      ${startSql('day', 'created_at')} AS day, ${source.facts}
    FROM ${source.table} WHERE (txid, seq) > ($1, $2) AND (txid, seq) <= ($3, $4)
    ORDER BY txid, seq LIMIT $5
  ), is_alike AS MATERIALIZED (${IS_ALIKE}),
  alike AS MATERIALIZED (${alikeSql(source)}), finest AS MATERIALIZED (
    SELECT *, sha256(convert_to(jsonb_build_array(${COLUMN_LIST})::text, 'UTF8')) AS cell
    FROM (${allFinestSql(source)}) each
  ), late AS MATERIALIZED (
    SELECT finest.*, coarser.grain AS into_grain, coarser.starts_at AS into_starts_at
    FROM finest JOIN usage_rollup_closed closed USING (tenant_id) CROSS JOIN LATERAL (VALUES
      ('day', ${startSql('day', 'starts_at')}, until),
      ('week', ${startSql('week', 'starts_at')}, ${startSql('week', 'until')}),
      ('month', ${startSql('month', 'starts_at')}, ${startSql('month', 'until')})
    ) AS coarser (grain, starts_at, until)
    WHERE finest.starts_at < coarser.until AND finest.grain <> coarser.grain
  ), written AS (
    INSERT INTO usage_rollup (${CELL_COLUMNS})
    SELECT ${CELL_COLUMNS} FROM finest
    UNION ALL
    SELECT ${coarserSql('into_grain', 'into_starts_at')} FROM late GROUP BY ${BY_CELL}
    ON CONFLICT (tenant_id, cube, grain, starts_at, cell) DO UPDATE SET
      ${ADDED.map((each) => `${each} = usage_rollup.${each} + excluded.${each}`).join(', ')},
      seq_min = least(usage_rollup.seq_min, excluded.seq_min),
      seq_max = greatest(usage_rollup.seq_max, excluded.seq_max)
  )
  SELECT tenant_id AS "tenantId", until AS "from", first_day AS "to"
  FROM (SELECT tenant_id, min(day) AS first_day FROM batch GROUP BY tenant_id) each
  LEFT JOIN usage_rollup_closed closed USING (tenant_id)
  WHERE until IS NULL OR until < first_day ORDER BY until NULLS FIRST`;
}

/** Of rows of usage. */
export const ADVANCE_SQL = advanceSql(USAGE);

/** Of refunds; what it answers is of no use, since refunds close no time. */
export const ADVANCE_REFUNDS_SQL = advanceSql(REFUNDS);

/**
 * How these statements run: the planner cannot know how many rows a batch has, takes it for one and
 * sorts it for each cube, where it had better hash it.
 */
export const SETTINGS_SQL = `SELECT set_config('enable_sort', 'off', TRUE),
  set_config('work_mem', '64MB', TRUE)`;

/** The names of cubes, and of those of their refunds. */
function namesSql(cubes: readonly Cube[]): string {
  return cubes.flatMap((cube) => [`'${cube.name}'`, `'${refundsOf(cube)}'`]).join(', ');
}

const HOURLY = CUBES.filter(({ grains }) => grains[0] === 'hour');

/** Makes the days of a tenant from its hours; parameters: the tenant, and from when until when. */
const DAYS_SQL = `INSERT INTO usage_rollup (${CELL_COLUMNS})
  SELECT ${coarserSql("'day'", startSql('day', 'starts_at'))} FROM usage_rollup
  WHERE tenant_id = $1 AND cube IN (${namesSql(HOURLY)}) AND grain = 'hour'
    AND starts_at >= $2 AND starts_at < $3
  GROUP BY ${BY_CELL}`;

/** Makes the weeks or months of a tenant that end in the meantime from its days. */
function ofDaysSql(grain: 'week' | 'month'): string {
  return `INSERT INTO usage_rollup (${CELL_COLUMNS})
  SELECT ${coarserSql(`'${grain}'`, startSql(grain, 'starts_at'))} FROM usage_rollup
  WHERE tenant_id = $1 AND cube IN (${namesSql(CUBES)})
    AND grain = 'day' AND starts_at >= ${startSql(grain, '$2::timestamptz')}
    AND starts_at < ${startSql(grain, '$3::timestamptz')}
  GROUP BY ${BY_CELL}`;
}

/**
 * Make the coarser cells of a tenant, in this order. Parameters: the tenant, and from when until
 * when its time is closed by it.
 */
export const CLOSE_SQL: readonly string[] = [DAYS_SQL, ofDaysSql('week'), ofDaysSql('month')];
