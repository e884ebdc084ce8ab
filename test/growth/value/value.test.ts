import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type PlantedRow, plantUsage } from '../../finops/reports/usage-rows.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  [customer, other] = [await newCustomer(app), await newCustomer(app)];
});
afterAll(() => app.stop());

const VALUE = '/v1/gw/value';
type Body = Record<string, unknown>;
type Refused = Body & { data: Body[]; error: { code: string; param: string } };

const record = (body: Body, who = customer) =>
  rest<Refused>(app, 'POST', `${VALUE}/events`, { body, credential: who.key });
const get = (path: string, who = customer) =>
  rest<Refused>(app, 'GET', VALUE + path, { credential: who.key });
const roi = async (useCase: string, who = customer) =>
  (await get(`/roi?use_case=${useCase}`, who)).body.data;

/** Charges requests of a use case as the ledger would have charged them. */
function charge(who: Customer, feature: string | null, row: Partial<PlantedRow> = {}, count = 1) {
  const each = { tenantId: who.tenantId, feature, model: 'large', provider: 'p', ...row };
  return plantUsage(app.owner.pool, Array<PlantedRow>(count).fill(each));
}

describe('the reference', () => {
  it('is public and publishes types, decisions with thresholds, and confidences', async () => {
    const { status, body } = await rest<Body>(app, 'GET', `${VALUE}/event-types`);
    expect(status).toBe(200);
    expect(body.decisions).toEqual([
      expect.objectContaining({ code: 'scale', roi_percent_min: 100 }),
      expect.objectContaining({ code: 'fix', roi_percent_min: 0 }),
      expect.objectContaining({ code: 'pause', roi_percent_min: -50 }),
      expect.objectContaining({ code: 'kill', roi_percent_min: null }),
    ]);
    const types = body.event_types as { code: string; vertical: string }[];
    expect(types).toContainEqual(
      expect.objectContaining({ code: 'ticket_deflected', vertical: 'knowledge' }),
    );
    expect(types).toContainEqual(
      expect.objectContaining({ code: 'document_processed', vertical: 'documents' }),
    );
  });
});

describe('a value event', () => {
  it('is recorded with its defaults, and its row refuses changes', async () => {
    const { status, body } = await record({ event_type: 'document_processed' });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        event_type: 'document_processed',
        use_case: 'default',
        quantity: 1,
        value_rub: null,
        external_ref: null,
        request_id: null,
        occurred_at: expect.any(String),
        recorded_by: customer.keyId,
        created_at: expect.any(String),
      },
    ]);
    const { pool } = app.owner;
    await expect(pool.query('UPDATE value_event SET value_micro = 1')).rejects.toThrow();
    await expect(pool.query('DELETE FROM value_event')).rejects.toThrow();
  });

  it('outcome claimed twice: is refused, of another use case too, also in a race', async () => {
    const claim = (use_case: string, external_ref: string, who = customer) =>
      record({ event_type: 'ticket_deflected', use_case, external_ref, value_rub: 10 }, who);
    const race = Array.from({ length: 10 }, (_, index) => claim(`use-${index}`, 'T-17'));
    const answers = await Promise.all(race);
    const claimed = answers.filter(({ status }) => status === 200);
    expect(claimed).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(9);
    expect(refused[0]?.body.error).toMatchObject({
      code: 'value_event_claimed',
      param: 'external_ref',
      message: expect.stringContaining(String(claimed[0]?.body.id)),
    });
    expect((await claim('else', 'T-17', other)).status).toBe(200);
    expect((await claim('else', 'T-18')).status).toBe(200);
  });

  it('names a request of the organization, whose feature is its use case', async () => {
    const id = newId('Request');
    await charge(customer, 'from.request', { id });
    const { body } = await record({ event_type: 'ticket_resolved', request_id: id });
    expect(body).toMatchObject({ use_case: 'from.request', request_id: id });
    const foreign = await record({ event_type: 'ticket_resolved', request_id: id }, other);
    expect([foreign.status, foreign.body.error.param]).toEqual([404, 'request_id']);
  });

  it('is refused with every fault, such as a time that has not come', async () => {
    const { status, body } = await record({
      event_type: 'ticket_deflect',
      quantity: 0,
      occurred_at: '2099-01-01T00:00:00Z',
    });
    expect([status, body.error.param]).toEqual([400, 'event_type']);
    const wrong = { event_type: 'call_scored', quantity: 0, occurred_at: '2099-01-01T00:00:00Z' };
    const { faults } = (await record(wrong)).body.error as unknown as { faults: Body[] };
    expect(faults.map(({ path }) => path)).toEqual(['quantity', 'occurred_at']);
  });

  it('is recorded by agents and read by them nowhere', async () => {
    const agent = await newCustomer(app, 0, 'agent');
    expect((await record({ event_type: 'call_scored' }, agent)).status).toBe(200);
    expect((await get('/roi', agent)).status).toBe(403);
  });

  it('is listed by its use case to its own organization alone', async () => {
    const query = '{ valueEvents(useCase: "else") { nodes { externalRef useCase valueRub } } }';
    const of = async ({ key }: Customer) => (await graphql(app, query, {}, key)).data.valueEvents;
    expect(await of(customer)).toEqual({
      nodes: [{ externalRef: 'T-18', useCase: 'else', valueRub: '10.00' }],
    });
    expect(await of(other)).toEqual({
      nodes: [{ externalRef: 'T-17', useCase: 'else', valueRub: '10.00' }],
    });
  });
});

describe('the return of a use case', () => {
  it('joins events with what the ledger charged, confidence beside the decision', async () => {
    const cost = { amountMicro: 1_220_000n, vatMicro: 220_000n };
    await charge(customer, 'support.reply', cost, 30);
    for (let index = 0; index < 10; index += 1) {
      await record({
        event_type: 'ticket_deflected',
        use_case: 'support.reply',
        value_rub: 20,
        external_ref: `S-${index}`,
      });
    }
    expect(await roi('support.reply')).toEqual([
      {
        use_case: 'support.reply',
        from: expect.any(String),
        to: expect.any(String),
        status: 'computed',
        value_rub: 200,
        value_provenance: 'declared',
        cost_rub: 36.6,
        cost_provenance: 'live_measured',
        net_rub: 163.4,
        roi_percent: 446.45,
        roi_provenance: 'declared',
        recommendation: 'scale',
        confidence: 'medium',
        confidence_limits: ['20 more events', '70 more requests'],
        events: 10,
        results: 10,
        events_without_value: 0,
        evidenced_events: 10,
        requests: 30,
        cost_per_result_rub: 3.66,
        simulated_requests: 0,
        simulated_cost_rub: 0,
        reason: null,
        needed: [],
      },
    ]);
    expect(await roi('support.reply', other)).toEqual([
      expect.objectContaining({ status: 'nothing_recorded', events: 0, cost_rub: 0 }),
    ]);
    const { data } = await graphql<{ roiReceipts: Body[] }>(
      app,
      '{ roiReceipts(useCase: "support.reply") { netRub roiPercent recommendation confidence } }',
      {},
      customer.key,
    );
    expect(data.roiReceipts).toEqual([
      { netRub: '163.40', roiPercent: 446.45, recommendation: 'scale', confidence: 'medium' },
    ]);
  });

  it('value without cost says so: simulated answers are no cost', async () => {
    await charge(customer, 'sandboxed', { amountMicro: 5_000_000n, simulated: true });
    const metadata = { gw_origin: 'cockpit' };
    await charge(customer, 'sandboxed', { amountMicro: 7_000_000n, metadata });
    await record({ event_type: 'call_scored', use_case: 'sandboxed', value_rub: 1 });
    expect(await roi('sandboxed')).toEqual([
      expect.objectContaining({
        status: 'value_without_cost',
        value_rub: 1,
        cost_rub: 0,
        net_rub: null,
        roi_percent: null,
        recommendation: null,
        confidence: null,
        simulated_requests: 1,
        simulated_cost_rub: 5,
        reason: expect.stringContaining('simulated'),
      }),
    ]);
  });

  it('cost without value says so: what broke off was charged, and counts', async () => {
    await charge(customer, 'idle', { amountMicro: 3_000_000n, status: 'partial' });
    await charge(customer, 'idle', { status: 'failed', errorCode: 'upstream_error' });
    expect(await roi('idle')).toEqual([
      expect.objectContaining({
        status: 'cost_without_value',
        value_rub: null,
        cost_rub: 3,
        requests: 1,
        net_rub: null,
        recommendation: null,
        needed: ['value events of this use case: POST /v1/gw/value/events'],
      }),
    ]);
  });

  it('is of its window alone, by the time of what happened', async () => {
    const day = (back: number) => new Date(Date.now() - back * 86_400_000);
    await charge(customer, 'past', { amountMicro: 4_000_000n, createdAt: day(40) });
    const occurred_at = day(40).toISOString();
    const event = { event_type: 'bid_submitted', use_case: 'past', value_rub: 2, occurred_at };
    await record(event);
    expect((await roi('past'))[0]).toMatchObject({ status: 'nothing_recorded' });
    const from = day(50).toISOString().slice(0, 10);
    const { body } = await get(`/roi?use_case=past&from=${from}`);
    expect(body.data).toEqual([
      expect.objectContaining({ status: 'computed', roi_percent: -50, recommendation: 'pause' }),
    ]);
    expect((await get('/roi?from=yesterday')).status).toBe(400);
  });

  it('is exported as a table whose texts no spreadsheet runs', async () => {
    const who = await newCustomer(app);
    await record({ event_type: 'call_scored', use_case: '=1+1', value_rub: 3 }, who);
    const { headers, body } = await rest<string>(app, 'GET', `${VALUE}/roi?format=csv`, {
      credential: who.key,
    });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(body).toContain("\r\n'=1+1,");
  });
});

describe('dashboard and summary', () => {
  it('agree with the returns, and with the usage to the micro-ruble', async () => {
    const who = await newCustomer(app);
    await charge(who, 'tenders.scan', { amountMicro: 10_000_001n }, 3);
    await charge(who, 'mixed', { amountMicro: 1_000_000n });
    await charge(who, null, { amountMicro: 77n });
    await charge(who, 'kill.me', { amountMicro: 9_000_000n });
    const add = (event_type: string, use_case: string, value_rub: number, quantity = 1) =>
      record({ event_type, use_case, value_rub, quantity }, who);
    await add('tender_analyzed', 'tenders.scan', 300, 6);
    await add('call_scored', 'mixed', 1, 1);
    await add('invoice_extracted', 'mixed', 1, 2);
    await add('other_result', 'kill.me', 1);
    const returns = (await get('/roi', who)).body.data;
    const { body: dashboard } = await get('/dashboard', who);
    const withoutWindow = (rows: unknown) =>
      (rows as Body[]).map(({ from: _, to: __, ...row }) => row);
    expect(withoutWindow(dashboard.portfolio)).toEqual(withoutWindow(returns));
    expect(dashboard).toMatchObject({
      use_cases: 4,
      cost_rub: 40.00008,
      value_rub: 303,
      comparable_cost_rub: 40.000003,
      unknown_returns: 1,
      decisions: [
        { recommendation: 'scale', use_cases: 2, cost_rub: 31.000003 },
        { recommendation: 'fix', use_cases: 0 },
        { recommendation: 'pause', use_cases: 0 },
        { recommendation: 'kill', use_cases: 1, cost_rub: 9 },
      ],
    });
    const { body: summary } = await get('/summary', who);
    expect(summary).toMatchObject({ cost_rub: 40.00008, results: 10 });
    expect(
      (summary.verticals as Body[]).map((line) => [
        line.vertical,
        line.results,
        line.cost_rub,
        line.cost_per_result_rub,
        line.cost_provenance,
      ]),
    ).toEqual([
      ['tenders', 6, 30.000003, 5.000001, 'live_measured'],
      ['calls', 1, 0.333333, 0.333333, 'estimated'],
      ['documents', 2, 0.666667, 0.333334, 'estimated'],
      ['creatives', 0, 0, null, 'live_measured'],
      ['knowledge', 0, 0, null, 'live_measured'],
      ['other', 1, 9, 9, 'live_measured'],
      ['unattributed', 0, 0.000077, null, 'live_measured'],
    ]);
    const exported = await rest<string>(app, 'GET', `${VALUE}/summary?format=csv`, {
      credential: who.key,
    });
    expect(exported.body).toMatch(/^vertical,use_cases,results,.*\r\ntenders,1,6,300,30\.000003,/);
  });

  it('know nothing of another organization, and conclude nothing from nothing', async () => {
    const stranger = await newCustomer(app);
    expect((await get('/dashboard', stranger)).body).toMatchObject({
      use_cases: 0,
      roi_percent: null,
      portfolio: [],
      reason: 'No use case has both value and cost of real models.',
    });
    expect((await get('/summary', stranger)).body).toMatchObject({ cost_rub: 0, results: 0 });
  });
});

describe('the estimate', () => {
  it('is public, states formula and assumptions, and is not authoritative', async () => {
    const body = { items_per_month: 1_000 };
    const answer = await rest<Body>(app, 'POST', '/v1/gw/roi/estimate', { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      manual_cost_rub: 116_666.666666,
      formula: expect.stringContaining('saving = manual'),
      authoritative: false,
      provenance: 'declared',
    });
    expect(answer.body.assumptions).toHaveLength(8);
    const wrong = await rest<Refused>(app, 'POST', '/v1/gw/roi/estimate', {
      body: { items_per_month: 0, automated_percent: 101 },
    });
    expect(wrong.status).toBe(400);
  });
});
