import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { newMember } from '../../journeys/people.js';
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
afterAll(() => app?.stop());

type Body = Record<string, unknown>;
const CONTRACTS = '/v1/gw/workloads/contracts';
const HOUR_MS = 3_600_000;
const FAILED = { status: 'failed', errorCode: 'upstream_failed', metadata: {} } as const;

const dryRun = (terms: Body, credential = customer.token) =>
  rest<Body & { error: { code: string; param: string } }>(app, 'POST', CONTRACTS, {
    credential,
    body: { dry_run: true, contract_key: 'default', exact_cache_enabled: false, ...terms },
  });

/** Two requests of the workload, and others that are none of it. */
async function plantPast(): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
  const row = {
    tenantId: customer.tenantId,
    outputText: 100,
    amountMicro: 150n,
    metadata: { gw_fingerprint: 'f' },
  };
  await plantUsage(app.owner.pool, [
    { ...row, createdAt: hoursAgo(3) },
    { ...row, createdAt: hoursAgo(2) },
    { ...FAILED, tenantId: customer.tenantId, createdAt: hoursAgo(1) },
    { ...row, createdAt: hoursAgo(1), operation: 'embeddings' },
    { ...row, createdAt: hoursAgo(1), simulated: true },
    { ...row, createdAt: hoursAgo(24 * 8) },
    { ...row, createdAt: hoursAgo(1), metadata: { workload: 'letters' } },
    { ...row, createdAt: hoursAgo(1), tenantId: other.tenantId },
  ]);
}

describe('a dry run of a workload contract', () => {
  it('says what it would have saved of the recorded usage, and writes nothing', async () => {
    await plantPast();
    const terms = {
      exact_cache_enabled: true,
      exact_cache_seconds: 7_200,
      output_tokens_max: 40,
      history_messages_max: 4,
    };
    const { status, body } = await dryRun(terms);
    expect([status, body]).toEqual([
      200,
      {
        from: expect.any(String),
        to: expect.any(String),
        complete: true,
        requests: 2,
        charged_rub: 0.0003,
        saved_rub: 0.000201,
        parts: [
          {
            part: 'output_tokens',
            basis: 'at_most',
            requests: 2,
            saved_rub: 0.00012,
            missing: [],
          },
          {
            part: 'history_messages',
            basis: 'cannot_certify',
            requests: null,
            saved_rub: null,
            missing: ['messages_not_recorded'],
          },
          {
            part: 'cache_seconds',
            basis: 'at_most',
            requests: 1,
            saved_rub: 0.000135,
            missing: [],
          },
        ],
        provenance: 'live_measured',
      },
    ]);
    const letters = await dryRun({ contract_key: 'letters', output_tokens_max: 40 });
    expect(letters.body).toMatchObject({ requests: 1, saved_rub: 0.00006 });
    const listed = await rest<{ data: Body[] }>(app, 'GET', CONTRACTS, {
      credential: customer.token,
    });
    expect(listed.body.data).toEqual([]);
    const { data } = await graphql<{ effect: Body }>(
      app,
      `{ effect: workloadContractEffect(input: { contractKey: "default",
        exactCacheEnabled: false, outputTokensMax: 40 }) { requests savedRub } }`,
      {},
      other.token,
    );
    expect(data.effect).toEqual({ requests: 1, savedRub: '0.00006' });
  });

  it('cannot certify a workload without a request', async () => {
    const { body } = await dryRun({ contract_key: 'none', output_tokens_max: 40 });
    expect(body).toMatchObject({
      requests: 0,
      saved_rub: null,
      parts: [{ basis: 'cannot_certify', missing: ['no_requests'] }],
    });
  });

  it('is for those who may publish, and refuses what a contract refuses', async () => {
    const viewer = await newMember(app, customer.token, 'viewer');
    expect((await dryRun({}, viewer.token)).body.error.code).toBe('permission_denied');
    const unknown = await dryRun({ output_tokens_maximum: 1 });
    expect([unknown.status, unknown.body.error.param]).toEqual([400, 'output_tokens_maximum']);
    const low = await dryRun({ output_tokens_max: 0 });
    expect([low.status, low.body.error.param]).toEqual([400, 'output_tokens_max']);
  });
});
