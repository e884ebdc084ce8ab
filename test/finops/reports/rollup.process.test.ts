import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CUBES,
  columnOf,
  dimensionSql,
  SUM_NAMES,
  SUMS,
} from '../../../src/finops/reports/cubes.js';
import { usageSums } from '../../../src/finops/reports/read.js';
import { newId } from '../../../src/kernel/ids.js';
import { connectDatabase, type Database } from '../../../src/platform/database/pool.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../../support/owner.js';
import type { RollupOrders } from './rollup-child.js';
import { plantUsage } from './usage-rows.js';

const KILLS = 6;
/** Each turn of a writer is half a day later: so many reach into the third month. */
const TURNS_MIN = 130;
const TEST_MS_MAX = 120_000;
const outDir = join(projectRoot(), '.cache', `rollup-${process.pid}`);
const tenantId = newId('Tenant');
const otherId = newId('Tenant');

let database: TestDatabase;
let working: Database;
let owner: OwnerDatabase;

beforeAll(async () => {
  database = await freshDatabase();
  const { databaseUrl, connection } = database;
  working = await connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 's'.repeat(32) });
  owner = openAsOwner(connection);
  const source = join('test', 'finops', 'reports', 'rollup-child.ts');
  const options = '--ignoreConfig --noCheck --skipLibCheck --types node --rootDir .'.split(' ');
  execFileSync(
    join('node_modules', '.bin', 'tsc'),
    [source, ...options, '--module', 'nodenext', '--target', 'es2023', '--outDir', outDir],
    { cwd: projectRoot() },
  );
});

afterAll(async () => {
  rmSync(outDir, { recursive: true, force: true });
  await owner.close();
  await working.stop();
  await database.drop();
});

async function startNode(): Promise<ChildProcess> {
  const script = join(outDir, 'test', 'finops', 'reports', 'rollup-child.js');
  const orders: RollupOrders = database.connection;
  const child = spawn(process.execPath, [script, JSON.stringify(orders)], {
    cwd: projectRoot(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

const BEGIN = Date.parse('2026-01-20T00:00:00Z');

const FEATURES = ['search', 'reply', null];

/** Writes rows in transactions of which some stay open long after their rows have their places. */
async function write(index: number, isOver: () => boolean): Promise<void> {
  const client = new pg.Client(database.connection);
  await client.connect();
  for (let turn = 0; turn < TURNS_MIN || !isOver(); turn += 1) {
    await client.query('BEGIN');
    const amountMicro = BigInt(1 + ((index * 31 + turn * 7) % 1_000));
    // Time goes on by months, and every row may be two days older than the one before it.
    const createdAt = new Date(BEGIN + (turn * 12 - ((index + turn) % 50)) * 3_600_000);
    const feature = FEATURES[turn % 3] ?? null;
    const latencyMs = (turn * 37) % 5_000;
    await plantUsage(client, [
      { tenantId, amountMicro, createdAt, feature, latencyMs },
      { tenantId: otherId, amountMicro: 1_000_000n, createdAt, feature },
    ]);
    await sleep(turn % 5 === 0 ? 120 : 1);
    await client.query(turn % 17 === 0 ? 'ROLLBACK' : 'COMMIT');
  }
  await client.end();
}

/** The report and the rows in one moment: nobody writes in between, as both are one snapshot. */
async function reportAndRows(): Promise<readonly [unknown, unknown]> {
  const question = {
    tenantId,
    windows: [{ from: new Date('2026-01-01T00:00:00Z'), to: new Date('2099-01-01T00:00:00Z') }],
    groupBy: ['feature'],
    period: null,
    timeZone: 'Europe/Moscow',
    narrowings: [],
    sketches: [],
    orderBy: 'requests',
    top: 100,
  } as const;
  const rows = await usageSums(working, question);
  const told = Object.fromEntries(
    rows.map(({ group, sums }) => [`${group.feature}`, sums.requests]),
  );
  const { rows: exact } = await owner.pool.query(
    `SELECT feature, count(*)::bigint AS requests FROM usage_event WHERE tenant_id = $1 GROUP BY 1`,
    [tenantId],
  );
  return [told, Object.fromEntries(exact.map(({ feature, requests }) => [`${feature}`, requests]))];
}

/** How far the rows are summed. */
async function mark(): Promise<string> {
  const { rows } = await owner.pool.query(
    `SELECT coalesce(max((txid, seq)::text), '') AS mark FROM reader_mark
     WHERE name = 'usage_rollup'`,
  );
  return rows[0].mark;
}

/**
 * Every cell of every cube, made anew from the rows up to the mark; what differs is answered. Cells
 * that are made of finer ones are there for closed times alone.
 */
async function differences(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { name, dimensions, grains } of CUBES) {
    for (const grain of grains) {
      const columns = dimensions.map(columnOf);
      const trunc = `date_trunc('${grain}', created_at, 'Europe/Moscow')`;
      const isMade =
        grain === grains[0]
          ? 'TRUE'
          : `created_at < (SELECT date_trunc('${grain}', until, 'Europe/Moscow')
               FROM usage_rollup_closed closed WHERE closed.tenant_id = usage_event.tenant_id)`;
      const made = `SELECT tenant_id, ${trunc} AS starts_at,
          ${dimensions.map((each) => `${dimensionSql(each)} AS ${columnOf(each)}`).join(', ')},
          ${SUM_NAMES.map((each) => `sum(${SUMS[each]})::bigint AS ${each}`).join(', ')}
        FROM usage_event, reader_mark m
        WHERE (usage_event.txid, usage_event.seq) <= (m.txid, m.seq) AND ${isMade}
        GROUP BY ${['1', '2', ...columns.map((_each, index) => index + 3)].join(', ')}`;
      const kept = `SELECT tenant_id, starts_at, ${columns.join(', ')}, ${SUM_NAMES.join(', ')}
        FROM usage_rollup WHERE cube = '${name}' AND grain = '${grain}'`;
      const { rows } = await owner.pool.query(
        `(${made} EXCEPT ALL ${kept}) UNION ALL (${kept} EXCEPT ALL ${made})`,
      );
      found.push(...rows);
    }
  }
  return found;
}

/** The grains that stand for a time that is closed: the comparison is not one of nothing. */
async function closedGrains(): Promise<readonly string[]> {
  const { rows } = await owner.pool.query(
    `SELECT DISTINCT grain FROM usage_rollup JOIN usage_rollup_closed USING (tenant_id)
     WHERE cube = 'total' AND starts_at < until ORDER BY 1`,
  );
  return rows.map(({ grain }) => grain);
}

describe('sums of usage under load, brought forward by nodes that are killed', () => {
  it(
    'skip no row and count none twice, also those that commit late',
    async () => {
      let isOver = false;
      const writers = [0, 1, 2, 3].map((index) => write(index, () => isOver));
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = await mark();
        const nodes = await Promise.all([startNode(), startNode()]);
        // Each pair sums something, also where a machine is so busy that it starts late.
        while ((await mark()) === before) await sleep(20);
        await sleep(Math.random() * 300);
        for (const node of nodes) {
          const closed = once(node, 'close');
          node.kill('SIGKILL');
          await closed;
        }
      }
      isOver = true;
      await Promise.all(writers);
      const [told, exact] = await reportAndRows();
      expect(told).toEqual(exact);
      expect(await differences()).toEqual([]);
      const last = await startNode();
      const isDone = async () => {
        const { rows } = await owner.pool.query(
          `SELECT (SELECT max((txid, seq)::text) FROM reader_mark)
             = (SELECT (txid, seq)::text FROM usage_event ORDER BY txid DESC, seq DESC LIMIT 1)
             AS done`,
        );
        return rows[0].done === true;
      };
      while (!(await isDone())) await sleep(20);
      const closed = once(last, 'close');
      last.kill('SIGKILL');
      await closed;
      expect((await reportAndRows())[0]).toEqual(exact);
      expect(await differences()).toEqual([]);
      expect(await closedGrains()).toEqual(['day', 'hour', 'month', 'week']);
    },
    TEST_MS_MAX,
  );
});
