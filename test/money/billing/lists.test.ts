import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRub } from '../../../src/kernel/money.js';
import { chat, newKey } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
let second: { readonly id: string; readonly key: string };
/** Request ids, oldest first. */
const requests: string[] = [];

beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  second = await newKey(app, owner.token, 'standard');
  const asked = [
    { key: owner.key, metadata: { feature: 'search', client_id: 'acme', environment: 'test' } },
    { key: owner.key, metadata: { feature: 'search', client_id: 'other' } },
    { key: second.key, metadata: { feature: 'draft', client_id: 'acme' } },
    { key: second.key, model: 'sandbox/gw-pro' },
    { key: owner.key, metadata: { feature: '=HYPERLINK("x";"y")', client_id: '+7, "a"\nb' } },
  ];
  for (const { key, ...more } of asked) {
    const { body } = await chat(app, key, 'Здравствуйте', more);
    requests.push(body.gw_routing.request_id);
  }
  await chat(app, owner.key, 'Здравствуйте', { metadata: { sandbox_error: '400' } });
  const { body } = await rest<Page>(app, 'GET', '/usage?limit=1', { credential: owner.token });
  requests.push(body.data[0]?.request_id ?? '');
});
afterAll(() => app.stop());

interface Line {
  readonly request_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly created_at: string;
}

interface Page {
  readonly data: readonly Line[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

async function page(path: string): Promise<Page> {
  const { body } = await rest<Page>(app, 'GET', path, { credential: owner.token });
  return body;
}

/** Requests by their number, oldest is 0, newest first. */
async function usageOf(query: string): Promise<number[]> {
  const { data } = await page(`/usage?${query}`);
  return data.map(({ request_id }) => requests.indexOf(request_id));
}

async function ledgerOf(query: string): Promise<string[]> {
  const { data } = await page(`/billing/ledger?${query}`);
  return data.map(({ request_id, type }) => `${type} ${requests.indexOf(request_id)}`);
}

describe('usage', () => {
  it('is narrowed by every filter, and by several together', async () => {
    const { data } = await page('/usage');
    const at = (number: number) =>
      data.find(({ request_id }) => request_id === requests[number])?.created_at ?? '';
    expect(await usageOf('')).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await usageOf('feature=search')).toEqual([1, 0]);
    expect(await usageOf('client_id=acme')).toEqual([2, 0]);
    expect(await usageOf('feature=search&client_id=acme')).toEqual([0]);
    expect(await usageOf(`key_id=${second.id}`)).toEqual([3, 2]);
    expect(await usageOf('model=sandbox/gw-pro')).toEqual([3]);
    expect(await usageOf(`request_id=${requests[2]}`)).toEqual([2]);
    expect(await usageOf('status=failed')).toEqual([5]);
    expect(await usageOf('status=complete')).toEqual([4, 3, 2, 1, 0]);
    expect(await usageOf(`to=${at(0)}`)).toEqual([]);
    expect(await usageOf(`from=${at(0)}&feature=search`)).toEqual([1, 0]);
    expect(await usageOf('feature=nothing')).toEqual([]);
  });

  it('holds metadata only: no word of prompt or answer is stored', async () => {
    const { rows } = await app.owner.pool.query<{ text: string }>(
      'SELECT row_to_json(u)::text AS text FROM usage_event u',
    );
    expect(rows.map(({ text }) => text).join()).not.toMatch(/Здравствуйте|You wrote/);
  });
});

describe('the ledger', () => {
  it('is narrowed by every filter, those of usage included', async () => {
    expect(await ledgerOf('type=finalize')).toEqual([
      'finalize 4',
      'finalize 3',
      'finalize 2',
      'finalize 1',
      'finalize 0',
    ]);
    expect(await ledgerOf('type=top_up')).toEqual(['top_up -1']);
    expect(await ledgerOf(`request_id=${requests[5]}`)).toEqual(['release 5', 'hold 5']);
    expect(await ledgerOf('feature=draft')).toEqual(['finalize 2', 'hold 2']);
    expect(await ledgerOf('type=hold&client_id=acme')).toEqual(['hold 2', 'hold 0']);
    expect(await ledgerOf(`key_id=${second.id}&type=finalize`)).toEqual([
      'finalize 3',
      'finalize 2',
    ]);
    expect(await ledgerOf('model=sandbox/gw-pro&type=finalize')).toEqual(['finalize 3']);
    expect(await ledgerOf('to=2026-01-01T00:00:00Z')).toEqual([]);
    expect((await ledgerOf('from=2026-01-01T00:00:00Z')).length).toBe(13);
  });

  it('has no gap in its sequence and adds up to the balance', async () => {
    const { data } = await graphql<Graph>(
      app,
      `{ ledger { nodes { sequence postedDeltaRub heldDeltaRub postedAfterRub heldAfterRub } }
         balance { postedRub heldRub } }`,
      {},
      owner.token,
    );
    const lines = [...data.ledger.nodes].reverse();
    expect(lines.map(({ sequence }) => Number(sequence))).toEqual(lines.map((_, at) => at + 1));
    let posted = 0n;
    let held = 0n;
    for (const line of lines) {
      posted += micro(line.postedDeltaRub);
      held += micro(line.heldDeltaRub);
      expect([micro(line.postedAfterRub), micro(line.heldAfterRub)]).toEqual([posted, held]);
    }
    expect([micro(data.balance.postedRub), micro(data.balance.heldRub)]).toEqual([posted, held]);
  });

  it('charges exactly what usage says, request by request and in sum', async () => {
    const { data } = await graphql<Graph>(
      app,
      `{ usage { nodes { id amountRub vatRub netRub } }
         ledger(filter: { type: { eq: finalize } }) {
           nodes { requestId amountRub vatRub netRub }
         } }`,
      {},
      owner.token,
    );
    const charged = data.ledger.nodes.map(({ requestId, ...amounts }) => [requestId, amounts]);
    const used = data.usage.nodes
      .filter(({ amountRub }) => micro(amountRub) > 0n)
      .map(({ id, ...amounts }) => [id, amounts]);
    expect(used).toHaveLength(5);
    expect(charged).toEqual(used);
    for (const { amountRub, vatRub, netRub } of data.usage.nodes) {
      expect(micro(vatRub) + micro(netRub)).toBe(micro(amountRub));
    }
  });
});

interface Graph {
  readonly ledger: { readonly nodes: readonly Record<string, string>[] };
  readonly usage: { readonly nodes: readonly Record<string, string>[] };
  readonly balance: { readonly postedRub: string; readonly heldRub: string };
}

function micro(rub: string | undefined): bigint {
  return parseRub(rub ?? '') ?? -1n;
}

describe('paging', () => {
  it.each(['/usage', '/billing/ledger', '/api-keys'])(
    'of %s gives every row once, newest first, whatever is inserted meanwhile',
    async (path) => {
      const idOf = (line: object) => (line as { id?: string }).id ?? (line as Line).request_id;
      const { data: whole } = await page(`${path}?limit=200`);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const at: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { data, has_more, next_cursor }: Page = await page(`${path}?limit=2${at}`);
        seen.push(...data.map(idOf));
        cursor = has_more ? next_cursor : null;
        await chat(app, owner.key);
        await newKey(app, owner.token, 'agent');
      } while (cursor !== null);
      expect(seen).toEqual(whole.map(idOf));
    },
  );
});

describe('CSV', () => {
  async function csv(path: string): Promise<{ type: string | null; lines: string[] }> {
    const { body, headers } = await rest<string>(app, 'GET', path, { credential: owner.token });
    const type = headers.get('content-type');
    return { type, lines: body.split('\r\n') };
  }

  it('has the columns of the list and every row, past the size of a page', async () => {
    const { type, lines } = await csv('/usage?format=csv');
    expect(type).toBe('text/csv; charset=utf-8');
    expect(lines[0]).toMatch(/^request_id,operation,requested_model,.*tokens\.input_uncached,/);
    const { data } = await page('/usage?limit=200');
    const ids = lines
      .filter((line) => /^[0-9a-f-]{36},/.test(line))
      .map((line) => line.slice(0, 36));
    expect(ids).toEqual(data.map(({ request_id }) => request_id));
  });

  it('cannot start a formula in a spreadsheet, and keeps negative amounts as numbers', async () => {
    const usage = await csv(`/usage?format=csv&request_id=${requests[4]}`);
    expect(usage.lines.join('\r\n')).toContain(`"'=HYPERLINK(""x"";""y"")"`);
    expect(usage.lines.join('\r\n')).toContain(`"'+7, ""a""\nb"`);
    const ledger = await csv(`/billing/ledger?format=csv&type=finalize&request_id=${requests[0]}`);
    const [heading = '', row = ''] = ledger.lines;
    const delta = row.split(',')[heading.split(',').indexOf('posted_delta_rub')];
    expect(delta).toMatch(/^-0\.\d+$/);
  });

  it('takes the filters of the list', async () => {
    const { lines } = await csv('/usage?format=csv&feature=search');
    expect(lines.filter((line) => line.includes(',search,'))).toHaveLength(2);
    expect(lines.filter(Boolean)).toHaveLength(3);
  });
});
