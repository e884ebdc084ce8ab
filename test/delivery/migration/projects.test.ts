import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { newMigration, PROJECTS, read, step } from './steps.js';

let app: TestApp;
let owner: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  other = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

function create(body: Record<string, unknown>) {
  return rest<Record<string, unknown> & ErrorBody>(app, 'POST', PROJECTS, {
    credential: owner.token,
    body,
  });
}

const FULL = {
  migration_key: 'full',
  source_provider: 'openrouter',
  source_base_url: 'https://openrouter.ai/api/v1',
  source_model: 'openai/gpt-4o-mini',
  target_model: 'sandbox/gw-mini',
  use_cases: ['support.reply', 'search'],
  mode: 'parallel',
  requires_approval: true,
};

describe('a migration', () => {
  it('is answered in full by POST, GET and the list alike', async () => {
    const created = await create({ ...FULL, rollback: { key_name: 'OLD_KEY', scope: 'the bot' } });
    const expected = {
      ...FULL,
      id: expect.any(String),
      project_id: owner.projectId,
      status: 'draft',
      aliases: [
        { alias: FULL.source_model, target: FULL.target_model, reason: expect.any(String) },
      ],
      rollback_plan: {
        base_url: FULL.source_base_url,
        model: FULL.source_model,
        key_name: 'OLD_KEY',
        scope: 'the bot',
        provenance: {
          base_url: 'declared',
          model: 'declared',
          key_name: 'declared',
          scope: 'declared',
        },
        fill_in: [],
        steps: expect.any(Array),
      },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(created.status).toBe(200);
    expect(created.body).toEqual(expected);
    const id = String(created.body.id);
    const listed = await rest<{ data: unknown[] }>(app, 'GET', `${PROJECTS}?limit=1`, {
      credential: owner.key,
    });
    expect(listed.body.data).toEqual([created.body]);
    expect(await read(app, owner.token, id)).toEqual({
      ...created.body,
      scan: null,
      migration_receipt: null,
      cutover: null,
      cutover_checklist: expect.any(Array),
      history: [{ event: 'created', details: { status: 'draft' }, created_at: expect.any(String) }],
    });
  });

  it('needs a key alone; the rest has its stated default', async () => {
    const { status, body } = await create({ migration_key: 'least' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source_provider: 'other',
      source_base_url: null,
      source_model: null,
      target_model: 'gw:auto',
      use_cases: [],
      mode: 'direct',
      requires_approval: false,
      project_id: owner.projectId,
      status: 'draft',
      rollback_plan: { base_url: null, key_name: 'OTHER_API_KEY' },
    });
  });

  it('has a key that is unique in the organization, also when two create it at once', async () => {
    const both = await Promise.all([
      create({ migration_key: 'twice' }),
      create({ migration_key: 'twice' }),
    ]);
    expect(both.map(outcome).sort()).toEqual(['200', '409 migration_key_taken']);
    const elsewhere = await rest(app, 'POST', PROJECTS, {
      credential: other.token,
      body: { migration_key: 'twice' },
    });
    expect(elsewhere.status).toBe(200);
  });

  it('has every fault of its creation named at once, with a hint for near names', async () => {
    const refused = await create({
      migration_key: '',
      source_base_url: 'https://user:secret-value@api.example.com',
      target_model: 'gw:aut',
      use_cases: [''],
    });
    expect(outcome(refused)).toBe('400 invalid_request');
    expect(refused.body.error.faults?.map(({ path }) => path)).toEqual([
      'migration_key',
      'use_cases.0',
      'source_base_url',
      'target_model',
    ]);
    expect(refused.body.error.message).toContain('Did you mean gw:auto?');
    expect(JSON.stringify(refused.body)).not.toContain('secret-value');
    const unknown = await create({ migration_key: 'x', source_provider: 'openrooter' });
    expect(outcome(unknown)).toBe('400 invalid_request');
    expect(unknown.body.error.message).toContain('Did you mean openrouter?');
    expect(unknown.body.error.param).toBe('source_provider');
  });

  it('cannot mirror traffic: that mode is on the roadmap', async () => {
    const refused = await create({ migration_key: 'mirror', mode: 'shadow' });
    expect(outcome(refused)).toBe('501 capability_roadmap');
    expect(refused.body.error.param).toBe('mode');
  });

  it('belongs to a project of the organization alone', async () => {
    const foreign = await create({ migration_key: 'foreign', project_id: other.projectId });
    const unknown = await create({ migration_key: 'foreign', project_id: newId('Project') });
    expect(outcome(foreign)).toBe('404 not_found');
    expect(outcome(unknown)).toBe('404 not_found');
  });

  it('is listed by status, newest first', async () => {
    const customer = await newCustomer(app);
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await newMigration(app, customer.token));
    const last = made[2]?.id ?? '';
    await step(app, customer.token, { id: last, path: 'rollback' });
    const ids = async (query: string) => {
      const listed = await rest<{ data: { id: string }[] }>(app, 'GET', PROJECTS + query, {
        credential: customer.token,
      });
      return listed.body.data.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([made[2]?.id, made[1]?.id, made[0]?.id]);
    expect(await ids('?status=rolled_back')).toEqual([last]);
    expect(await ids('?status=draft')).toEqual([made[1]?.id, made[0]?.id]);
  });
});
