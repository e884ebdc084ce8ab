import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageBy } from '../../../src/finops/reports/service.js';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type PlantedRow, plantUsage } from './usage-rows.js';

let app: TestApp;
let own: Customer;
let other: Customer;

const AT = (day: string, hour = 12) =>
  new Date(`2026-10-${day}T${String(hour).padStart(2, '0')}:00:00+03:00`);
const WINDOW = 'from=2026-10-01&to=2026-10-31';

beforeAll(async () => {
  app = await startApp();
  [own, other] = [await newCustomer(app), await newCustomer(app)];
  const each = (row: Omit<PlantedRow, 'tenantId'>): PlantedRow => ({
    tenantId: own.tenantId,
    model: 'large',
    provider: 'p',
    inputUncached: 100,
    outputText: 10,
    ...row,
  });
  await plantUsage(app.owner.pool, [
    each({
      createdAt: AT('05'),
      feature: 'search',
      clientId: 'acme',
      amountMicro: 1_220_001n,
      vatMicro: 220_000n,
      latencyMs: 100,
      timeToFirstTokenMs: 50,
    }),
    each({
      createdAt: AT('06'),
      feature: 'search',
      clientId: '=SUM(A1)',
      amountMicro: 610_000n,
      vatMicro: 110_000n,
      latencyMs: 300,
    }),
    each({
      createdAt: AT('06'),
      feature: null,
      clientId: 'acme',
      amountMicro: 5n,
      vatMicro: 1n,
      latencyMs: 200,
      metadata: { gw_cache: 'hit' },
    }),
    each({
      createdAt: AT('31', 23),
      feature: 'reply',
      model: 'small',
      amountMicro: 0n,
      status: 'failed',
      errorCode: 'upstream_error',
    }),
    each({
      createdAt: AT('01', 0),
      feature: 'reply',
      model: 'small',
      amountMicro: 7n,
      vatMicro: 1n,
      latencyMs: 900,
    }),
    {
      tenantId: other.tenantId,
      createdAt: AT('06'),
      feature: 'search',
      amountMicro: 99_000_000n,
      model: 'large',
    },
  ]);
});

afterAll(() => app.stop());

const get = (path: string, customer: Customer = own) =>
  rest(app, 'GET', path, { credential: customer.key });

describe('GET /v1/gw/cost/by-feature', () => {
  it('tells what each feature was charged, dearest first, and of nobody else', async () => {
    const { status, body } = await get(`/v1/gw/cost/by-feature?${WINDOW}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      from: '2026-09-30T21:00:00.000Z',
      to: '2026-10-31T21:00:00.000Z',
      time_zone: 'Europe/Moscow',
      total: { requests: 5, failed: 1, amount_rub: 1.830013, net_rub: 1.500011, vat_rub: 0.330002 },
      total_before: null,
      provenance: 'live_measured',
    });
    const rows = body.rows as Record<string, unknown>[];
    expect(rows.map(({ feature, amount_rub }) => [feature, amount_rub])).toEqual([
      ['search', 1.830001],
      ['reply', 0.000007],
      [null, 0.000005],
    ]);
    expect(rows[0]).toEqual({
      period: null,
      feature: 'search',
      is_other: false,
      requests: 2,
      failed: 0,
      cached: 0,
      input_tokens: 200,
      cached_input_tokens: 0,
      output_tokens: 20,
      amount_rub: 1.830001,
      net_rub: 1.500001,
      vat_rub: 0.33,
      list_cost_rub: 1.830001,
      amount_rub_before: null,
      requests_before: null,
      amount_change_percent: null,
      charged_rub: 1.830001,
      refunded_rub: 0,
    });
  });

  it('says the same before the sums were brought forward and after', async () => {
    const before = await get(`/v1/gw/cost/by-feature?${WINDOW}&granularity=day`);
    await app.server.services.usageRollup.bringForward();
    const after = await get(`/v1/gw/cost/by-feature?${WINDOW}&granularity=day`);
    expect(after.body).toEqual(before.body);
  });

  it('puts all features beyond the top into one row', async () => {
    const { body } = await get(`/v1/gw/cost/by-feature?${WINDOW}&top=1`);
    const rows = body.rows as Record<string, unknown>[];
    expect(
      rows.map(({ feature, is_other, amount_rub }) => [feature, is_other, amount_rub]),
    ).toEqual([
      ['search', false, 1.830001],
      [null, true, 0.000012],
    ]);
  });
});

describe('tables', () => {
  const table = (format: string) =>
    fetch(`${app.url}/v1/gw/cost/by-client?${WINDOW}&format=${format}`, {
      headers: { authorization: `Bearer ${own.key}` },
    });

  it('are CSV in which no text is run as a formula', async () => {
    const answer = await table('csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await answer.text()).split('\r\n');
    expect(lines.slice(0, 3)).toEqual([
      'period,client_id,is_other,requests,failed,cached,input_tokens,cached_input_tokens,' +
        'output_tokens,amount_rub,net_rub,vat_rub,list_cost_rub,amount_rub_before,' +
        'requests_before,amount_change_percent,charged_rub,refunded_rub',
      ',acme,false,2,0,1,200,0,20,1.220006,1.000005,0.220001,1.220006,,,,1.220006,0',
      ",'=SUM(A1),false,1,0,0,100,0,10,0.61,0.5,0.11,0.61,,,,0.61,0",
    ]);
  });

  it('are CSV for Russian spreadsheets: byte order mark, semicolons, decimal commas', async () => {
    const answer = await table('csv_ru');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const lines = bytes.subarray(3).toString().split('\r\n');
    expect(lines[0]?.startsWith('period;client_id;is_other')).toBe(true);
    expect(lines.slice(1, 3)).toEqual([
      ';acme;false;2;0;1;200;0;20;1,220006;1,000005;0,220001;1,220006;;;;1,220006;0',
      ";'=SUM(A1);false;1;0;0;100;0;10;0,61;0,5;0,11;0,61;;;;0,61;0",
    ]);
  });

  it('are NDJSON, one row a line, as the rows of the report are', async () => {
    const answer = await table('ndjson');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await answer.text()).trimEnd().split('\n');
    const { body } = await get(`/v1/gw/cost/by-client?${WINDOW}`);
    expect(lines.map((line) => JSON.parse(line))).toEqual(body.rows);
  });

  it('are XLSX in which numbers are numbers and text is text', async () => {
    const answer = await table('xlsx');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="cost.xlsx"');
    const { strFromU8, unzipSync } = await import('fflate');
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    expect(sheet).toContain('<v>1.220006</v>');
    expect(sheet).not.toContain('<f>');
    const texts = Object.entries(files)
      .map(([, bytes]) => strFromU8(bytes))
      .join('');
    expect(texts).toContain('=SUM(A1)');
  });
});

describe('a window', () => {
  it.each([
    ['from=yesterday', ['from']],
    ['from=2026-02-30', ['from']],
    ['from=2026-10-02&to=2026-10-01T00:00:00Z', ['from']],
    ['from=2024-01-01&to=2026-01-01', ['from']],
    ['time_zone=Moscow', ['time_zone']],
    ['time_zone=%2B03:00', ['time_zone']],
    ['granularity=fortnight', ['granularity']],
  ])('that is wrong (%s) is refused with the fault named', async (query, paths) => {
    const { status, body } = await get(`/v1/gw/cost/by-feature?${query}`);
    const { error } = body as { error: { code: string; param: string } };
    expect([status, error.code, [error.param]]).toEqual([400, 'invalid_request', paths]);
  });

  it('of days holds them whole, in the time zone that is named', async () => {
    const total = async (query: string) => {
      const { body } = await get(`/v1/gw/cost/summary?${query}`);
      return (body.total as { requests: number }).requests;
    };
    expect(await total('from=2026-10-31&to=2026-10-31')).toBe(1);
    expect(await total('from=2026-10-01&to=2026-10-01')).toBe(1);
    expect(await total('from=2026-10-01&to=2026-10-01&time_zone=UTC')).toBe(0);
    expect(await total('from=2026-10-06T00:00:00%2B03:00&to=2026-10-06')).toBe(2);
  });

  it('is compared with the one before it, day by day', async () => {
    const path = '/v1/gw/cost/summary?from=2026-10-06&to=2026-10-06&compare_to=previous_period';
    const { body } = await get(path);
    expect(body).toMatchObject({
      compared_from: '2026-10-04T21:00:00.000Z',
      compared_to: '2026-10-05T21:00:00.000Z',
      total: { amount_rub: 0.610005 },
      total_before: { amount_rub: 1.220001 },
      rows: [{ model: 'large', amount_rub_before: 1.220001, amount_change_percent: -50 }],
    });
  });
});

describe('GET /v1/gw/slo/summary', () => {
  it('gives percentiles within the stated error, and shares, by route and model', async () => {
    const { body } = await get(`/v1/gw/slo/summary?${WINDOW}`);
    const routes = body.routes as Record<string, number | string>[];
    expect(routes.map(({ route, provider, model }) => [route, provider, model])).toEqual([
      ['RU', 'p', 'large'],
      ['RU', 'p', 'small'],
    ]);
    const [large, small] = routes;
    expect(large).toMatchObject({ requests: 3, error_rate: 0, latency_ms_mean: 200 });
    expect(Math.abs(Number(large?.latency_ms_p50) - 200)).toBeLessThanOrEqual(4);
    expect(Math.abs(Number(large?.time_to_first_token_ms_p50) - 50)).toBeLessThanOrEqual(1);
    expect(small).toMatchObject({ requests: 2, error_rate: 0.5, time_to_first_token_ms_p99: null });
    expect(body.percentile_error).toBe(0.02);
  });
});

describe('usageReport', () => {
  const QUERY = `query ($filter: UsageReportFilterInput, $groupBy: [ReportDimension!]) {
    usageReport(from: "2026-10-01", to: "2026-10-31", filter: $filter, groupBy: $groupBy) {
      rows { feature client amountRub latencyMsP50 }
    }
  }`;

  it('narrows by any dimension, and finds requests without one under the empty text', async () => {
    const variables = {
      filter: { clients: ['acme'], features: [''] },
      groupBy: ['feature', 'client'],
    };
    const { data } = await graphql<{ usageReport: unknown }>(app, QUERY, variables, own.key);
    expect(data.usageReport).toEqual({
      rows: [{ feature: null, client: 'acme', amountRub: '0.000005', latencyMsP50: null }],
    });
  });

  it('is refused to keys that may not read reports', async () => {
    const agent = await newCustomer(app, 0, 'agent');
    const { errors } = await graphql(app, QUERY, {}, agent.key);
    expect(errors?.[0]?.extensions.code).toBe('permission_denied');
  });
});

describe('usageBy', () => {
  it('gives other modules the sums of an organization by dimensions and window', async () => {
    const ctx = { services: app.server.services, who: { tenantId: own.tenantId } };
    const window = { from: AT('06', 0), to: AT('07', 0) };
    const question = { dimensions: ['client', 'feature'] as const, window };
    expect(await usageBy(ctx as AuthorizedCtx, question)).toEqual({
      groups: [
        { values: ['=SUM(A1)', 'search'], totals: totals(1n, 610_000n, 110_000n) },
        { values: ['acme', null], totals: { ...totals(1n, 5n, 1n), cached: 1n } },
      ],
      others: null,
    });
  });

  function totals(requests: bigint, amountMicro: bigint, vatMicro: bigint) {
    const tokens = { inputTokens: 100n, outputTokens: 10n };
    const netMicro = amountMicro - vatMicro;
    const money = { amountMicro, refundedMicro: 0n, vatMicro, netMicro };
    return { requests, failed: 0n, cached: 0n, ...tokens, ...money };
  }
});
