import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAD_EVENTS, STAGES } from '../../../src/growth/revenue/vocabulary.js';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { newKey } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let seller: Customer;
let other: Customer;

type Row = Readonly<Record<string, unknown>>;
interface Body extends Row {
  readonly id: string;
  readonly data: readonly Row[];
  readonly derived: readonly Body[];
  readonly open: readonly Body[];
  readonly error: {
    readonly code: string;
    readonly id?: string;
    readonly param?: string;
    readonly faults?: { path: string }[];
  };
}

const ask = (method: string, path: string, body?: object, who = seller.key) =>
  rest<Body>(app, method, `/v1/gw/revenue${path}`, { credential: who, body });
const tell = (event_type: string, account_ref: string, who = seller.key) =>
  ask('POST', '/events', { event_type, account_ref }, who);
const derive = (account: string, who = seller.key) =>
  ask('POST', `/signals/derive/${account}`, undefined, who);
const score = (account: string, who = seller.key) => ask('GET', `/pql/${account}`, undefined, who);

beforeAll(async () => {
  app = await startApp();
  [seller, other] = [await newCustomer(app), await newCustomer(app)];
  const row = { tenantId: seller.tenantId, model: 'large', provider: 'p', clientId: 'measured' };
  await plantUsage(app.owner.pool, [
    ...Array.from({ length: 120 }, () => ({ ...row, amountMicro: 500_000_000n })),
    { ...row, amountMicro: 9_000_000n, simulated: true },
    { ...row, tenantId: other.tenantId, clientId: 'measured', amountMicro: 1_000_000_000n },
  ]);
});
afterAll(() => app.stop());

describe('the reference', () => {
  it('is public, and says all that scores and signals follow from', async () => {
    const { status, body } = await rest<Body>(app, 'GET', '/v1/gw/revenue/reference');
    expect(status).toBe(200);
    expect(body.pql_events).toHaveLength(10);
    expect(body.stages).toHaveLength(STAGES.codes.length);
    expect(body).toMatchObject({ margin_basis_points_min: 2_500, event_days: 90, usage_days: 30 });
    for (const list of ['signal_rules', 'sales_tasks', 'packages', 'partner_sources', 'links']) {
      expect([list, (body[list] as unknown[]).length > 0]).toEqual([list, true]);
    }
    const text = '{ revenueReference { pqlEvents { code points dimension } } }';
    const { data } = await graphql<{ revenueReference: { pqlEvents: unknown[] } }>(app, text);
    expect(data.revenueReference.pqlEvents).toEqual(
      LEAD_EVENTS.rows.map(({ code, points, dimension }) => ({ code, points, dimension })),
    );
  });
});

describe('events', () => {
  it('are of the own account or of a client, and one of a name is recorded once', async () => {
    const named = { type: 'first_workflow', external_ref: 'run-1' };
    const first = await ask('POST', '/events', named);
    expect(first.body).toEqual({
      id: expect.any(String),
      event_type: 'first_workflow',
      account_ref: 'own',
      external_ref: 'run-1',
      already_recorded: false,
      recorded_at: expect.any(String),
    });
    const again = await ask('POST', '/events', named);
    expect(again.body).toEqual({ ...first.body, already_recorded: true });
    const theirs = await ask('POST', '/events', named, other.key);
    expect(theirs.body).toMatchObject({ already_recorded: false });
    expect(theirs.body.id).not.toBe(first.body.id);
  });

  it('of another type or account are not taken for the first one of their reference', async () => {
    const first = { type: 'roi_receipt', account_ref: 'named', external_ref: 'run-2' };
    await ask('POST', '/events', first);
    for (const other of [{ type: 'procurement_started' }, { account_ref: 'another' }]) {
      const { status, body } = await ask('POST', '/events', { ...first, ...other });
      expect([status, body.error.code, body.error.param]).toEqual([
        409,
        'revenue_event_reused',
        'external_ref',
      ]);
    }
    const again = await ask('POST', '/events', first);
    expect(again.body).toMatchObject({ already_recorded: true, account_ref: 'named' });
    expect((await score('another')).body).toMatchObject({ verdict: 'cannot_score', events: 0 });
  });

  it('are of the account that the caller names, by each word of the specification', async () => {
    for (const [word, ref] of [
      ['account', 'by-account'],
      ['client', 'by-client'],
      ['account_ref', 'by-ref'],
    ] as const) {
      const { body } = await ask('POST', '/events', { type: 'first_workflow', [word]: ref });
      expect(body).toMatchObject({ account_ref: ref, event_type: 'first_workflow' });
      expect((await score(ref)).body).toMatchObject({ events: 1 });
      const foreign = await ask('GET', `/pql/${ref}`, undefined, other.key);
      expect(foreign.body).toMatchObject({ verdict: 'cannot_score', events: 0 });
    }
    const both = { type: 'first_workflow', account: 'one', client: 'another' };
    expect((await ask('POST', '/events', both)).status).toBe(400);
    const unknown = await ask('POST', '/events', { type: 'first_workflow', acount: 'one' });
    expect(unknown.body.error.faults?.map(({ path }) => path)).toEqual(['acount']);
  });

  it('are recorded by agents too, and refused with every fault', async () => {
    const { key } = await newKey(app, seller.token, 'agent');
    expect((await tell('pricing_viewed', 'by-agent', key)).status).toBe(200);
    expect((await score('by-agent', key)).status).toBe(403);
    const bad = await ask('POST', '/events', { event_type: 'roi_reciept', account_ref: '' });
    expect([bad.status, bad.body.error.faults?.map(({ path }) => path)]).toEqual([
      400,
      ['event_type'],
    ]);
    const long = { event_type: 'roi_receipt', account_ref: 'x'.repeat(257), external_ref: '' };
    const { body } = await ask('POST', '/events', long);
    expect(body.error.faults?.map(({ path }) => path)).toEqual(['account_ref', 'external_ref']);
  });
});

describe('a score', () => {
  it('is none where nothing is known, also of the accounts of others', async () => {
    await tell('procurement_started', 'only-theirs', other.key);
    const [foreign, unknown] = [await score('only-theirs'), await score('never-heard')];
    expect(unknown.body).toMatchObject({
      verdict: 'cannot_score',
      score: null,
      stage: null,
      recommended_action: null,
      components: [],
      events: 0,
      requests: 0,
      needed: [expect.stringContaining('/events'), expect.stringContaining('client_id')],
    });
    const plain = ({ account_ref: _, from: __, to: ___, ...rest }: Row) => rest;
    expect(plain(foreign.body)).toEqual(plain(unknown.body));
  });

  it('measures usage by real rows, and says what was declared', async () => {
    const { body } = await score('measured');
    expect(body).toMatchObject({
      verdict: 'scored',
      score: 15,
      stage: 'lead',
      recommended_action: 'nurture',
      requests: 120,
      events: 0,
      usage_provenance: 'live_measured',
      reason: null,
      needed: [],
    });
    expect(body.components).toContainEqual({
      dimension: 'usage',
      points: 15,
      points_max: 25,
      event_points: 0,
      usage_points: 15,
      provenance: 'live_measured',
    });
    for (const event of ['team_invited', 'roi_receipt', 'first_workflow']) {
      await tell(event, 'measured');
    }
    const { body: after } = await score('measured');
    expect(after).toMatchObject({ score: 40, stage: 'qualified', events: 3 });
    expect(after.components).toContainEqual(
      expect.objectContaining({ dimension: 'usage', points: 20, provenance: 'declared' }),
    );
    const text = '{ revenueScore(accountRef: "measured") { score stage requests } }';
    const { data } = await graphql(app, text, {}, seller.token);
    expect(data).toEqual({ revenueScore: { score: 40, stage: 'qualified', requests: 120 } });
  });

  it('of the organization itself is over all of its usage', async () => {
    expect((await score('own')).body).toMatchObject({ requests: 120, events: 1 });
  });
});

describe('signals', () => {
  it('are derived once, also when many derive at once, and tell what to do', async () => {
    for (let turn = 0; turn < 3; turn += 1) await tell('budget_cap_hit', 'capped');
    const answers = await Promise.all([1, 2, 3, 4].map(() => derive('capped')));
    const made = answers.flatMap(({ body }) => body.derived);
    expect(made).toHaveLength(1);
    expect(made[0]).toEqual({
      id: expect.any(String),
      account_ref: 'capped',
      rule: 'cap_pressure',
      status: 'open',
      evidence: [expect.any(String), expect.any(String), expect.any(String)],
      completed_by: expect.any(String),
      note: null,
      resolved_by: null,
      resolved_at: null,
      created_at: expect.any(String),
      reason: 'A budget was used up three times within seven days.',
      recommended_action: 'offer_next_package',
      crm_payload: {
        external_id: made[0]?.id,
        account_ref: 'capped',
        title: 'capped: A budget was used up three times within seven days.',
        task: 'offer_next_package',
        due_at: expect.any(String),
        event_count: 3,
        source: 'revenue_signals',
      },
    });
    expect((await derive('capped')).body).toMatchObject({
      derived: [],
      open: [{ id: made[0]?.id }],
    });
    await tell('budget_cap_hit', 'capped');
    await tell('budget_cap_hit', 'capped');
    expect((await derive('capped')).body.derived).toEqual([]);
    await tell('budget_cap_hit', 'capped');
    expect((await derive('capped')).body.derived).toHaveLength(1);
  });

  it('while events are recorded use every event once', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        at % 2 === 0 ? tell('budget_cap_hit', 'racing') : derive('racing'),
      ),
    );
    await derive('racing');
    const { body } = await ask('GET', '/signals?account_ref=racing');
    const used = body.data.flatMap(({ evidence }) => evidence as string[]);
    expect([body.data.length, new Set(used).size]).toEqual([2, 6]);
  });

  it('are closed once, however many close them at once, and never by others', async () => {
    await tell('second_department', 'closing');
    const [signal] = (await derive('closing')).body.derived;
    const id = signal?.id ?? '';
    const close = (resolution: string, who = seller.key, at = id) =>
      ask('POST', `/signals/${at}/resolve`, { resolution }, who);
    const unknown = '01977c2a-5b1e-7052-8000-3f2b9c4d5e6f';
    const [foreign, missing] = [
      await close('won', other.key),
      await close('won', seller.key, unknown),
    ];
    const plain = (body: Body, of: string) =>
      JSON.stringify(body)
        .replaceAll(of, '')
        .replace(/"request_id":"[^"]+"/, '');
    expect([foreign.status, plain(foreign.body, id)]).toEqual([404, plain(missing.body, unknown)]);
    const wrong = await close('open');
    expect(wrong.status).toBe(400);
    const answers = await Promise.all([close('won'), close('lost'), close('dismissed')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [closed] = answers.filter(({ status }) => status === 200);
    const list = await ask('GET', `/signals?status=${closed?.body.status}&account_ref=closing`);
    expect(list.body.data).toEqual([closed?.body]);
    expect((await ask('GET', '/signals?account_ref=closing')).body.data).toEqual([]);
    const theirs = await ask('GET', '/signals', undefined, other.key);
    expect(theirs.body.data).toEqual([]);
    const node = 'query($id: ID!) { node(id: $id) { ... on RevenueSignal { status } } }';
    const { data } = await graphql(app, node, { id }, seller.token);
    expect(data).toEqual({ node: { status: closed?.body.status } });
  });
});
