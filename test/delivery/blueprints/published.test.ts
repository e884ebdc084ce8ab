import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLUEPRINTS } from '../../../src/delivery/blueprints/catalogue.js';
import { MANIFEST_SCHEMA } from '../../../src/delivery/blueprints/manifest-schema.js';
import { BLUEPRINT_REFERENCES } from '../../../src/delivery/blueprints/references.js';
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
    expect(all.body.data.map(({ id }) => id)).toEqual(BLUEPRINTS.map(({ id }) => id));
    expect(new Set(all.body.data.map(({ readiness }) => readiness.score))).toEqual(new Set([80]));
    const some = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/blueprints?category=support');
    expect(some.body.data).toMatchObject([
      { id: 'support-ticket-reply', category: 'support', step_count: 5 },
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
    const manifest = BLUEPRINTS.find(({ id }) => id === 'contract-review');
    expect(status).toBe(200);
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
    expect(integrations?.length).toBeGreaterThan(3);
    const published = {
      categories: BLUEPRINT_REFERENCES.categories,
      platforms: BLUEPRINT_REFERENCES.platforms,
      step_types: BLUEPRINT_REFERENCES.stepTypes,
      operators: BLUEPRINT_REFERENCES.operators,
      operations: BLUEPRINT_REFERENCES.operations,
      policies: BLUEPRINT_REFERENCES.policies,
      readiness_criteria: BLUEPRINT_REFERENCES.readinessCriteria,
      deploy_checks: BLUEPRINT_REFERENCES.deployChecks,
      lint_rules: BLUEPRINT_REFERENCES.lintRules,
      decisions: BLUEPRINT_REFERENCES.decisions,
      run_statuses: BLUEPRINT_REFERENCES.runStatuses,
      step_statuses: BLUEPRINT_REFERENCES.stepStatuses,
    };
    expect(lists).toEqual(
      Object.fromEntries(
        Object.entries(published).map(([name, { entries }]) => [
          name,
          JSON.parse(JSON.stringify(entries)),
        ]),
      ),
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
