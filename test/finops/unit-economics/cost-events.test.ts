import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { charge, startFleet } from '../../routing/economics/fleet.js';
import { type Customer, newCustomer, type TestApp } from '../../support/app.js';
import { ask, type Body, GROSS, type Usage } from './planted-costs.js';
import { freshEvent } from './samples.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startFleet();
  customer = await newCustomer(app, 10_000);
  other = await newCustomer(app, 10_000);
});
afterAll(() => app?.stop());

const post = (path: string, body: object, who = customer) => ask(app, 'POST', path, body, who);
const record = async (body: object, who = customer) => (await post('/cost-events', body, who)).body;
const read = async (path: string, who = customer) =>
  (await ask(app, 'GET', path, undefined, who)).body;
const spent = (usage: Usage = {}, who = customer) => charge(app, who, GROSS, usage);

describe('a cost event', () => {
  it('one_id_one_event: the same again is the same, another content is a conflict', async () => {
    const stated = {
      event_id: freshEvent(),
      kind: 'tool',
      amount_rub: 1.5,
      client_tag: 'romashka',
    };
    const first = await record(stated);
    expect(first).toEqual({
      id: expect.any(String),
      event_id: stated.event_id,
      kind: 'tool',
      category: null,
      net_rub: 1.5,
      vat_rub: 0,
      gross_rub: 1.5,
      occurred_at: expect.any(String),
      confidence: 'ESTIMATED',
      why: 'Only a tag of the caller says whose cost it is.',
      client_id: 'romashka',
      feature: null,
      project_id: null,
      request_id: null,
      driver: null,
      client_tag: 'romashka',
      supplier: null,
      billed_month: null,
      note: null,
      replaces_id: null,
      recorded_at: expect.any(String),
      duplicate: false,
    });
    expect(await record(stated)).toEqual({ ...first, duplicate: true });
    const { status, body } = await post('/cost-events', { ...stated, amount_rub: 1.6 });
    expect([status, body.error.code]).toEqual([409, 'cost_event_reused']);
    const elsewhere = await record({ ...stated, amount_rub: 9 }, other);
    expect([elsewhere.duplicate, elsewhere.net_rub]).toEqual([false, 9]);
  });

  it('one_id_one_event: ten that race are one', async () => {
    const stated = { event_id: freshEvent(), kind: 'other', net_rub: 1 };
    const answers = await Promise.all(Array.from({ length: 10 }, () => record(stated)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ duplicate }) => duplicate === false)).toHaveLength(1);
  });

  it('server_decides_confidence: by the own request, whatever the caller says', async () => {
    const request_id = await spent({ clientId: 'romashka', feature: 'support' });
    const lie = { kind: 'tool', net_rub: 1, request_id, client_tag: 'vasilek' };
    const claimed = await post('/cost-events', { ...lie, confidence: 'UNALLOCATED' });
    expect([claimed.status, (claimed.body.error as { param: string }).param]).toEqual([
      400,
      'confidence',
    ]);
    const { body } = await post('/cost-events', lie);
    expect(body).toMatchObject({
      confidence: 'DIRECT',
      why: 'The request is in the usage of the organization.',
      client_id: 'romashka',
      feature: 'support',
      project_id: customer.projectId,
    });
  });

  it('server_decides_confidence: a foreign request is exactly like an unknown one', async () => {
    const foreign = await spent({ clientId: 'romashka' }, other);
    const decided = await Promise.all(
      [foreign, newId('Request')].map(async (request_id) => {
        const { confidence, why, client_id } = await record({ net_rub: 1, request_id });
        return [confidence, why, client_id];
      }),
    );
    const nothing = 'Nothing that was stated could be joined with what is recorded.';
    expect(decided).toEqual([
      ['UNALLOCATED', nothing, null],
      ['UNALLOCATED', nothing, null],
    ]);
  });

  it('failed_work_has_a_cost: what usage shows as cut off is no accepted work', async () => {
    const request_id = await spent({ status: 'partial' });
    const stated = { kind: 'tool', net_rub: 7, request_id, category: 'accepted' };
    expect(await record(stated)).toMatchObject({ category: 'failed_delivery', net_rub: 7 });
  });

  it('events_only_grow: the database refuses a change, for every role', async () => {
    await record({ net_rub: 1 });
    const { pool } = app.owner;
    for (const sql of ['UPDATE cost_event SET net_micro = 0', 'DELETE FROM cost_event']) {
      await expect(pool.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(pool.query('TRUNCATE cost_event')).rejects.toMatchObject({ code: '42501' });
  });

  it('events_only_grow: a wrong one is replaced once, and counts no more', async () => {
    const who = await newCustomer(app);
    const wrong = await record({ net_rub: 1_000 }, who);
    const right = { net_rub: 10, replaces: wrong.id };
    const { id } = await record(right, who);
    const again = await post('/cost-events', right, who);
    expect([again.status, again.body.error.param]).toEqual([400, 'replaces']);
    expect((await read('/coverage', who)).total_rub).toBe(10);
    const foreign = await post('/cost-events', right, other);
    const unknown = await post('/cost-events', { ...right, replaces: newId('CostEvent') }, other);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const listed = (await read('/cost-events', who)).data as Body[];
    expect(listed.map((each) => [each.id, each.replaces_id])).toEqual([
      [id, wrong.id],
      [wrong.id, null],
    ]);
  });

  it('names every fault, of each field and of the whole', async () => {
    const { status, body } = await post('/cost-events', {
      kind: 'invoice',
      net_rub: -1,
      category: 'wasted',
      driver: 'gpu_hours',
      occurred_at: '2040-01-01T00:00:00Z',
    });
    expect([status, body.error.faults?.map(({ path }) => path).sort()]).toEqual([
      400,
      ['billed_month', 'category', 'driver', 'driver', 'net_rub', 'occurred_at'],
    ]);
  });

  it('is recorded by those who may, and read by everyone of the organization alone', async () => {
    const { id, ...made } = await record({ event_id: freshEvent(), kind: 'license', net_rub: 3 });
    const [own] = (await read('/cost-events?kind=license')).data as Body[];
    const { duplicate: _, ...shown } = made;
    expect(own).toEqual({ id, ...shown });
    expect((await read('/cost-events?kind=license', other)).data).toEqual([]);
  });
});

describe('allocation', () => {
  it('tag_at_most_estimated: a tag is the last word that anything has', async () => {
    const { body } = await post('/allocate', { client_tag: 'romashka', net_rub: 5 });
    expect(body).toEqual({
      confidence: 'ESTIMATED',
      why: 'Only a tag of the caller says whose cost it is.',
      client_id: 'romashka',
      feature: null,
      project_id: null,
      reasons: [
        { confidence: 'ESTIMATED', why: 'Only a tag of the caller says whose cost it is.' },
      ],
      shares: [],
      provenance: 'live_measured',
    });
    expect((await post('/allocate', {})).body).toMatchObject({
      confidence: 'UNALLOCATED',
      client_id: null,
      reasons: [{ confidence: 'UNALLOCATED' }],
    });
  });

  it('approved_driver_only: by units that the gateway counts, to the micro-ruble', async () => {
    const who = await newCustomer(app, 10_000);
    await spent({ clientId: 'romashka' }, who);
    await spent({ clientId: 'romashka' }, who);
    await spent({ clientId: 'vasilek' }, who);
    await spent({}, who);
    await spent({ clientId: 'nobody', simulated: true }, who);
    const asked = { driver: 'requests', net_rub: 0.00001, client_tag: 'vasilek' };
    const { body } = await post('/allocate', asked, who);
    expect(body).toMatchObject({
      confidence: 'ALLOCATED',
      client_id: null,
      reasons: [{ confidence: 'ALLOCATED' }, { confidence: 'ESTIMATED' }],
      shares: [
        { consumer: 'romashka', units: 2, share_rub: 0.000005 },
        { consumer: 'vasilek', units: 1, share_rub: 0.000003 },
        { consumer: null, units: 1, share_rub: 0.000002 },
      ],
    });
    const event = await record({ driver: 'usage_cost', net_rub: 1 }, who);
    expect([event.confidence, event.driver]).toEqual(['ALLOCATED', 'usage_cost']);
    const refused = await post('/allocate', { driver: 'gpu_hours' }, who);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'driver']);
  });

  it('no_units_no_allocation: a driver without usage allocates nothing', async () => {
    const who = await newCustomer(app);
    const { body } = await post('/allocate', { driver: 'tokens', net_rub: 5 }, who);
    expect([body.confidence, body.shares]).toEqual(['UNALLOCATED', []]);
  });
});
