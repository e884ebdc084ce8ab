import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenIssuer } from '../../../src/access/auth/tokens.js';
import { runRetention } from '../../../src/app/retention/command.js';
import { exportMonth } from '../../../src/app/retention/export.js';
import { monthsBefore } from '../../../src/app/retention/month.js';
import { retain } from '../../../src/app/retention/retention.js';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { newId } from '../../../src/kernel/ids.js';
import { USAGE_FEED } from '../../../src/money/feeds/sources.js';
import { readConfig } from '../../../src/platform/config.js';
import { opened } from '../../../src/platform/database/connection.js';
import { Keyring } from '../../../src/platform/keyring.js';
import { type FeedSource, readFeed, subscribeFeed } from '../../../src/records/feed.js';
import { silent } from '../../money/ledger/books.js';
import { charge, type MonthsWorld, openMonths, readAll } from './world.js';

let world: MonthsWorld;
let folder: string;

beforeAll(async () => {
  world = await openMonths();
  folder = mkdtempSync(join(tmpdir(), 'gw-retention-'));
});

afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(into?: string) {
  const lines: string[] = [];
  const question = {
    before: world.second,
    tables: ['usage'],
    apply: into !== undefined,
    folder: into,
    monthsKept: { usage: 13, events: 3 },
    withoutClose: true,
    thisMonth: '2999-01',
  };
  const isWhole = await retain(world.owner, question, (line) => lines.push(line));
  return { isWhole, lines };
}

/** A charge is given back when the month in which it was made is over. */
async function refundLater(requestId: string): Promise<void> {
  const { books, own, ends } = world;
  const at = new Date((ends[0]?.getTime() ?? 0) + 60_000);
  await books.pool.query(
    `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
       charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
       vat_rate_basis_points, vat_micro, created_at)
     VALUES ($1, 1000000, $2, 'refund', $3, $4, 'refunds', 80, 80, 0, 0, 0, 2200, 14, $5)`,
    [own.accountId, own.tenantId, newId('Request'), requestId, at],
  );
}

describe('retention that is disturbed', () => {
  let refunded = '';

  it('keeps a month until refunds of its requests are summed under what these tell', async () => {
    const { own, working } = world;
    refunded = await charge(world, own, new Date());
    await charge(world, own, new Date());
    await readAll(world);
    expect((await ask()).lines).toContain('  can go');
    await refundLater(refunded);
    expect((await ask()).lines.slice(1)).toEqual([
      '  stays: refunds of its requests are not yet read by refund_rollup',
    ]);
    const { platformPool } = working;
    await expect
      .poll(async () => {
        await new UsageRollup({ platformPool, log: silent }).bringForward();
        return (await ask()).lines.slice(1);
      })
      .toEqual(['  can go']);
  });

  it('does nothing while another one is at work', async () => {
    const other = await opened(world.books.database.connection);
    await other.query(`SELECT pg_advisory_lock(hashtext('retention'))`);
    await expect(ask(folder)).rejects.toThrow('at work on this database already');
    await other.end();
    expect(readdirSync(folder)).toEqual([]);
    expect((await ask()).isWhole).toBe(true);
  });

  it('writes over no file of other rows, and leaves no part of one', async () => {
    const strange = mkdtempSync(join(folder, 'strange-'));
    const name = `usage_event_first_until_${world.second}-01.ndjson.gz`;
    writeFileSync(join(strange, name), 'of another database');
    writeFileSync(join(strange, `${name}.manifest.json`), '{"sha256":"00"}');
    await expect(ask(strange)).rejects.toThrow('export to another folder');
    expect(readdirSync(strange).toSorted()).toEqual([name, `${name}.manifest.json`]);
    expect(readFileSync(join(strange, name), 'utf8')).toBe('of another database');
  });

  it('writes over no file either that a kill has left without its manifest', async () => {
    const strange = mkdtempSync(join(folder, 'strange-'));
    const name = `usage_event_first_until_${world.second}-01.ndjson.gz`;
    writeFileSync(join(strange, name), 'of another database');
    await expect(ask(strange)).rejects.toThrow('of other rows; export to another folder');
    expect(readdirSync(strange)).toEqual([name]);
    expect(readFileSync(join(strange, name), 'utf8')).toBe('of another database');
  });

  it('goes on with what was exported before a kill, and keeps what was refunded', async () => {
    const into = join(folder, 'again');
    const [month] = await monthsBefore(world.owner, 'usage', world.second);
    if (!month) throw new Error('no month');
    const { sha256 } = await exportMonth(world.owner, month, into);
    const beside = readdirSync(into).find((each) => each.endsWith('.json')) ?? '';
    const manifest = readFileSync(join(into, beside), 'utf8');
    const { isWhole, lines } = await ask(into);
    expect([isWhole, lines.slice(1)]).toEqual([
      true,
      [
        `  exported: ${month.name}_until_${world.second}-01.ndjson.gz, SHA-256 ${sha256}`,
        '  dropped',
      ],
    ]);
    expect(readFileSync(join(into, beside), 'utf8')).toBe(manifest);
    expect(readdirSync(into)).toHaveLength(2);
    const { rows } = await world.owner.query('SELECT id FROM usage_event');
    expect(rows).toEqual([{ id: refunded }]);
  });
});

describe('a reader of a feed', () => {
  /** Rows behind the place are dropped while they are read. */
  function dropped(tenantId: string): FeedSource<never> {
    return {
      ...(USAGE_FEED as unknown as FeedSource<never>),
      read: async () => {
        await world.books.pool.query(
          `INSERT INTO dropped_rows VALUES ($1, 'usage_event', '', '2026-01-01', 1, 999999999, 1,
             0, 0, 0) ON CONFLICT DO NOTHING`,
          [tenantId],
        );
        return [];
      },
    };
  }
  const after = Buffer.alloc(16).toString('base64url');

  it('is told of rows that go while it reads', async () => {
    const tenantId = newId('Tenant');
    const read = readFeed(world.working.pool, dropped(tenantId), { tenantId, after });
    await expect(read).rejects.toMatchObject({ code: 'cursor_too_old' });
  });

  it('is told of rows that go while it catches up', async () => {
    const tenantId = newId('Tenant');
    const { pool } = world.working;
    const services = { pool, log: silent, feedNotifier: { watch: () => () => {} } };
    const ended = AbortSignal.timeout(20_000);
    const asked = { source: dropped(tenantId), tenantId, after, signal: ended };
    const rows = await subscribeFeed(services as never, asked);
    await expect(rows.next()).rejects.toMatchObject({ code: 'cursor_too_old' });
  });
});

describe('the command, while the secret is replaced', () => {
  it('knows a database that was filled under the former secret', async () => {
    const [OLD, NEW] = ['secret', 'the new secret of the tests, long'];
    await createTokenIssuer(world.working.platformPool, new Keyring({ secret: OLD }), 'gw');
    const { databaseUrl } = world.books.database;
    const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, GW_SECRET: NEW });
    const asked = { before: '2020-01', tables: 'usage', keepUsage: '13', keepEvents: '3' };
    const run = (otherSecrets: string[]) =>
      runRetention({ ...config, otherSecrets }, asked, () => {});
    await expect(run([])).rejects.toThrow('filled under');
    expect(await run([OLD])).toBe(true);
  });
});
