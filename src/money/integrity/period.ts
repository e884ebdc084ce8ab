import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { sharedNowMs } from '../../kernel/clock.js';
import type { Window } from '../../kernel/window.rules.js';
import { BATCH_SETTINGS } from '../../records/brought-forward.js';
import { type FactsRow, factsOfRow } from './facts.js';
import type { RequestFacts } from './faults.rules.js';
import { keepFaults, type NamedFaults } from './found.js';
import { SUSPECTS } from './full.js';
import {
  CHAINED_LINES,
  COUNT_ROWS,
  LEAF_HASHES,
  LOOSE_HOLDS,
  ROW_FAULTS,
  VERSION_EDGES,
} from './period.statements.js';
import {
  afterSlice,
  keptReading,
  openedReading,
  type Reading,
  readingOf,
} from './reading.rules.js';
import { factsSql, unwholeSql } from './statements.js';
import { RAW_SUMS, type SumsRow, sumsOfRow } from './sums.js';
import { touches } from './tally.rules.js';
import { FAULTS_SHOWN_MAX, type IntegrityFault } from './vocabulary.js';

/** So many rows of a table, hold rows or numbers of lines are read in one transaction. */
const ROWS_AT_ONCE = 10_000;
const STATEMENT_MS_MAX = 60_000;

/** A period whose rows are to be read. */
export interface PeriodRow {
  readonly id: string;
  readonly tenantId: string;
  readonly from: Date;
  readonly to: Date;
  readonly generation: number;
  readonly rowsRead: bigint;
  readonly rowsTotal: bigint;
  readonly reading: object | null;
}

/**
 * How a step has ended: `moved` where more is to be read, `read` where nothing is, `busy` where
 * another process reads the same period, `gone` where it is not waiting to be read.
 */
export type ReadingStep = 'moved' | 'read' | 'busy' | 'gone';

const TAKE = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken';
const PERIOD = `SELECT id, tenant_id AS "tenantId", from_at AS "from", to_at AS "to", generation,
    rows_read AS "rowsRead", rows_total AS "rowsTotal", reading
  FROM integrity_seal WHERE id = $1 AND status = 'pending' FOR UPDATE`;
const KEEP = `UPDATE integrity_seal SET reading = $2, rows_read = $3,
  rows_total = GREATEST(rows_total, $3) WHERE id = $1`;

/**
 * One step of reading a period, in one transaction with how far it has come: a process that is
 * killed loses a step, and any other one goes on. Rows of a period that is over do not change, so
 * steps need no common snapshot.
 * @param danglingMs how long a hold may be open
 */
export async function readOn(
  pool: Pool,
  sealId: string,
  danglingMs: number,
  nowMs = sharedNowMs(),
): Promise<ReadingStep> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`SET LOCAL statement_timeout = ${STATEMENT_MS_MAX}`);
    const step = await stepOf(client, sealId, new Date(nowMs - danglingMs));
    await client.query('COMMIT');
    client.release();
    return step;
  } catch (error) {
    // The transaction ends with its connection.
    client.release(true);
    // Another process has made the step between the snapshot and the lock.
    if ((error as { code?: string }).code === '40001') return 'busy';
    throw error;
  }
}

/** A statement of a step. */
async function rowsOf<R extends QueryResultRow>(
  client: PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<readonly R[]> {
  const statement = { text, values: [...values], query_timeout: STATEMENT_MS_MAX + 1_000 };
  return (await client.query<R>(statement as QueryConfig)).rows;
}

async function stepOf(
  client: PoolClient,
  sealId: string,
  danglingBefore: Date,
): Promise<ReadingStep> {
  const [lock] = await rowsOf<{ taken: boolean }>(client, TAKE, [`integrity_seal ${sealId}`]);
  if (lock?.taken !== true) return 'busy';
  const [period] = await rowsOf<PeriodRow & object>(client, PERIOD, [sealId]);
  if (!period) return 'gone';
  await client.query(`${BATCH_SETTINGS}; SET LOCAL jit = off`);
  const reading = period.reading
    ? openedReading(period.reading)
    : readingOf(period, danglingBefore);
  if (reading.phase === 'end') return 'read';
  const next = await STEPS[reading.phase](client, period, reading);
  const rowsRead = next.sums.rawRows;
  await rowsOf(client, KEEP, [sealId, keptReading(next), rowsRead]);
  return next.phase === 'end' ? 'read' : 'moved';
}

type Step = (client: PoolClient, period: PeriodRow, reading: Reading) => Promise<Reading>;

const STEPS: Readonly<Record<Exclude<Reading['phase'], 'end'>, Step>> = {
  rows: readRows,
  holds: readHolds,
  lines: readLines,
};

/** The next slice of a period that has few enough rows, and the reading with its length. */
async function sliceOf(client: PoolClient, period: PeriodRow, reading: Reading) {
  const { at } = reading;
  for (let { spanMs } = reading; ; spanMs = Math.max(1, Math.floor(spanMs / 2))) {
    const until = new Date(Math.min(at.getTime() + spanMs, period.to.getTime()));
    const values = [period.tenantId, at, until, ROWS_AT_ONCE + 1];
    const [count] = await rowsOf<{ lines: number; used: number }>(client, COUNT_ROWS, values);
    const isFew = Math.max(count?.lines ?? 0, count?.used ?? 0) <= ROWS_AT_ONCE;
    if (isFew || spanMs === 1) return { until, spanMs };
  }
}

interface RowFaults {
  readonly faults: NamedFaults;
  readonly witnessed: number;
  readonly versionMin: string | null;
  readonly versionMax: string | null;
}

async function readRows(client: PoolClient, period: PeriodRow, reading: Reading): Promise<Reading> {
  const { until, spanMs } = await sliceOf(client, period, reading);
  const slice = [period.tenantId, reading.at, until];
  const [sums] = await rowsOf<SumsRow>(client, RAW_SUMS, slice);
  const unwhole = await rowsOf<FactsRow>(client, unwholeSql(SUSPECTS), slice);
  const [told] = await rowsOf<RowFaults & object>(client, ROW_FAULTS, slice);
  await keepNamed(client, period, reading, told?.faults ?? {}, unwhole.map(factsOfRow));
  const [leaf] = await rowsOf<{ hashes: Buffer | null; leaves: number }>(
    client,
    LEAF_HASHES,
    slice,
  );
  const read = {
    until,
    hashes: leaf?.hashes ?? new Uint8Array(),
    leaves: leaf?.leaves ?? 0,
    sums: sumsOfRow(sums),
    witnessed: told?.witnessed ?? 0,
    versionMin: told?.versionMin ? BigInt(told.versionMin) : null,
    versionMax: told?.versionMax ? BigInt(told.versionMax) : null,
  };
  return afterSlice({ ...reading, spanMs }, read, period);
}

const FACTS = factsSql(`SELECT $1::uuid AS tenant_id, id AS request_id, '{}'::uuid[] AS accounts
  FROM unnest($2::uuid[]) AS id`);

/** Keeps what was found, with all that both traces say of each request. */
async function keepNamed(
  client: PoolClient,
  period: PeriodRow,
  { danglingBefore }: Reading,
  named: NamedFaults,
  known: readonly RequestFacts[] = [],
): Promise<void> {
  const window: Window = { from: period.from, to: period.to };
  const byId = new Map(known.map((facts) => [facts.requestId, facts]));
  const unknown = Object.keys(named).filter((id) => !byId.has(id));
  if (unknown.length > 0) {
    const rows = await rowsOf<FactsRow>(client, FACTS, [period.tenantId, unknown]);
    for (const facts of rows.map(factsOfRow)) byId.set(facts.requestId, facts);
  }
  const told = [...byId.values()].filter(
    (facts) => facts.requestId in named || touches(window, facts),
  );
  await keepFaults(client, { period, window, danglingBefore }, told, named);
}

const HOUR_MS = 3_600_000;

/** The least id of a request that was made at a moment. */
function idAt(ms: number): string {
  const digits = Math.max(0, ms).toString(16).padStart(12, '0').padEnd(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A request is held soon after its id was made. */
async function readHolds(
  client: PoolClient,
  period: PeriodRow,
  reading: Reading,
): Promise<Reading> {
  const after = reading.holdId ?? idAt(period.from.getTime() - HOUR_MS);
  const before = idAt(period.to.getTime());
  const values = [period.tenantId, period.from, period.to, after, before, ROWS_AT_ONCE];
  const [held] = await rowsOf<{ last: string | null; rows: number; loose: string[] }>(
    client,
    LOOSE_HOLDS,
    values,
  );
  await keepNamed(client, period, reading, namedAs('hold_differs', held?.loose ?? []));
  if (held?.rows === ROWS_AT_ONCE && held.last) return { ...reading, holdId: held.last };
  return { ...reading, phase: 'lines', ...(await versionsOf(client, period, reading)) };
}

function namedAs(fault: IntegrityFault, ids: readonly string[]): NamedFaults {
  return Object.fromEntries(ids.map((id) => [id, [fault]]));
}

/**
 * The numbers of the lines of a period, and those up to the lines beside it: what was removed at
 * its edges stands between them.
 */
async function versionsOf(client: PoolClient, { tenantId }: PeriodRow, reading: Reading) {
  const { versionMin, versionMax } = reading;
  if (versionMin === null || versionMax === null) return { phase: 'end' as const };
  const [edges] = await rowsOf<{ below: string; above: string | null; last: string | null }>(
    client,
    VERSION_EDGES,
    [tenantId, versionMin, versionMax],
  );
  const version = BigInt(edges?.below ?? 0) + 1n;
  // A number beyond that of the account is none of its lines, and is named by itself.
  const last = BigInt(edges?.last ?? 0) + 1n;
  const above = edges?.above ? BigInt(edges.above) : last;
  return { version, versionEnd: above < last ? above : last };
}

async function readLines(
  client: PoolClient,
  period: PeriodRow,
  reading: Reading,
): Promise<Reading> {
  const { version, versionEnd } = reading;
  const wanted = version + BigInt(ROWS_AT_ONCE);
  const end = wanted < versionEnd ? wanted : versionEnd;
  if (version >= end) return { ...reading, phase: 'end' };
  const values = [period.tenantId, period.from, period.to, version, end];
  const [chained] = await rowsOf<{ faults: NamedFaults; logged: number; missing: string[] }>(
    client,
    CHAINED_LINES,
    values,
  );
  await keepNamed(client, period, reading, chained?.faults ?? {});
  const missing = chained?.missing ?? [];
  return {
    ...reading,
    phase: end === versionEnd ? 'end' : 'lines',
    version: end,
    logged: reading.logged + (chained?.logged ?? 0),
    missing: [...reading.missing, ...missing].slice(0, FAULTS_SHOWN_MAX),
    missingTotal: reading.missingTotal + missing.length,
  };
}
