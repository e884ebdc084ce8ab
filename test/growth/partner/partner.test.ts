import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { moscowDay } from '../../../src/kernel/time.js';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let partner: Customer;
let other: Customer;

const PARTNER = '/v1/gw/partner';
type Body = Record<string, unknown>;
type Answer = Body & { data: Body[]; error: { code: string; param: string } };

const get = <T = Answer>(path: string, who = partner) =>
  rest<T>(app, 'GET', PARTNER + path, { credential: who.key });
const publish = (body: Body, credential = partner.key) =>
  rest<Answer>(app, 'POST', `${PARTNER}/terms`, { body, credential });

beforeAll(async () => {
  app = await startApp();
  [partner, other] = [await newCustomer(app), await newCustomer(app)];
  const { tenantId } = partner;
  // Terms never reach before their begin: they are there before the usage.
  await publish({ client_id: 'acme', markup_basis_points: 1_000 });
  await publish({ client_id: 'acme', markup_basis_points: 2_500, brand: 'Romashka' });
  const row = { tenantId, model: 'large', provider: 'p' };
  await plantUsage(app.owner.pool, [
    { ...row, clientId: 'acme', feature: 'scan', amountMicro: 1_220_001n, vatMicro: 220_000n },
    { ...row, clientId: 'acme', feature: 'scan', amountMicro: 2_000_000n, simulated: true },
    { ...row, clientId: 'acme', feature: 'blueprint.crm-call-summary', amountMicro: 610_000n },
    { ...row, clientId: 'acme', feature: null, amountMicro: 5n, status: 'partial' },
    { ...row, clientId: 'acme', metadata: { gw_origin: 'blueprint' }, amountMicro: 90n },
    { ...row, clientId: '=1+1', feature: 'scan', amountMicro: 3n },
    { ...row, clientId: null, feature: 'scan', amountMicro: 7n },
    { ...row, tenantId: other.tenantId, clientId: 'acme', amountMicro: 99_000_000n },
  ]);
  await rest(app, 'POST', '/v1/gw/value/events', {
    credential: partner.key,
    body: { event_type: 'tender_analyzed', use_case: 'scan' },
  });
});
afterAll(() => app.stop());

describe('what is public', () => {
  it('the launch kit is blueprints of this server, of all five lines of work', async () => {
    const wanted = ['crm', 'rag', 'tenders', 'documents', 'calls'];
    const { status, body } = await rest<Answer>(app, 'GET', `${PARTNER}/blueprints`);
    expect(status).toBe(200);
    expect(body.data.map(({ id }) => id)).toEqual(
      builtIns()
        .filter(({ category }) => wanted.includes(category))
        .map(({ id }) => id),
    );
    expect(new Set(body.data.map(({ category }) => category))).toEqual(new Set(wanted));
    for (const each of body.data) {
      expect(each).toMatchObject({
        lint_errors: 0,
        manifest_hash: expect.stringMatching(/^\w{64}$/),
      });
      expect(each.monthly_budget_rub).toBeGreaterThan(0);
    }
    const tenders = await rest<Answer>(app, 'GET', `${PARTNER}/blueprints?category=tenders`);
    expect(tenders.body.data.map(({ id }) => id)).toEqual(['tender-document-analysis']);
    expect((await rest(app, 'GET', `${PARTNER}/blueprints?category=hr`)).status).toBe(400);
  });

  it('tiers, margin model and billing modes are those that margins are computed by', async () => {
    const { body } = await rest<Record<string, Body[]>>(app, 'GET', `${PARTNER}/tiers`);
    const codesOf = (rows: Body[] = []) => rows.map(({ code }) => code);
    expect(codesOf(body.tiers)).toEqual(['leading', 'growing', 'registered']);
    expect(codesOf(body.billing_modes)).toEqual(['cost_plus', 'fixed_fee', 'fee_plus_usage']);
    expect(codesOf(body.margin_model)).toContain('client_price');
  });
});

describe('margins', () => {
  it('of a client without terms have a cost, and no price is invented', async () => {
    const { body } = await get('/margin?client_id=%3D1%2B1');
    expect(body).toMatchObject({
      tier: 'registered',
      clients: 1,
      receipts: [
        {
          client_id: '=1+1',
          status: 'cannot_price',
          cost_rub: 0.000003,
          client_price_rub: null,
          margin_rub: null,
          needed: ['terms of the client: POST /v1/gw/partner/terms'],
        },
      ],
    });
  });

  it('are by the rows that the client sees, and the recorded mark-up', async () => {
    const { body } = await get<{ receipts: Body[] } & Body>('/margin');
    expect(body).toMatchObject({
      clients: 2,
      cost_rub: 3.830099,
      priced_cost_rub: 3.830096,
      unassigned_cost_rub: 0.000007,
    });
    expect(body.receipts[0]).toEqual({
      client_id: 'acme',
      from: expect.any(String),
      to: expect.any(String),
      status: 'computed',
      cost_rub: 3.830096,
      cost_net_rub: expect.any(Number),
      cost_vat_rub: expect.any(Number),
      unpriced_cost_rub: 0,
      usage_price_rub: 4.787621,
      fee_rub: null,
      client_price_rub: 4.787621,
      client_price_net_rub: 3.92428,
      client_price_vat_rub: 0.863341,
      margin_rub: 0.957525,
      margin_net_rub: expect.any(Number),
      margin_vat_rub: expect.any(Number),
      margin_percent: 20,
      billing_mode: 'cost_plus',
      markup_basis_points: 2_500,
      terms_version: 2,
      requests: 5,
      simulated_requests: 1,
      simulated_cost_rub: 2,
      cost_provenance: 'live_measured',
      price_provenance: 'declared',
      reason: null,
      needed: [],
    });
    const [receipt = {}] = body.receipts;
    const money = (name: string) => Math.round(Number(receipt[`${name}_rub`]) * 1e6);
    expect(money('cost_net') + money('cost_vat')).toBe(money('cost'));
    expect(money('client_price_net') - money('cost_net')).toBe(money('margin_net'));
    expect(money('margin_net') + money('margin_vat')).toBe(money('margin'));
    const usage = await rest<{ data: { amount_rub: number }[] }>(
      app,
      'GET',
      '/usage?client_id=acme',
      { credential: partner.key },
    );
    const seen = usage.body.data.reduce((sum, row) => sum + Math.round(row.amount_rub * 1e6), 0);
    expect(seen).toBe(3_830_096);
  });

  it('of a window before the terms have no price', async () => {
    const past = 'from=2026-01-01&to=2026-02-01';
    await plantUsage(app.owner.pool, [
      {
        tenantId: partner.tenantId,
        clientId: 'acme',
        amountMicro: 8n,
        createdAt: new Date('2026-01-15T12:00:00Z'),
      },
    ]);
    const { body } = await get(`/margin?client_id=acme&${past}`);
    expect(body.receipts).toEqual([
      expect.objectContaining({ status: 'cannot_price', cost_rub: 0.000008, terms_version: null }),
    ]);
  });

  it('of terms that begin later leave what was before as it was billed', async () => {
    const client_id = 'changing';
    await publish({ client_id, markup_basis_points: 1_000 });
    const row = { tenantId: partner.tenantId, clientId: client_id, amountMicro: 1_000n };
    await plantUsage(app.owner.pool, [row]);
    const before = await get<{ receipts: Body[] } & Body>(`/margin?client_id=${client_id}`);
    expect(before.body.receipts[0]).toMatchObject({ client_price_rub: 0.0011, terms_version: 1 });
    const past = new Date(Date.now() - 60_000).toISOString();
    const late = await publish({ client_id, markup_basis_points: 5_000, effective_from: past });
    expect([late.status, late.body.error.param]).toEqual([400, 'effective_from']);
    await publish({ client_id, markup_basis_points: 5_000 });
    await plantUsage(app.owner.pool, [row]);
    const after = await get<{ receipts: Body[] } & Body>(`/margin?client_id=${client_id}`);
    expect(after.body.receipts[0]).toMatchObject({
      ...{ status: 'computed', cost_rub: 0.002, client_price_rub: 0.0026, terms_version: 2 },
    });
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    await publish({ client_id, markup_basis_points: 9_000, effective_from: ahead });
    const still = await get<{ receipts: Body[] } & Body>(`/margin?client_id=${client_id}`);
    expect(still.body.receipts[0]).toMatchObject({ client_price_rub: 0.0026, terms_version: 2 });
  });

  it('know nothing of another organization', async () => {
    const { body } = await get('/margin', other);
    expect(body).toMatchObject({
      clients: 1,
      cost_rub: 99,
      receipts: [{ client_id: 'acme', status: 'cannot_price', terms_version: null }],
    });
    expect((await get('/terms', other)).body.data).toEqual([]);
  });
});

describe('terms', () => {
  it('only grow, and are a control: what is not known is refused', async () => {
    const wrong = await publish({ client_id: 'x', markup_basis_points: 1, mark_up: 2 });
    expect(wrong.status).toBe(400);
    const missing = await publish({ client_id: 'x', billing_mode: 'fixed_fee' });
    expect([missing.status, missing.body.error.param]).toEqual([400, 'monthly_fee_rub']);
    const listed = await get('/terms?client_id=acme');
    expect(listed.body.data.map(({ version }) => version)).toEqual([2, 1]);
    const change = "UPDATE contract_version SET body = '{}' WHERE kind = 'partner_terms'";
    await expect(app.owner.pool.query(change)).rejects.toThrow();
  });
});

describe('the white-label report', () => {
  it('is usage by vertical whose sums equal the margin, in both voices', async () => {
    const { body } = await get<{ clients: (Body & { lines: Body[] })[] }>('/report?client_id=acme');
    const [client] = body.clients;
    expect(client).toMatchObject({
      client_name: 'acme',
      brand: 'Romashka',
      requests: 5,
      client_price_rub: 4.787621,
      cost_rub: 3.830096,
      margin_rub: 0.957525,
    });
    expect(
      client?.lines.map(({ vertical, requests, cost_rub }) => [vertical, requests, cost_rub]),
    ).toEqual([
      ['tenders', 2, 3.220001],
      ['calls', 1, 0.61],
      ['other', 2, 0.000095],
    ]);
    const { data } = await graphql<{ partnerReport: Body }>(
      app,
      `{ partnerReport(clientId: "acme", showMargin: false) {
        showsMargin clients { clientPriceRub costRub marginRub } } }`,
      {},
      partner.key,
    );
    expect(data.partnerReport).toEqual({
      showsMargin: false,
      clients: [{ clientPriceRub: '4.787621', costRub: null, marginRub: null }],
    });
  });

  it('as table and page is for clients: prices, fee and total, never cost or margin', async () => {
    await publish({
      client_id: 'acme',
      markup_basis_points: 2_500,
      billing_mode: 'fee_plus_usage',
      monthly_fee_rub: 3_000,
      client_name: '=ACME',
      brand: 'Romashka',
    });
    const [first, last, end] = [-29, 0, 1].map((ahead) =>
      moscowDay(Date.now() + ahead * 86_400_000),
    );
    const days = `from=${first}&to=${last}`;
    const csv = await get<string>(`/report?format=csv&client_id=acme&${days}`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, ...rows] = csv.body.trim().split('\r\n');
    expect(head).toBe(
      'client_id,client_name,brand,from,to,time_zone,item,vertical,title,requests,price_rub,' +
        'net_rub,vat_rub',
    );
    const whose = `acme,'=ACME,Romashka,${first} 00:00,${end} 00:00,Europe/Moscow`;
    expect(rows).toEqual([
      `${whose},usage,tenders,Тендеры,2,4.025002,3.299182,0.72582`,
      `${whose},usage,calls,Звонки,1,0.7625,0.625,0.1375`,
      `${whose},usage,other,Прочее,2,0.000119,0.000098,0.000021`,
      // The fee is for the days since the terms began.
      expect.stringMatching(`^${whose.replace(/[+]/g, '.')},fee,,Абонентская плата,,`),
      expect.stringMatching(`^${whose.replace(/[+]/g, '.')},total,,"Итого, с НДС",5,`),
    ]);
    const wished = await get<string>('/report?format=csv&client_id=acme&language=en');
    expect(wished.body).toContain(',usage,tenders,Tenders,2,4.025002');
    expect(wished.body).toContain(',total,,"Total, VAT included",5,');
    for (const format of ['csv', 'csv_ru', 'html']) {
      const { body } = await get<string>(`/report?format=${format}&client_id=acme`);
      expect(body.replace(/<style>.*<\/style>/, '')).not.toMatch(
        /3\.220001|3\.830096|0\.805001|cost|margin/i,
      );
      expect((await get(`/report?format=${format}&show_margin=true`)).status).toBe(400);
    }
  });

  it('is a page in the language of the browser, Russian where it wishes none', async () => {
    const page = (headers: Record<string, string>, query = '') =>
      rest<string>(app, 'GET', `${PARTNER}/report?format=html&client_id=acme${query}`, {
        credential: partner.key,
        headers,
      });
    const russian = await page({ 'accept-language': '*' });
    expect(russian.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(russian.headers.get('content-language')).toBe('ru');
    expect(russian.body).toContain('<html lang="ru">');
    expect(russian.body).toContain('<h1>Romashka</h1><h2>=ACME</h2>');
    expect(russian.body).toContain('<td>Тендеры</td><td>2</td><td>3.299182</td>');
    expect(russian.body).toContain('(Europe/Moscow)');
    const english = await page({ 'accept-language': 'de, en-GB;q=0.8, ru;q=0.2' });
    expect(english.body).toContain('<td>Tenders</td>');
    const stated = await page({ 'accept-language': 'en' }, '&language=ru');
    expect(stated.body).toContain('<html lang="ru">');
    expect((await page({}, '&language=de')).status).toBe(400);
  });

  it('the partner alone gets margins as a table', async () => {
    const csv = await get<string>('/margin?format=csv&client_id=acme');
    const [head, row] = csv.body.split('\r\n');
    expect(head).toContain(
      'status,cost_rub,cost_net_rub,cost_vat_rub,unpriced_cost_rub,usage_price_rub,fee_rub',
    );
    expect(row).toMatch(/,computed,3\.830096,[\d.]+,[\d.]+,0,4\.787621,/);
    const theirs = await get<string>('/margin?format=csv&client_id=acme', other);
    expect(theirs.body).not.toContain('3.830096');
  });
});
