import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/canonical.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';
import { callsOfMutations } from '../support/mutation-calls.js';
import { ROOT_FIELDS } from '../support/root-fields.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Event {
  readonly actorKind: string;
  readonly actorId: string;
  readonly action: string;
  readonly subject: string;
  readonly subjectId: string;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly requestId: string;
}

async function trail({ token }: Customer): Promise<readonly Event[]> {
  const { data } = await graphql<{ auditEvents: { nodes: readonly Event[] } }>(
    app,
    `{ auditEvents(first: 200) { nodes {
      actorKind actorId action subject subjectId beforeHash afterHash requestId
    } } }`,
    {},
    token,
  );
  return data.auditEvents.nodes;
}

/** The gateway as it will be when the tests run. */
function later(): TestApp {
  return {
    get server() {
      return app.server;
    },
    get url() {
      return app.url;
    },
    get environment() {
      return app.environment;
    },
    get owner() {
      return app.owner;
    },
    stop: () => app.stop(),
  };
}

/** How each mutation is called so that it changes something. */
const CALLS = callsOfMutations(later());

/**
 * Beacons of pages, logins, wishes for a new password and calls of models change nothing that is
 * managed; decisions, and what operators alone may do, are tested beside them.
 */
const NOT_MANAGEMENT = [
  'analyticsBeaconSend',
  'approvalDecide',
  'authLogin',
  'authPasswordResetRequest',
  'authRefresh',
  'balanceAdjust',
  'balanceCredit',
  'balanceRefund',
  'balanceReturn',
  'chatComplete',
  'chatCompletionCreate',
  'commercialTermsSet',
  'deploymentHealthSet',
  'deploymentLimitsSet',
  'deploymentPriceAdd',
  'deploymentProbe',
  'deploymentWeightSet',
  'embeddingsCreate',
  'logCosignaturesSubmit',
  'modelSelectionSet',
  'providerDeclare',
  'providerHealthSet',
  'providerWithdraw',
  'signingKeyRotate',
  'marketplaceListingMeasure',
  'marketplaceReportResolve',
  'publisherIdentityDecide',
  'publisherIdentityRevoke',
  'slaCreditIssue',
];

/** Calls that are recorded by what they decide. */
const RECORDED_AS: Readonly<Record<string, string>> = {
  toolCallApprove: 'approvalApprove',
  toolCallReject: 'approvalReject',
};

/** What a member other than the customer does, who shows a token of one use alone. */
const OF_THE_NEWCOMER = new Set(['authPasswordReset', 'inviteAccept']);

describe('the audit trail', () => {
  it('is asked about every mutation of the schema', () => {
    const mutations = ROOT_FIELDS.filter(({ operation }) => operation === 'mutation');
    const known = [...Object.keys(CALLS), ...NOT_MANAGEMENT];
    expect(mutations.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it.each(Object.keys(CALLS))('has exactly one event of a %s', async (name) => {
    const customer = await newCustomer(app);
    await CALLS[name]?.(customer);
    const recorded = RECORDED_AS[name] ?? name;
    const events = (await trail(customer)).filter(({ action }) => action === recorded);
    // The customer's own first key was made by its registration in tests.
    const extra = name === 'apiKeyCreate' ? 2 : 1;
    expect(events).toHaveLength(extra);
    const isOwn = !OF_THE_NEWCOMER.has(name);
    expect(events[0]).toMatchObject({
      actorKind: 'user',
      actorId: isOwn ? customer.userId : expect.any(String),
      subjectId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('has no event of what was refused', async () => {
    const customer = await newCustomer(app);
    const before = await trail(customer);
    const text = 'mutation { policyCreate(input: { limits: { rpm: 0 } }) { id } }';
    await graphql(app, text, {}, customer.token);
    await graphql(app, 'mutation { projectCreate(name: "default") { id } }', {}, customer.token);
    expect(await trail(customer)).toEqual(before);
  });

  it('proves what an object was by its hash, to whoever has the object', async () => {
    const customer = await newCustomer(app);
    const { body } = await rest(app, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { name: 'proved', limits: { rpm: 5 } },
    });
    const rules = { budgets: {}, limits: { rpm: 5 }, firewall: {} };
    const snapshot = { name: 'proved', enabled: true, version: 1, rules };
    const hash = createHash('sha256').update(canonicalJson(snapshot)).digest('hex');
    const [event] = await trail(customer);
    expect(event).toMatchObject({ subjectId: body.id, beforeHash: null, afterHash: hash });
    await rest(app, 'PATCH', `/v1/gw/policies/${body.id}`, {
      credential: customer.token,
      body: { name: 'changed' },
    });
    const [change] = await trail(customer);
    expect(change).toMatchObject({ action: 'policyUpdate', beforeHash: hash });
    expect(change?.afterHash).not.toBe(hash);
  });

  it('names keys as the actors of what they did, and the request that answered', async () => {
    const customer = await newCustomer(app);
    const answer = await rest(app, 'POST', '/v1/gw/policies', {
      credential: customer.key,
      body: {},
    });
    const [event] = await trail(customer);
    expect(event).toMatchObject({
      actorKind: 'api_key',
      actorId: customer.keyId,
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it('can be neither changed nor emptied', async () => {
    const { pool } = app.owner;
    for (const sql of [
      "UPDATE audit_event SET action = 'x'",
      'DELETE FROM audit_event',
      'TRUNCATE audit_event CASCADE',
    ]) {
      await expect(pool.query(sql)).rejects.toThrow('append-only');
    }
  });
});
