import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatRub } from '../../../src/kernel/money.js';
import { graphql, rest } from '../../support/app.js';
import { ChargedApp, micro, NOW, type Page, queryOf, sumOf, wholeSecond } from './charged-app.js';
import type { WireRow } from './published-rules.js';

let charged: ChargedApp;
beforeAll(async () => {
  charged = await ChargedApp.start();
});
afterAll(() => charged?.app.stop());

const ofNow = (more = '', who = charged.customer) =>
  charged.exported(`${queryOf(NOW)}${more}`, who);

describe('another organization', () => {
  it('sees its own charges and none of these', async () => {
    const rows = await ofNow('', charged.other);
    expect(new Set(rows.map((row) => row.BillingAccountId))).toEqual(
      new Set([charged.other.accountId]),
    );
    expect(rows.map((row) => row.ChargeCategory)).toEqual([
      ...Array.from({ length: 5 }, () => 'Usage'),
      'Tax',
    ]);
    expect(sumOf(rows)).toBe((await charged.movement(NOW, charged.other))?.moved);
    const mine = await ofNow();
    expect(new Set(mine.map((row) => row.BillingAccountId))).toEqual(
      new Set([charged.customer.accountId]),
    );
  });

  it('gets nothing of a page by the cursor of another', async () => {
    const path = `/v1/gw/cost/focus?${queryOf(NOW)}&limit=2`;
    const { body } = await rest<Page>(charged.app, 'GET', path, {
      credential: charged.customer.token,
    });
    const { body: page } = await rest<Page>(
      charged.app,
      'GET',
      `${path}&cursor=${body.next_cursor}`,
      {
        credential: charged.other.token,
      },
    );
    expect(page.data.filter((row) => row.BillingAccountId !== charged.other.accountId)).toEqual([]);
  });
});

describe('pages', () => {
  it('of any size are the whole export, and see what the first of them saw', async () => {
    const path = `/v1/gw/cost/focus?${queryOf(NOW)}`;
    const all = await ofNow();
    for (const limit of [1, 3, 7]) {
      const before = (await charged.movement(NOW))?.moved;
      const rows: WireRow[] = [];
      let cursor: string | null = '';
      let isFirst = true;
      while (cursor !== null) {
        const query: string = `${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { body } = await rest<Page>(charged.app, 'GET', query, {
          credential: charged.customer.token,
        });
        rows.push(...body.data);
        cursor = body.next_cursor;
        // What comes in between belongs to the next export.
        if (isFirst) await charged.ask(`between ${limit}`, {});
        isFirst = false;
      }
      expect(sumOf(rows)).toBe(before);
      expect((await charged.movement(NOW))?.moved).not.toBe(before);
      if (limit === 1) expect(rows).toEqual(all);
    }
  });

  it('refuse a cursor that no page has given', async () => {
    const forged = ['x', 'f 1 2 3 4:5:6', `f 1 2 3 9:2: ${'0'.repeat(32)} 1`];
    for (const text of forged) {
      const cursor = Buffer.from(text).toString('base64url');
      const { status, body } = await rest<{ error: { code: string } }>(
        charged.app,
        'GET',
        `/v1/gw/cost/focus?cursor=${cursor}`,
        { credential: charged.customer.token },
      );
      expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
    }
  });
});

describe('a window', () => {
  it('is refused with every fault of it', async () => {
    const { status, body } = await rest<{ error: { faults: { path: string; code: string }[] } }>(
      charged.app,
      'GET',
      '/v1/gw/cost/focus?from=2026-03-01T00:00:00.5Z&to=2026-01-01T00:00:00Z',
      { credential: charged.customer.token },
    );
    expect(status).toBe(400);
    expect(body.error.faults.map(({ path }) => path)).toEqual(['from', 'from']);
    const hourly = await rest<{ error: { message: string } }>(
      charged.app,
      'GET',
      '/v1/gw/cost/focus?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&granularity=hour',
      { credential: charged.customer.token },
    );
    expect(hourly.status).toBe(400);
    expect(hourly.body.error.message).toContain('at most 31 days');
  });

  it('by default is the billing period so far', async () => {
    const rows = await charged.exported('granularity=day');
    const moscow = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7);
    const begin = new Date(Date.parse(`${moscow}-01T00:00:00+03:00`));
    expect(new Set(rows.map((row) => row.BillingPeriodStart))).toEqual(
      new Set([wholeSecond(begin)]),
    );
    expect(sumOf(rows)).toBe((await charged.movement({ from: begin, to: NOW.to }))?.moved);
  });
});

describe('as CSV', () => {
  async function csv(query: string) {
    const { headers, body } = await rest<string>(
      charged.app,
      'GET',
      `/v1/gw/cost/focus?format=csv${query}`,
      {
        credential: charged.customer.token,
      },
    );
    return { type: headers.get('content-type'), body };
  }

  it('has the same rows under the same names', async () => {
    const { type, body } = await csv(`&${queryOf(NOW)}`);
    expect(type).toBe('text/csv; charset=utf-8');
    const [heading = [], ...lines] = recordsOf(body);
    const rows = await ofNow();
    expect(heading).toEqual(Object.keys(rows[0] ?? {}));
    const shown = (value: WireRow[string] | undefined) => {
      const text = value === null || value === undefined ? '' : String(value);
      return typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
    };
    expect(lines).toEqual(rows.map((row) => heading.map((name) => shown(row[name]))));
  });

  it('gives a formula to no spreadsheet, and leaves negative amounts numbers', async () => {
    const { body } = await csv(`&${queryOf(NOW)}`);
    expect(body).toContain(`"'=HYPERLINK(""x"";""y"")"`);
    expect(body).toContain(`"acme, ""b""\nc"`);
    expect(body).toMatch(/(^|\r\n)-5\.000001,/);
  });

  it('of an empty window is the heading alone', async () => {
    const { body } = await csv('&from=2024-01-01T00:00:00Z&to=2024-12-31T00:00:00Z');
    expect(recordsOf(body)).toEqual([Object.keys((await ofNow())[0] ?? {})]);
  });
});

/** The records of RFC 4180 text. */
function recordsOf(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== '\r\n') continue;
    records.push(record);
    record = [];
  }
  return records;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g;

describe('in GraphQL', () => {
  it('are the same charges, in exact amounts', async () => {
    const { data } = await graphql<{ focusCharges: { nodes: { billedCostRub: string }[] } }>(
      charged.app,
      `query($from: String!, $to: String!) {
        focusCharges(first: 200, from: $from, to: $to) { nodes { billedCostRub } }
      }`,
      { from: wholeSecond(NOW.from), to: wholeSecond(NOW.to) },
      charged.customer.token,
    );
    const amounts = (await ofNow()).map((row) => formatRub(micro(row.BilledCost)));
    expect(data.focusCharges.nodes.map(({ billedCostRub }) => billedCostRub)).toEqual(amounts);
  });

  it('are for those who may read the ledger', async () => {
    const refused = await graphql(charged.app, '{ focusCharges { nodes { skuId } } }');
    expect(refused.errors?.[0]?.extensions.code).toBe('missing_credential');
  });
});
