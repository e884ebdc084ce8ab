import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moscowDay } from '../../../src/kernel/time.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { plantUsage } from '../reports/usage-rows.js';

const TEXT = readFileSync(join(projectRoot(), 'docs', 'bi.md'), 'utf8');
/** Pages show windows that end now, so the usage is of the last days. */
const USED = new Date(Date.now() - 2 * 86_400_000);
const LOGIN = `bi_recipes_${process.pid}`;

/** The blocks of the page in a language, in their order. */
function blocks(language: string): string[] {
  const found = TEXT.matchAll(/^```(\S+(?: \S+)?)\n([\s\S]*?)^```$/gm);
  return [...found].filter(([, of]) => of === language).map(([, , text = '']) => text.trim());
}

let app: TestApp;
let own: Customer;

beforeAll(async () => {
  app = await startApp();
  own = await newCustomer(app);
  const row = { createdAt: USED, feature: 'search', clientId: 'acme' };
  await plantUsage(app.owner.pool, [
    { ...row, tenantId: own.tenantId, projectId: own.projectId, amountMicro: 1_000_000n },
  ]);
});

afterAll(async () => {
  await app.owner.pool.query(`DROP ROLE IF EXISTS ${LOGIN}`);
  await app.stop();
});

const headers = () => ({
  authorization: `Basic ${Buffer.from(`bi:${own.key}`).toString('base64')}`,
});

async function get(path: string): Promise<string> {
  const answer = await fetch(app.url + path, { headers: headers() });
  const text = await answer.text();
  expect([path, answer.status, text.includes('error":{')]).toEqual([path, 200, false]);
  return text;
}

describe('the page on BI tools', () => {
  const requests = blocks('http');

  it.each(requests)('%s works with the key as password', async (line) => {
    const [method, path = ''] = line.split(' ');
    expect(method).toBe('GET');
    expect((await get(path)).length).toBeGreaterThan(0);
  });

  it('has a GraphQL question that is answered without a fault', async () => {
    for (const query of blocks('graphql')) {
      const answer = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect(await answer.json()).toMatchObject({
        data: { usageReport: { rows: [{ period: moscowDay(USED.getTime()), amountRub: '1.00' }] } },
      });
    }
  });

  it('has a Power Query whose request gives the table that it promotes', async () => {
    const [query = ''] = blocks('powerquery');
    const path = /RelativePath = "([^"]+)"/.exec(query)?.[1] ?? '';
    const members = /Query = \[([^\]]+)\]/.exec(query)?.[1] ?? '';
    const pairs = [...members.matchAll(/(\w+) = "([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    const table = await get(`${path}?${new URLSearchParams(pairs)}`);
    const [heading = '', first = ''] = table.split('\r\n');
    expect(heading.startsWith('period,client_id,')).toBe(true);
    expect(first.split(',')[0]?.slice(0, 7)).toBe(moscowDay(USED.getTime()).slice(0, 7));
    expect(first.split(',')[1]).toBe('acme');
  });

  it('has statements that its login may run, and that find the usage', async () => {
    const [operator = ''] = blocks('sql operator');
    const sql = operator
      .replaceAll('bi_acme', LOGIN)
      .replace("name = 'My company'", `id = '${own.tenantId}'`);
    await app.owner.pool.query(sql);
    const connectionString = new URL(app.environment.DATABASE_URL ?? '');
    connectionString.username = LOGIN;
    connectionString.password = 'a long password';
    const client = new pg.Client({ connectionString: connectionString.toString() });
    await client.connect();
    try {
      const [daily = '', monthly = '', requestsOfDay = ''] = blocks('sql');
      expect((await client.query(daily)).rows).toMatchObject([
        { feature: 'search', amount_rub: '1.000000' },
      ]);
      expect((await client.query(monthly)).rows).toMatchObject([{ client_id: 'acme' }]);
      expect((await client.query(requestsOfDay)).rows).toEqual([]);
    } finally {
      await client.end();
    }
  });
});
