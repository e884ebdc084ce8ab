import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Books, type Customer, openBooks, usageOf } from './books.js';
import type { CrashOrders } from './crash-child.js';

const KILLS = 4;
const TEST_MS_MAX = 90_000;
const CONCURRENCY = 150;
const outDir = join(projectRoot(), '.cache', `crash-${process.pid}`);

let books: Books;

beforeAll(async () => {
  books = await openBooks();
  const source = join('test', 'money', 'ledger', 'crash-child.ts');
  const options = '--ignoreConfig --noCheck --skipLibCheck --types node --rootDir .'.split(' ');
  execFileSync(
    join('node_modules', '.bin', 'tsc'),
    [source, ...options, '--module', 'nodenext', '--target', 'es2023', '--outDir', outDir],
    { cwd: projectRoot() },
  );
});

afterAll(async () => {
  rmSync(outDir, { recursive: true, force: true });
  await books.close();
});

function startChild(customer: Customer, budgetIds: readonly string[]): ChildProcess {
  const { prices: _, ...usage } = usageOf(customer);
  const orders: CrashOrders = {
    connection: books.database.connection,
    nodeId: 'crash',
    dataDir: books.dataDir,
    accountId: customer.accountId,
    tenantId: customer.tenantId,
    budgetIds,
    usage,
    concurrency: CONCURRENCY,
  };
  const script = join(outDir, 'test', 'money', 'ledger', 'crash-child.js');
  return spawn(process.execPath, [script, JSON.stringify(orders)], {
    cwd: projectRoot(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a gateway, kills it under load, and answers the lines that its clients saw. */
async function killUnderLoad(customer: Customer, budgetIds: readonly string[]): Promise<string[]> {
  const child = startChild(customer, budgetIds);
  let text = '';
  child.stdout?.setEncoding('utf8');
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the process ended by itself')));
    child.stdout?.on('data', (part: string) => {
      text += part;
      if (text.split('\n').length > 200) resolve();
    });
  });
  await ready;
  await sleep(Math.random() * 300);
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  // The last line may be cut; a client has not seen it.
  return text.split('\n').slice(1, -1);
}

describe('a gateway killed under load', () => {
  it(
    'loses nothing, doubles nothing, and leaves nothing open or wrongly charged',
    async () => {
      const customer = await books.customer(1_000_000_000n);
      const budgetIds = [await books.budget(customer, 900_000_000n, 'month')];
      const seen: string[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        seen.push(...(await killUnderLoad(customer, budgetIds)));
        const ledger = await books.ledger('crash');
        expect(await violationsAtRest(books.pool)).toEqual([]);
        await ledger.stop();
      }
      const { rows } = await books.pool.query<{ line: string; state: string; usage: string }>(
        `SELECT CASE h.state WHEN 'released' THEN 'released ' || request_id || ' 0'
                           ELSE 'charged ' || request_id || ' ' || charged_micro END AS line,
              h.state, u.status || COALESCE(' ' || u.error_code, '') AS usage
       FROM hold h LEFT JOIN usage_event u ON u.id = h.request_id`,
      );
      const states = new Map(rows.map(({ line, state }) => [line, state]));
      const lost = seen.filter((line) => !states.has(line));
      expect(lost, 'answers that the books do not know').toEqual([]);
      const told = new Set(seen);
      const undelivered = rows.filter(
        ({ line, state, usage }) =>
          state === 'delivered' && !told.has(line) && usage !== 'partial node_lost',
      );
      expect(undelivered, 'charges whose answer nobody has seen').toEqual([]);
      const kept = new Set(rows.map(({ state }) => state));
      expect(kept.has('delivered') && kept.has('released')).toBe(true);
      expect(seen.length).toBeGreaterThan(KILLS * 200 - KILLS);
    },
    TEST_MS_MAX,
  );
});
