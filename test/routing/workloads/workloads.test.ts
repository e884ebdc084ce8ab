import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HARD_RULES, ROADMAP } from '../../../src/routing/workloads/vocabulary.js';
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
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const WORKLOADS = '/v1/gw/workloads';
type Body = Record<string, unknown>;

const post = (path: string, body: Body, credential?: string) =>
  rest<Body & { error: { code: string; param: string } }>(app, 'POST', WORKLOADS + path, {
    body,
    credential,
  });
const read = (path: string, credential?: string) =>
  rest<Body & { data: Body[] }>(app, 'GET', WORKLOADS + path, { credential });

describe('plans of workloads', () => {
  it('are public, declared and not authoritative, the same in both voices', async () => {
    const reference = await read('/reference');
    expect([reference.status, reference.body.hard_rules, reference.body.roadmap]).toEqual([
      200,
      HARD_RULES.rows,
      ROADMAP.rows,
    ]);
    const { body } = await post('/classify', { user_is_waiting: false, deadline_seconds: 90_000 });
    expect(body).toEqual({
      interaction_class: 'BATCH',
      decided_by: 'patient',
      reason: 'Nobody waits, and a day or more is left.',
      async_eligible: true,
      reasoning_tokens_max: 0,
      compression: 'NONE',
      free_summary_allowed: false,
      authoritative: false,
      provenance: 'declared',
    });
    const { data } = await graphql(
      app,
      '{ workloadClassify(input: {}) { interactionClass decidedBy authoritative } }',
    );
    expect(data).toEqual({
      workloadClassify: {
        interactionClass: 'REALTIME',
        decidedBy: 'waiting_unknown',
        authoritative: false,
      },
    });
  });

  it('must_is_never_dropped: what cannot fit fails closed, with what is lacking', async () => {
    const item = { item_id: 'i', component: 'SYSTEM', tokens: 90, priority: 'MUST' };
    const { status, body } = await post('/compile', {
      window_tokens: 100,
      output_tokens: 20,
      budgets: [{ component: 'SYSTEM', tokens_max: 50 }],
      items: [item],
    });
    expect([status, body]).toEqual([
      200,
      {
        verdict: 'CANNOT_COMPILE',
        room_tokens: null,
        used_tokens: null,
        value: null,
        kept: null,
        cut: null,
        components: null,
        reason: 'What must not be dropped does not fit.',
        needed: ['10 more tokens of the window', 'SYSTEM: 40 more tokens of its budget'],
        authoritative: false,
        provenance: 'declared',
      },
    ]);
    const twice = await post('/compile', { window_tokens: 100, items: [item, item] });
    expect([twice.status, twice.body.error.param]).toEqual([400, 'items.1.item_id']);
  });

  it('admission speaks of the real load of the node', async () => {
    const { body } = await post('/admission', { interaction_class: 'BATCH' });
    expect(body).toEqual({
      outcome: 'accepted',
      load: 'LOW',
      retry_after_seconds: null,
      reason: 'A place is free.',
    });
  });
});

describe('a transform', () => {
  it('projection_is_no_bill: is sealed once, without its text, and verifies', async () => {
    const text = 'Иванов Иван Иванович  \n\n\n\nдоговор';
    const asked = { transform_ref: 'T-1', transforms: ['NORMALIZE_SPACE'], data_class: 'C3', text };
    const first = await post('/transform', asked, customer.key);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      transform_ref: 'T-1',
      basis: 'computed',
      authoritative: false,
      already_sealed: false,
    });
    expect(JSON.stringify(first.body)).not.toContain('Иванов');
    const again = await post('/transform', { ...asked, text: 'x' }, customer.token);
    expect(again.body).toEqual({ ...first.body, already_sealed: true });
    const { id } = first.body;
    const verified = await read(`/receipts/${id}/verify`, customer.key);
    expect(verified.body).toMatchObject({ valid: true, chain_valid: true });
    for (const path of [`/receipts/${id}`, `/receipts/${id}/verify`]) {
      expect((await read(path, other.key)).status).toBe(404);
      expect((await read(path)).status).toBe(401);
    }
    const own = await post('/transform', asked, other.key);
    expect(own.body).toMatchObject({ already_sealed: false });
  });

  it('no_free_summary_of_c3_c4: is refused in both forms, and nothing is sealed', async () => {
    const asked = { transforms: ['FREE_SUMMARY'], data_class: 'C3', tokens: 1_000 };
    const simulated = await post('/simulate-transform', asked);
    expect(simulated.body).toMatchObject({
      verdict: 'REFUSED',
      after_tokens: null,
      needed: ['data_class must be C0, C1 or C2 where FREE_SUMMARY is asked'],
    });
    const sealed = await post('/transform', { transform_ref: 'T-2', ...asked }, customer.key);
    expect([sealed.status, sealed.body.error.param]).toEqual([400, 'data_class']);
    const allowed = { transform_ref: 'T-2', ...asked, data_class: 'C1' };
    const after = await post('/transform', allowed, customer.key);
    expect(after.body).toMatchObject({ already_sealed: false, basis: 'estimated' });
  });
});

describe('contracts of workloads', () => {
  it('grow in versions of the own organization, and refuse what they do not know', async () => {
    const terms = {
      contract_key: 'support',
      exact_cache_enabled: true,
      exact_cache_seconds: 600,
    };
    const first = await post('/contracts', terms, customer.token);
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ ...terms, version: 1 }),
    ]);
    const second = await post(
      '/contracts',
      { ...terms, exact_cache_enabled: false },
      customer.token,
    );
    expect(second.body).toMatchObject({ version: 2, exact_cache_enabled: false });
    const listed = await read('/contracts?contract_key=support', customer.key);
    expect(listed.body.data.map(({ version }) => version)).toEqual([2, 1]);
    expect((await read('/contracts?contract_key=support', other.key)).body.data).toEqual([]);
    const unknown = await post('/contracts', { ...terms, exact_cash_seconds: 1 }, customer.token);
    expect([unknown.status, unknown.body.error.param]).toEqual([400, 'exact_cash_seconds']);
    const tooLong = await post(
      '/contracts',
      { ...terms, exact_cache_seconds: 86_401 },
      customer.token,
    );
    expect([tooLong.status, tooLong.body.error.param]).toEqual([400, 'exact_cache_seconds']);
  });
});

describe('deduplication', () => {
  it('reuse_needs_five_matches: never over the wall between two organizations', async () => {
    const origin = {
      checksum: 'a'.repeat(64),
      parser_version: 'pdf 1',
      policy_version: '3',
      encryption_key: 'k',
    };
    const tenantOf = async (who: Customer) => {
      const { data } = await graphql<{ me: { tenant: { id: string } } }>(
        app,
        '{ me { tenant { id } } }',
        {},
        who.token,
      );
      return data?.me.tenant.id;
    };
    const stored = { ...origin, tenant_id: await tenantOf(customer) };
    const answer = async (who: Customer, document: Body = origin) =>
      (await post('/document-dedup', { document, stored }, who.key)).body;
    expect(await answer(customer)).toEqual({ verdict: 'ELIGIBLE', mismatches: [] });
    expect(await answer(other)).toEqual({ verdict: 'NOT_ELIGIBLE', mismatches: ['tenant'] });
    expect(await answer(other, stored)).toEqual({
      verdict: 'NOT_ELIGIBLE',
      mismatches: ['tenant'],
    });
    expect(await answer(customer, {})).toMatchObject({ verdict: 'NOT_ELIGIBLE' });
  });
});
