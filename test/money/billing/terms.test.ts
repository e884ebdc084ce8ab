import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, newMember, PASSWORD } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  type ShownError,
  startApp,
  type TestApp,
} from '../../support/app.js';

const OPERATOR = 'operator@example.test';

let first: TestApp;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  first = await startApp();
  const registered = await rest<{ accessToken: string; user: { id: string } }>(
    first,
    'POST',
    '/auth/register',
    { body: { email: OPERATOR, password: PASSWORD, organization: 'The operator' } },
  );
  operator = registered.body.accessToken;
  const { DATABASE_URL } = first.environment;
  app = await startApp({ DATABASE_URL, GW_PLATFORM_ADMINS: registered.body.user.id });
});
afterAll(async () => {
  await app?.stop();
  await first?.stop();
});

interface Order {
  readonly plan?: string;
  readonly slaClass?: string;
  readonly commitRub?: string;
  readonly effectiveFrom?: string;
  readonly reason?: string;
}

const SET = `mutation($tenantId: ID!, $plan: String, $slaClass: SlaClass, $commitRub: Rub,
    $effectiveFrom: DateTime, $reason: String!) {
  commercialTermsSet(tenantId: $tenantId, plan: $plan, slaClass: $slaClass,
    commitRub: $commitRub, effectiveFrom: $effectiveFrom, reason: $reason) {
    plan slaClass commitRub effectiveFrom reason
  }
}`;

function setTerms(tenantId: string, order: Order, credential = operator) {
  const variables = { reason: 'A contract', ...order, tenantId };
  return graphql<{ commercialTermsSet: Order }>(app, SET, variables, credential);
}

function codeOf({ errors }: { readonly errors?: readonly ShownError[] }): string | undefined {
  return errors?.[0]?.extensions.code;
}

async function termsOf({ token }: Customer): Promise<unknown> {
  const { body } = await rest(app, 'GET', '/billing/balance', { credential: token });
  const { data } = await graphql<{ balance: Record<string, unknown> }>(
    app,
    '{ balance { plan slaClass commitRub } }',
    {},
    token,
  );
  expect(data.balance).toMatchObject({ plan: body.plan, slaClass: body.sla_class });
  return [body.plan, body.sla_class, body.commit_rub];
}

async function sloOf({ key }: Customer): Promise<unknown> {
  const { body } = await chat(app, key, 'Здравствуйте', { model: 'sandbox/gw-mini' });
  const { gw_slo } = body as unknown as { gw_slo: Record<string, unknown> };
  return [gw_slo.sla_class, gw_slo.target_latency_ms];
}

function rowsOf({ tenantId }: Customer) {
  const { prisma } = app.owner;
  return prisma.commercialTerms.findMany({ where: { tenantId }, orderBy: { seq: 'asc' } });
}

describe('the commercial terms of an organization', () => {
  it('begin with a row that registration writes', async () => {
    const customer = await newCustomer(app);
    expect(await rowsOf(customer)).toMatchObject([
      { plan: 'prepaid', slaClass: 'standard', commitMicro: 0n, setBy: null },
    ]);
    expect(await termsOf(customer)).toEqual(['prepaid', 'standard', 0]);
  });

  it('are set by an operator, and are in force for balance and gw_slo at once', async () => {
    const [customer, other] = [await newCustomer(app, 500), await newCustomer(app, 500)];
    expect(await sloOf(customer)).toEqual(['standard', 30_000]);
    const { data } = await setTerms(customer.tenantId, {
      plan: 'postpaid',
      slaClass: 'enterprise',
      commitRub: '250000',
    });
    expect(data.commercialTermsSet).toEqual({
      plan: 'postpaid',
      slaClass: 'enterprise',
      commitRub: '250000.00',
      effectiveFrom: expect.any(String),
      reason: 'A contract',
    });
    expect(await termsOf(customer)).toEqual(['postpaid', 'enterprise', 250_000]);
    // The node learns it by a notification, which the key's memory waits for.
    await expect.poll(() => sloOf(customer)).toEqual(['enterprise', 15_000]);
    expect([await termsOf(other), await sloOf(other)]).toEqual([
      ['prepaid', 'standard', 0],
      ['standard', 30_000],
    ]);
    const me = await graphql<{ me: { tenant: { plan: string } } }>(
      app,
      '{ me { tenant { plan } } }',
      {},
      customer.token,
    );
    expect(me.data.me.tenant.plan).toBe('postpaid');
  });

  it('keep what is left out, change no row, and begin when they say', async () => {
    const customer = await newCustomer(app, 500);
    await setTerms(customer.tenantId, { plan: 'postpaid', commitRub: '10' });
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
    const later = { slaClass: 'enterprise', effectiveFrom: inMs(86_400_000) };
    await setTerms(customer.tenantId, later);
    expect(await termsOf(customer)).toEqual(['postpaid', 'standard', 10]);
    expect(await sloOf(customer)).toEqual(['standard', 30_000]);
    await setTerms(customer.tenantId, { slaClass: 'business', effectiveFrom: inMs(1_500) });
    await sloOf(customer);
    // Nothing is told when the moment comes: what nodes remember ends by itself.
    await expect.poll(() => sloOf(customer), { timeout: 10_000 }).toEqual(['business', 20_000]);
    expect(await termsOf(customer)).toEqual(['postpaid', 'business', 10]);
    const rows = await rowsOf(customer);
    expect(rows.map(({ plan, slaClass }) => [plan, slaClass])).toEqual([
      ['prepaid', 'standard'],
      ['postpaid', 'standard'],
      ['postpaid', 'enterprise'],
      ['postpaid', 'business'],
    ]);
    const { pool } = app.owner;
    const change = pool.query('UPDATE commercial_terms SET plan = $1 WHERE tenant_id = $2', [
      'free',
      customer.tenantId,
    ]);
    await expect(change).rejects.toThrow('append-only table commercial_terms');
  });

  it('are recorded in the trail of that organization', async () => {
    const customer = await newCustomer(app);
    await setTerms(customer.tenantId, { plan: 'postpaid' });
    const { data } = await graphql<{ auditEvents: { nodes: unknown[] } }>(
      app,
      `{ auditEvents(filter: { action: { eq: "commercialTermsSet" } }) { nodes {
        actorKind subject subjectId beforeHash afterHash
      } } }`,
      {},
      customer.token,
    );
    expect(data.auditEvents.nodes).toEqual([
      {
        actorKind: 'user',
        subject: 'CommercialTerms',
        subjectId: customer.tenantId,
        beforeHash: expect.any(String),
        afterHash: expect.any(String),
      },
    ]);
  });
});

describe('who may set them', () => {
  it('is an administrator of the platform, never a member or a key', async () => {
    const customer = await newCustomer(app);
    const admin = await newMember(app, customer.token, 'admin');
    for (const credential of [customer.token, admin.token, customer.key]) {
      const refused = await setTerms(customer.tenantId, { slaClass: 'enterprise' }, credential);
      expect(codeOf(refused)).toBe('platform_admin_required');
    }
    expect(await rowsOf(customer)).toHaveLength(1);
  });

  it('and for an organization that there is, within bounds, never in the past', async () => {
    const customer = await newCustomer(app);
    const unknown = '01977c2a-5b1e-7001-8000-3f2b9c4d5e6f';
    expect(codeOf(await setTerms(unknown, { plan: 'postpaid' }))).toBe('not_found');
    const wrong: Order[] = [
      { plan: 'No Plan' },
      { commitRub: '-1' },
      { reason: ' ' },
      { effectiveFrom: '2026-01-01T00:00:00Z' },
      { effectiveFrom: '2099-01-01T00:00:00Z' },
    ];
    for (const order of wrong) {
      expect(codeOf(await setTerms(customer.tenantId, order))).toBe('invalid_request');
    }
    expect(await rowsOf(customer)).toHaveLength(1);
  });
});
