import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RetentionOptions, runRetention } from '../../../src/app/retention/command.js';
import { TABLES, type TableWord } from '../../../src/app/retention/month.js';
import { retain } from '../../../src/app/retention/retention.js';
import {
  type OwnFacts,
  writeDocument,
} from '../../../src/assurance/procurement/documents.rules.js';
import { RETENTION } from '../../../src/assurance/trust/retention.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { MONTHS_KEPT } from '../../../src/records/months.js';
import { erase } from '../../access/personal-data/samples.js';
import { charge, type MonthsWorld, openMonths, readAll } from '../../app/retention/world.js';
import { DATA_INVENTORY } from '../../platform/data-inventory.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { contentsOf, fill, rowsOf } from './kept-things.js';

/** What the published periods say, in words that a reader relies on. */
const IS_ERASED = /(?:сотрёт|стирание) персональн\S+ данн\S+ организации/;
const STAYS = /не удаля[ею]тся/;
const MONTHS = /может удалить месяц старше (\d+) месяцев .*не меньше (\d+)/;

const CONTENT_CLASSES = ['sealed', 'answer', 'delivery'] as const;

describe('the published list of what is kept', () => {
  it('names with its content every table of sealed values, answers and deliveries', () => {
    const holding = Object.entries(DATA_INVENTORY)
      .filter(([, classes]) => CONTENT_CLASSES.some((each) => classes[each] !== undefined))
      .map(([table]) => table);
    const named = new Set(
      RETENTION.filter(({ content, period }) => content && IS_ERASED.test(period)).flatMap(
        ({ tables }) => tables,
      ),
    );
    expect(holding.filter((table) => !named.has(table))).toEqual([]);
    expect([...named].filter((table) => !holding.includes(table))).toEqual([]);
  });

  it('names tables and files that there are, and is the same in the document of a purchase', () => {
    const tables = RETENTION.flatMap((row) => row.tables);
    expect(tables.filter((table) => DATA_INVENTORY[table] === undefined)).toEqual([]);
    const files = RETENTION.map(({ enforcedIn }) => enforcedIn);
    expect(files.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([]);
    const own = { kept: {}, trust: { providers: [] } } as unknown as OwnFacts;
    const pack = { legalName: null, inn: null, answered: new Set<string>() };
    const text = writeDocument('zero_log', own, pack).paragraphs.join('\n');
    for (const { title, period } of RETENTION) {
      expect(text).toContain(title);
      expect(text).toContain(period);
    }
  });
});

describe('after an erasure', () => {
  let app: TestApp;
  let customer: Customer;
  let neighbour: Customer;
  beforeAll(async () => {
    app = await startApp();
    [customer, neighbour] = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
    for (const each of [customer, neighbour]) await fill(app, each);
  });
  afterAll(() => app?.stop());

  it('content is gone exactly where the published period says so', async () => {
    const { body } = await rest<{ retention: typeof RETENTION }>(
      app,
      'GET',
      '/v1/gw/trust/overview',
    );
    const published = body.retention;
    expect(published.map(({ code }) => code)).toEqual(RETENTION.map(({ code }) => code));
    const look = async ({ tenantId }: Customer) => ({
      contents: await contentsOf(app.owner.pool, tenantId),
      rows: await rowsOf(app.owner.pool, tenantId),
    });
    const [before, theirs] = [await look(customer), await look(neighbour)];
    expect((await erase(app, customer)).data.organizationPersonalDataErase?.keysErased).toBe(1);
    const [after, theirsAfter] = [await look(customer), await look(neighbour)];
    expect(theirsAfter).toEqual(theirs);
    for (const { code, period, tables } of published) {
      for (const table of tables) {
        const of = (seen: typeof before) => [seen.contents[table] ?? 0, seen.rows[table] ?? 0];
        const [[contents = 0, rows = 0], [left = 0, rowsLeft = 0]] = [of(before), of(after)];
        const what = `${code} in ${table}`;
        expect(rows, what).toBeGreaterThan(0);
        if (IS_ERASED.test(period)) {
          expect(contents, what).toBeGreaterThan(0);
          expect(left, what).toBe(0);
        }
        // The erasure itself adds a receipt and an event of the trail.
        if (STAYS.test(period)) expect(rowsLeft, what).toBeGreaterThanOrEqual(rows);
      }
    }
  });
});

describe('after a retention run', () => {
  let world: MonthsWorld;
  let folder: string;
  beforeAll(async () => {
    world = await openMonths();
    folder = mkdtempSync(join(tmpdir(), 'gw-published-retention-'));
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The published months by table: those that are kept by default, and the fewest. */
  const monthly = Object.fromEntries(
    RETENTION.flatMap(({ period, tables }) => {
      const [, kept, least] = MONTHS.exec(period) ?? [];
      return kept === undefined ? [] : tables.map((table) => [table, [+kept, Number(least)]]);
    }),
  ) as Readonly<Record<string, readonly [kept: number, least: number]>>;

  const later = (months: number) => {
    const [year = 0, month = 1] = world.second.split('-').map(Number);
    return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 7);
  };

  async function ask(word: TableWord, months: number, apply = false): Promise<string[]> {
    const lines: string[] = [];
    const asked = { before: world.second, tables: [word], folder, apply, withoutClose: true };
    const terms = { monthsKept: MONTHS_KEPT, thisMonth: later(months) };
    await retain(world.owner, { ...asked, ...terms }, (line) => lines.push(line));
    return lines;
  }

  it('whole months are gone from the tables whose period says so, and nothing else', async () => {
    expect(Object.keys(monthly).sort()).toEqual(Object.values(TABLES).sort());
    for (let request = 0; request < 3; request += 1) await charge(world, world.own, new Date());
    await readAll(world);
    const before = await rowsOf(world.books.pool, world.own.tenantId);
    for (const [word, table] of Object.entries(TABLES) as [TableWord, string][]) {
      const [kept = 0] = monthly[table] ?? [];
      const young = await ask(word, kept - 1, true);
      expect(young).toContain(`  stays: is within the ${kept} months that ${word} is kept for`);
      expect(await ask(word, kept, true)).toContain('  dropped');
    }
    const after = await rowsOf(world.books.pool, world.own.tenantId);
    const { rows: dropped } = await world.owner.query<{ of_table: string }>(
      'SELECT of_table FROM month_partition WHERE dropped_at IS NOT NULL ORDER BY 1',
    );
    expect(dropped.map((row) => row.of_table)).toEqual(Object.keys(monthly).sort());
    expect(after.usage_event).toBeLessThan(before.usage_event ?? 0);
    for (const { tables } of RETENTION.filter(({ period }) => !MONTHS.test(period))) {
      for (const table of tables) expect([table, after[table]]).toEqual([table, before[table]]);
    }
    expect(before.ledger_entry).toBeGreaterThan(0);
  });

  it('fewer months than the published minimum are refused before anything is read', async () => {
    const options = (usage: number, events: number): RetentionOptions => {
      const kept = { keepUsage: String(usage), keepEvents: String(events) };
      return { before: '2020-01', tables: 'usage,events', ...kept };
    };
    const [[, usage = 0] = [], [, events = 0] = []] = [monthly.usage_event, monthly.feed_event];
    const run = (asked: RetentionOptions) => runRetention({} as never, asked, () => {});
    await expect(run(options(usage - 1, events))).rejects.toThrow(`from ${usage} to`);
    await expect(run(options(usage, events - 1))).rejects.toThrow(`from ${events} to`);
  });
});
