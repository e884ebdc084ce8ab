import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePolicies } from '../../../src/access/policies/rules.js';
import { readContract } from '../../../src/actions/tools/contract.js';
import { blueprintById } from '../../../src/delivery/blueprints/catalogue.js';
import {
  type DeployFacts,
  judgeDeployment,
} from '../../../src/delivery/blueprints/deploy-rules.js';
import {
  DEPLOY_CHECKS,
  type DeployCheck,
  READINESS_CRITERIA,
} from '../../../src/delivery/blueprints/vocabulary.js';

const manifest = blueprintById('support-ticket-reply');
const projectId = '01977c2a-5b1e-7002-8000-3f2b9c4d5e6f';

function policy(rules: object, budgetIds: string[] = ['b']) {
  const base = { budgets: {}, limits: {}, firewall: {} };
  return mergePolicies([
    { id: 'p', version: 1, name: 'p', rules: { ...base, ...rules }, budgetIds },
  ]);
}

const STRICT = { hybrid: 'rf_only', firewall: { phone: 'mask', email: 'block', secret: 'mask' } };

const READY: DeployFacts = {
  manifest,
  projectId,
  findings: [],
  run: { id: 'r', proof: 'proved', achieved: true, simulated: false, checksFailed: [] },
  goldenCases: { isChecked: true, good: '2 of 2 cases', failed: [] },
  keys: [{ keyType: 'service', name: 'k' }],
  policy: policy(STRICT),
  allowListId: undefined,
  primaryModels: ['one'],
  fallbackModels: ['one', 'two'],
  availableMicro: 1n,
  tools: [
    readContract({
      tool_key: 'helpdesk.tickets',
      verbs: [{ verb: 'draft' }],
      amount_micro_max_auto: null,
    }),
  ],
};

const finding = { rule: 'unused_step', path: 'steps.0', message: 'm', fix: 'f' } as const;

/** For each check, facts under which it alone fails. */
const LACKING: Readonly<Record<DeployCheck, Partial<DeployFacts>>> = {
  manifest_lint: { findings: [{ ...finding, level: 'error' }] },
  sandbox_run: { run: undefined },
  key: { keys: [{ keyType: 'agent', name: 'k' }] },
  budget: { policy: policy(STRICT, []) },
  firewall: { policy: policy({ ...STRICT, firewall: { phone: 'detect', email: 'mask' } }) },
  data_route: { policy: policy({ ...STRICT, hybrid: 'hybrid' }) },
  models: { fallbackModels: ['one'], allowListId: 'p' },
  balance: { availableMicro: 0n },
  tools: { tools: [] },
};

const CALLS: Readonly<Record<DeployCheck, object>> = {
  manifest_lint: { method: 'GET', path: '/v1/gw/blueprints/support-ticket-reply', body: {} },
  sandbox_run: { method: 'POST', path: '/v1/gw/blueprints/support-ticket-reply/run', body: {} },
  key: {
    method: 'POST',
    path: '/api-keys',
    body: { keyType: 'service', name: 'blueprint', project_id: projectId },
  },
  budget: {
    method: 'POST',
    path: '/v1/gw/policies',
    body: { name: manifest.id, project_id: projectId, budgets: { monthly_rub: 20_000 } },
  },
  firewall: {
    method: 'POST',
    path: '/v1/gw/policies',
    body: { name: manifest.id, project_id: projectId, firewall: { phone: 'mask' } },
  },
  data_route: {
    method: 'POST',
    path: '/v1/gw/policies',
    body: { name: manifest.id, project_id: projectId, hybrid: 'rf_only' },
  },
  models: { method: 'PATCH', path: '/v1/gw/policies/p', body: { allowed_models: null } },
  balance: { method: 'POST', path: '/billing/top-up/manual', body: { amount_rub: 500 } },
  tools: {
    method: 'POST',
    path: '/v1/gw/tools/register',
    body: { tool_key: 'helpdesk.tickets', verbs: ['draft'], connector: 'simulated' },
  },
};

describe('a deployment', () => {
  it('is deployed at 100 percent where nothing is missing', () => {
    const verdict = judgeDeployment(READY);
    expect(verdict).toMatchObject({
      decision: 'deployed',
      readinessPercent: 100,
      missingItems: [],
    });
    expect(verdict.tests.map(({ code, passed }) => [code, passed])).toEqual(
      DEPLOY_CHECKS.rows.map(({ code }) => [code, true]),
    );
  });

  it.each(DEPLOY_CHECKS.rows)('without $code is blocked, and says which call mends it', (check) => {
    const verdict = judgeDeployment({ ...READY, ...LACKING[check.code] });
    expect(verdict.decision).toBe('blocked');
    expect(verdict.readinessPercent).toBe(100 - check.weight);
    expect(verdict.tests.filter(({ passed }) => !passed).map(({ code }) => code)).toEqual([
      check.code,
    ]);
    expect(verdict.missingItems).toEqual([
      { code: check.code, missing: expect.any(String), ...CALLS[check.code] },
    ]);
  });

  it('is deployed exactly where every check passes, whatever is missing together', () => {
    const subset = fc.subarray([...DEPLOY_CHECKS.codes]);
    fc.assert(
      fc.property(subset, (codes) => {
        // Three checks read the policy; the last of them decides which one stands.
        const facts = Object.assign({}, READY, ...codes.map((code) => LACKING[code]));
        const { decision, tests, missingItems, readinessPercent } = judgeDeployment(facts);
        const failed = tests.filter(({ passed }) => !passed).map(({ code }) => code);
        expect(decision).toBe(codes.length === 0 ? 'deployed' : 'blocked');
        expect([...new Set(missingItems.map(({ code }) => code))]).toEqual(failed);
        const weights = DEPLOY_CHECKS.rows.filter(({ code }) => !failed.includes(code));
        expect(readinessPercent).toBe(weights.reduce((sum, { weight }) => sum + weight, 0));
      }),
    );
  });

  it('takes a stricter policy than the manifest asks for', () => {
    const firewall = { phone: 'block', email: 'block', secret: 'block' };
    const stricter = { ...READY, policy: policy({ hybrid: 'rf_only', firewall }) };
    expect(judgeDeployment(stricter).decision).toBe('deployed');
  });
});

describe('a run as the ground of a deployment', () => {
  const golden = { isChecked: true, good: '2 of 2 cases', failed: [] };
  const run = { id: 'r', proof: 'proved', achieved: true, simulated: false, checksFailed: [] };
  const simulated = { ...run, proof: 'simulated', achieved: false, simulated: true };

  it.each<[string, Partial<DeployFacts>, boolean, string, string | null]>([
    ['proved', { run }, true, 'run r: achieved and proved', null],
    [
      'proved without any result',
      { run: { ...run, achieved: false } },
      false,
      'run r: proved, not achieved',
      'A run that is achieved and proved: not achieved',
    ],
    [
      'failed',
      { run: { ...run, proof: 'failed', achieved: false, checksFailed: ['quotes', 'sums'] } },
      false,
      'run r: failed, failed quotes, sums',
      'A run that is achieved and proved: failed quotes, sums',
    ],
    [
      'simulated, with golden cases that hold',
      { run: simulated },
      true,
      'run r: simulated, which proves nothing; golden cases: 2 of 2 cases',
      null,
    ],
    [
      'simulated, with a golden case that does not hold',
      { run: simulated, goldenCases: { ...golden, isChecked: false, failed: ['lie'] } },
      false,
      'run r: simulated, which proves nothing; golden cases: 2 of 2 cases',
      'A proved run, or golden cases that hold: failed lie',
    ],
    [
      'simulated, with good golden cases alone',
      { run: simulated, goldenCases: { ...golden, isChecked: false } },
      false,
      'run r: simulated, which proves nothing; golden cases: 2 of 2 cases',
      'A proved run, or golden cases that hold: no bad one is among them',
    ],
  ])('that is %s', (_what, facts, passed, evidence, missing) => {
    const { tests, missingItems } = judgeDeployment({ ...READY, ...facts });
    expect(tests.find(({ code }) => code === 'sandbox_run')).toMatchObject({ passed, evidence });
    expect(missingItems.map((each) => each.missing)).toEqual(missing === null ? [] : [missing]);
  });
});

describe('weights', () => {
  it('add up to 100', () => {
    const sum = (rows: readonly { weight: number }[]) =>
      rows.reduce((total, { weight }) => total + weight, 0);
    expect([sum(DEPLOY_CHECKS.rows), sum(READINESS_CRITERIA.rows)]).toEqual([100, 100]);
  });
});
