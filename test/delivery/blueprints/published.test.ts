import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTORS } from '../../../src/actions/integrations/catalogue.js';
import { builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { LINT_LEVELS, LINT_RULES } from '../../../src/delivery/blueprints/lint-vocabulary.js';
import { MANIFEST_SCHEMA } from '../../../src/delivery/blueprints/manifest-schema.js';
import { OPERATIONS, OPERATORS } from '../../../src/delivery/blueprints/operators.js';
import {
  CHECK_RESULTS,
  GOLDEN_KINDS,
  PROOFS,
} from '../../../src/delivery/blueprints/proof-vocabulary.js';
import {
  CATEGORIES,
  DEPLOY_CHECKS,
  DEPLOY_DECISIONS,
  INPUT_SOURCES,
  ORIGINS,
  PLATFORMS,
  POLICY_PARTS,
  READINESS_CRITERIA,
  RUN_FAILURES,
  RUN_STATUSES,
  STEP_STATUSES,
  STEP_TYPES,
} from '../../../src/delivery/blueprints/vocabulary.js';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { run } from './wire.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Entry {
  readonly code: string;
}

describe('the catalogue', () => {
  it('is public and lists every blueprint, or those of a category', async () => {
    const all = await rest<{ data: { id: string; readiness: { score: number } }[] }>(
      app,
      'GET',
      '/v1/gw/blueprints',
    );
    expect(all.body.data.map(({ id }) => id)).toEqual(builtIns().map(({ id }) => id));
    expect(new Set(all.body.data.map(({ readiness }) => readiness.score))).toEqual(new Set([80]));
    const some = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/blueprints?category=support');
    expect(some.body.data).toMatchObject([
      { id: 'support-ticket-reply', category: 'support', step_count: 7 },
      { id: 'support-ticket-triage', category: 'support', step_count: 3 },
    ]);
  });

  it('refuses an unknown category and names the one that was meant', async () => {
    const { status, body } = await rest<ErrorBody>(app, 'GET', '/v1/gw/blueprints?category=suport');
    expect([status, body.error.code, body.error.param]).toEqual([
      400,
      'invalid_request',
      'category',
    ]);
    expect(body.error.message).toContain('support');
  });

  it('shows a blueprint with its manifest, readiness score and lint', async () => {
    const { status, body } = await rest<Record<string, unknown>>(
      app,
      'GET',
      '/v1/gw/blueprints/contract-review',
    );
    const manifest = builtIns().find(({ id }) => id === 'contract-review');
    expect(status).toBe(200);
    expect(body.golden_cases).toEqual(
      manifest?.golden_cases?.map(({ id, kind, title, expected }) => ({
        id,
        kind,
        title,
        expected,
        judged: expected,
        lies: expect.any(Number),
        lies_caught: expect.any(Number),
      })),
    );
    expect(body.manifest).toEqual(JSON.parse(JSON.stringify(manifest)));
    expect(body.lint).toEqual({ error_count: 0, warning_count: 0, findings: [] });
    expect(body.readiness).toMatchObject({ score: 80 });
    expect(body).toMatchObject({ id: 'contract-review', feature: 'blueprint.contract-review' });
  });

  it('answers 404 for an unknown blueprint', async () => {
    expect(outcome(await rest(app, 'GET', '/v1/gw/blueprints/nobody'))).toBe(
      '404 blueprint_unknown',
    );
  });
});

describe('the reference', () => {
  it('is public and publishes the very lists that the rules read', async () => {
    const { status, body } = await rest<Record<string, Entry[]> & { manifest_schema: object }>(
      app,
      'GET',
      '/v1/gw/blueprints/reference',
    );
    expect(status).toBe(200);
    const { manifest_schema: schema, integrations, ...lists } = body;
    expect(schema).toEqual(JSON.parse(JSON.stringify(MANIFEST_SCHEMA)));
    expect(integrations).toEqual(
      CONNECTORS.map(({ id, name, description, category, status: state, actions }) => ({
        code: id,
        description,
        id,
        name,
        category,
        status: state,
        actions: actions.map((action) => action.id),
      })),
    );
    const published = {
      categories: CATEGORIES,
      platforms: PLATFORMS,
      step_types: STEP_TYPES,
      operators: OPERATORS,
      operations: OPERATIONS,
      policies: POLICY_PARTS,
      readiness_criteria: READINESS_CRITERIA,
      deploy_checks: DEPLOY_CHECKS,
      lint_rules: LINT_RULES,
      lint_levels: LINT_LEVELS,
      decisions: DEPLOY_DECISIONS,
      run_statuses: RUN_STATUSES,
      run_failures: RUN_FAILURES,
      step_statuses: STEP_STATUSES,
      origins: ORIGINS,
      input_sources: INPUT_SOURCES,
      proofs: PROOFS,
      check_results: CHECK_RESULTS,
      golden_kinds: GOLDEN_KINDS,
    };
    expect(lists).toEqual(
      Object.fromEntries(Object.entries(published).map(([name, { rows }]) => [name, rows])),
    );
  });
});

describe('a server without the sandbox', () => {
  it('says so instead of running, and its readiness shows it', async () => {
    const bare = await startApp({ GW_SANDBOX: 'off' });
    try {
      const customer = await newCustomer(bare, 500);
      expect(outcome(await run(bare, customer, 'contract-review'))).toBe(
        '501 blueprint_sandbox_off',
      );
      const { body } = await rest(bare, 'GET', '/v1/gw/blueprints/contract-review');
      expect(body.readiness).toMatchObject({ score: 70 });
    } finally {
      await bare.stop();
    }
  });
});
