import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { historyOf, makeReady, newMigration, read, step } from './steps.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

describe('a compatibility scan', () => {
  const body = { used_capabilities: ['chat', 'vision', 'audio'] };

  it('is a lookup: the same question has the same score and known gaps', async () => {
    const { id } = await newMigration(app, owner.token);
    const first = await step(app, owner.token, { id, path: 'compatibility-scan', body });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      used_capabilities: ['chat', 'vision', 'audio'],
      score: 30,
      formula: expect.stringContaining('max(0, 100'),
      known_gaps: [
        expect.objectContaining({ code: 'only_simulated', capability: 'chat', severity: 'minor' }),
        expect.objectContaining({ code: 'openai_other_interfaces', capability: 'chat' }),
        expect.objectContaining({ code: 'only_simulated', capability: 'vision' }),
        expect.objectContaining({ code: 'no_model', capability: 'audio', severity: 'blocking' }),
        {
          code: 'no_audio_endpoints',
          capability: 'audio',
          gap: 'There are no endpoints for transcription and speech.',
          severity: 'major',
          workaround: expect.any(String),
        },
      ],
      scanned_at: expect.any(String),
      project: { id, migration_key: expect.any(String), status: 'scanned' },
    });
    const again = await step(app, owner.token, { id, path: 'compatibility-scan', body });
    expect({ ...again.body, scanned_at: null }).toEqual({ ...first.body, scanned_at: null });
    const { scan } = await read(app, owner.token, id);
    const { project: _project, ...kept } = again.body;
    expect(scan).toEqual(kept);
  });

  it('reads the policy: what it does not allow counts as missing', async () => {
    const customer = await newCustomer(app);
    const allowed = { allowed_models: ['sandbox/gw-mini'] };
    await rest(app, 'POST', '/v1/gw/policies', { credential: customer.token, body: allowed });
    const { id } = await newMigration(app, customer.token);
    const { body: scan } = await step<{ known_gaps: { code: string }[] }>(app, customer.token, {
      id,
      path: 'compatibility-scan',
      body: { used_capabilities: ['vision'] },
    });
    expect(scan.known_gaps.map(({ code }) => code)).toEqual(['no_model']);
  });

  it.each([
    [
      { used_capabilities: ['chat', 'tool_call'] },
      'used_capabilities.1',
      'Did you mean tool_calls',
    ],
    [{ used_capabilities: [] }, 'used_capabilities', 'from 1 to 10'],
    [{ used_capabilities: ['chat', 'chat'] }, 'used_capabilities', 'each once'],
    [{}, 'used_capabilities', ''],
  ])('of %j is refused by name', async (wrong, param, message) => {
    const { id } = await newMigration(app, owner.token);
    const refused = await step<ErrorBody>(app, owner.token, {
      id,
      path: 'compatibility-scan',
      body: wrong,
    });
    expect(outcome(refused)).toBe('400 invalid_request');
    expect(refused.body.error.param).toBe(param);
    expect(refused.body.error.message).toContain(message);
  });
});

describe('a rollback', () => {
  it('is possible from any status and always answers a plan', async () => {
    const { id } = await newMigration(app, owner.token);
    const roll = () => step(app, owner.token, { id, path: 'rollback' });
    const expected = {
      id,
      migration_key: expect.any(String),
      status: 'rolled_back',
      rollback_plan: {
        base_url: 'https://api.openai.com/v1',
        model: null,
        key_name: 'OPENAI_API_KEY',
        scope: 'all clients of the migration',
        provenance: {
          base_url: 'default',
          model: 'unknown',
          key_name: 'default',
          scope: 'default',
        },
        fill_in: ['model: the model name that your clients sent'],
        steps: expect.arrayContaining([expect.stringContaining('https://api.openai.com/v1')]),
      },
    };
    expect((await roll()).body).toEqual(expected);
    expect((await roll()).body).toEqual(expected);
    await makeReady(app, owner.token, id);
    expect((await read(app, owner.token, id)).status).toBe('compared');
    expect((await roll()).body).toEqual(expected);
    expect(await historyOf(app, owner.token, id)).toEqual([
      'created',
      'rolled_back',
      'rolled_back',
      'scanned',
      'compared',
      'rolled_back',
    ]);
  });
});

describe('the reference', () => {
  it('is public and publishes what decides', async () => {
    const { status, body } = await rest<Record<string, { code: string }[]>>(
      app,
      'GET',
      '/v1/gw/migration/reference',
    );
    expect(status).toBe(200);
    const codes = (name: string) => body[name]?.map(({ code }) => code);
    expect(codes('capabilities')).toEqual([
      'chat',
      'streaming',
      'json',
      'json_schema',
      'tool_calls',
      'embeddings',
      'vision',
      'audio',
      'batch',
      'long_context',
    ]);
    expect(codes('statuses')).toEqual([
      'draft',
      'scanned',
      'compared',
      'ready',
      'cut_over',
      'rolled_back',
    ]);
    expect(body.modes).toContainEqual(
      expect.objectContaining({ code: 'shadow', status: 'roadmap' }),
    );
    expect(codes('source_providers')).toContain('openai');
    expect(body.transitions).toContainEqual({
      code: 'ready.cut_over',
      description: 'What is ready becomes cut_over by cut_over.',
      from: 'ready',
      event: 'cut_over',
      to: 'cut_over',
    });
    expect(codes('checklist')).toEqual(
      expect.arrayContaining(['scoped_keys', 'data_route', 'monitoring']),
    );
    expect(codes('comparison_rules')?.at(-1)).toBe('otherwise');
    expect(codes('cutover_rules')?.[0]).toBe('hold');
    expect(body.known_gaps?.length).toBeGreaterThan(10);
    expect(body.score_formula).toContain('max(0, 100');
    expect(body.thresholds).toMatchObject({ evaluation_items_min: 20, score_min: 60 });
  });
});
