import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newKey, newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { Asking, type Detail, standing, type Version } from './asking.js';
import { freshKey, newPrompt, VERSION } from './samples.js';

let app: TestApp;
let customer: Customer;
let stranger: Customer;
let owner: Asking;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  stranger = await newCustomer(app);
  owner = new Asking(app, customer.token);
});
afterAll(() => app?.stop());

/** The first version as it is told, but for what differs between packages. */
const FIRST_VERSION = {
  id: expect.any(String),
  version: 1,
  status: 'draft',
  superseded_by: null,
  current: true,
  receipt_id: null,
  template: VERSION.template,
  variables: [
    {
      name: 'language',
      type: 'string',
      required: true,
      description: null,
      default: 'Russian',
      trusted: true,
    },
    {
      name: 'letter',
      type: 'string',
      required: true,
      description: null,
      default: null,
      trusted: false,
    },
  ],
  output_schema: VERSION.output_schema,
  data_class_min: null,
  model_variants: [
    {
      name: 'sandbox/gw-mini',
      model: 'sandbox/gw-mini',
      temperature: null,
      max_tokens: 400,
      weight: 1,
    },
  ],
  erased: false,
  sample_variables: VERSION.sample_variables,
  sample_outputs: VERSION.sample_outputs,
  context_pack: null,
  content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  created_at: expect.any(String),
};

describe('a prompt package', () => {
  it('needs only its key, and is a draft without a version', async () => {
    const key = freshKey();
    const { status, body } = await owner.post('', { prompt_key: key });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      prompt_key: key,
      owner_team: null,
      use_case: null,
      context_policy: null,
      status: 'draft',
      current_version: null,
      created_by: customer.userId,
      created_at: expect.any(String),
      versions: [],
      lifecycle: { next: [], history: [] },
    });
  });

  it('is told in full with its first version: versions, status, lifecycle', async () => {
    const id = await newPrompt(app, customer.token, {
      ...VERSION,
      owner_team: 'support',
      use_case: 'letters',
    });
    const { body } = await rest(app, 'GET', `/v1/gw/prompts/${id}`, { credential: customer.token });
    expect(body).toEqual({
      id,
      prompt_key: expect.any(String),
      owner_team: 'support',
      use_case: 'letters',
      context_policy: null,
      status: 'draft',
      current_version: 1,
      created_by: customer.userId,
      created_at: expect.any(String),
      versions: [{ ...FIRST_VERSION, prompt_id: id, created_by: customer.userId }],
      lifecycle: {
        next: [{ action: 'promote', version: 1, to: 'review', gate_required: false }],
        history: [
          {
            id: expect.any(String),
            event: 'version_created',
            version: 1,
            from: null,
            to: 'draft',
            current_version: 1,
            receipt_id: null,
            reason: null,
            actor_id: customer.userId,
            created_at: expect.any(String),
          },
        ],
      },
    });
  });

  it('tells the least class of a version, and that two versions differ in it', async () => {
    const id = await newPrompt(app, customer.token, { ...VERSION, data_class_min: 'C3' });
    const credential = customer.token;
    const first = await rest<Detail>(app, 'GET', `/v1/gw/prompts/${id}`, { credential });
    expect(first.body.versions).toMatchObject([{ version: 1, data_class_min: 'C3' }]);
    const next = await owner.post(`/${id}/versions`, VERSION);
    expect(next).toMatchObject({ status: 200, body: { version: 2, data_class_min: null } });
    const diff = await rest(app, 'GET', `/v1/gw/prompts/${id}/diff`, { credential });
    expect(diff.body).toMatchObject({
      data_class_min: { changed: true, before: 'C3', after: null },
    });
  });

  it('has a key of its own in the organization, which another one may have too', async () => {
    const prompt_key = freshKey();
    expect(outcome(await owner.post('', { prompt_key }))).toBe('200');
    const taken = await owner.post('', { prompt_key });
    expect(taken.status).toBe(409);
    expect(taken.body.error).toMatchObject({ code: 'prompt_key_taken', param: 'prompt_key' });
    expect(outcome(await owner.post('', { prompt_key }, stranger.token))).toBe('200');
  });

  it('names a context policy of the own organization, by id or by name', async () => {
    const made = await rest(app, 'POST', '/v1/gw/context-policies', {
      credential: customer.token,
      body: { name: 'letters only' },
    });
    const foreign = await rest(app, 'POST', '/v1/gw/context-policies', {
      credential: stranger.token,
      body: { name: 'theirs' },
    });
    for (const context_policy of [made.body.id, 'letters only']) {
      const { body } = await owner.post('', { prompt_key: freshKey(), context_policy });
      expect(body).toMatchObject({ context_policy: made.body.id });
    }
    const unknown = '01977c2a-5b1e-7016-8000-3f2b9c4d5e6f';
    const answers = [foreign.body.id, unknown].map(async (context_policy) => {
      const answer = await owner.post('', { prompt_key: freshKey(), context_policy });
      return [answer.status, answer.body.error.message.replace(String(context_policy), '<id>')];
    });
    const missing = [404, 'No context policy with id <id>.'];
    expect(await Promise.all(answers)).toEqual([missing, missing]);
  });

  it('is refused with every fault named as the caller wrote it', async () => {
    const { status, body } = await owner.post('', {
      prompt_key: ' a b',
      owner_team: '',
      template: 'Hello {{ name',
      variables: [{ name: '1st' }],
      output_schema: [],
      model_variants: [{ model: 'm', weight: 0 }],
      sample_outputs: {},
    });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path }) => path)).toEqual([
      'owner_team',
      'prompt_key',
      'template',
      'variables.0.name',
      'output_schema',
      'model_variants.0.weight',
      'sample_outputs',
    ]);
    expect(body.error.message).toContain('template, line 1:');
  });
});

describe('versions', () => {
  it('are 1, 2, 3 without a gap, also where many are written at once', async () => {
    const id = await newPrompt(app, customer.token, {});
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => owner.post(`/${id}/versions`, VERSION)),
    );
    const numbers = answers.map(({ body }) => (body as unknown as Version).version);
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    const { body } = await rest<{ data: Version[] }>(app, 'GET', `/v1/gw/prompts/${id}/versions`, {
      credential: customer.token,
    });
    expect(body.data.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect(body.data.map(({ current }) => current).indexOf(true)).toBe(0);
  });

  it('have the hash of their content: equal content, equal hash', async () => {
    const id = await newPrompt(app, customer.token);
    const hashes = await Promise.all(
      [VERSION, { ...VERSION, template: `${VERSION.template}!` }].map(async (body) => {
        const answer = await owner.post(`/${id}/versions`, body);
        return (answer.body as unknown as { content_hash: string }).content_hash;
      }),
    );
    const { body } = await rest<{ data: { version: number; content_hash: string }[] }>(
      app,
      'GET',
      `/v1/gw/prompts/${id}/versions`,
      { credential: customer.token },
    );
    const first = body.data.find(({ version }) => version === 1)?.content_hash;
    expect(hashes[0]).toBe(first);
    expect(hashes[1]).not.toBe(first);
  });

  it('cannot be changed or deleted: the database refuses', async () => {
    const id = await newPrompt(app, customer.token);
    const { pool } = app.owner;
    const where = 'WHERE prompt_id = $1';
    await expect(pool.query(`DELETE FROM prompt_version ${where}`, [id])).rejects.toThrow();
    await expect(
      pool.query(`UPDATE prompt_version SET template = 'x' ${where}`, [id]),
    ).rejects.toThrow();
  });

  it('become current, unless the current one is in production, which goes on serving', async () => {
    const id = await newPrompt(app, customer.token);
    await owner.post(`/${id}/versions`, VERSION);
    expect(standing(await owner.promoteTo(id, 2, 'production'))).toEqual([
      '2 production*',
      '1 draft',
    ]);
    await owner.post(`/${id}/versions`, VERSION);
    const { body } = await rest<Detail>(app, 'GET', `/v1/gw/prompts/${id}`, {
      credential: customer.token,
    });
    expect(standing(body)).toEqual(['3 draft', '2 production*', '1 draft']);
    expect(body.status).toBe('production');
  });
});

describe('rights', () => {
  it('a foreign package behaves exactly as an unknown one', async () => {
    const id = await newPrompt(app, stranger.token);
    const unknown = `${id.slice(0, -6)}ffffff`;
    const asked: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/versions'],
      ['POST', '/versions', VERSION],
      ['GET', '/diff'],
      ['POST', '/promote', {}],
      ['POST', '/rollback', {}],
      ['POST', '/test', {}],
      ['GET', '/receipts'],
    ];
    for (const [method, path, body] of asked) {
      const [foreign, none] = await Promise.all(
        [id, unknown].map(async (each) => {
          const answer = await rest<ErrorBody>(app, method, `/v1/gw/prompts/${each}${path}`, {
            credential: customer.token,
            body,
          });
          const { code, message, param } = answer.body.error;
          return { status: answer.status, code, param, message: message.replace(each, '<id>') };
        }),
      );
      expect({ path, ...foreign }).toEqual({ path, ...none });
      expect(foreign).toMatchObject({ status: 404, message: 'No prompt with id <id>.' });
    }
    const listed = '/v1/gw/prompts?limit=200';
    const credential = customer.token;
    const { body } = await rest<{ data: { id: string }[] }>(app, 'GET', listed, { credential });
    expect(body.data.map((each) => each.id)).not.toContain(id);
  });

  it('viewers read and write nothing, agent keys neither', async () => {
    const id = await newPrompt(app, customer.token);
    const viewer = await newMember(app, customer.token, 'viewer');
    const agent = await newKey(app, customer.token, 'agent');
    const read = (credential: string) => rest(app, 'GET', `/v1/gw/prompts/${id}`, { credential });
    expect(outcome(await read(viewer.token))).toBe('200');
    expect(outcome(await read(agent.key))).toBe('403 permission_denied');
    for (const path of ['versions', 'promote', 'rollback', 'test']) {
      const body = path === 'versions' ? VERSION : {};
      const answer = await owner.post(`/${id}/${path}`, body, viewer.token);
      expect(`${path} ${outcome(answer)}`).toBe(`${path} 403 permission_denied`);
    }
  });
});

describe('the registry', () => {
  it('is filtered by status, team and use case, newest first', async () => {
    const { token } = await newCustomer(app);
    const one = await newPrompt(app, token, { owner_team: 'a', use_case: 'x' });
    const two = await newPrompt(app, token, { ...VERSION, owner_team: 'b', use_case: 'x' });
    await owner.post(`/${two}/promote`, {}, token);
    const list = async (query: string) => {
      const path = `/v1/gw/prompts${query}`;
      const { body } = await rest<{ data: { id: string }[] }>(app, 'GET', path, {
        credential: token,
      });
      return body.data.map(({ id }) => id);
    };
    expect(await list('')).toEqual([two, one]);
    expect(await list('?status=review')).toEqual([two]);
    expect(await list('?owner_team=a')).toEqual([one]);
    expect(await list('?use_case=x&limit=1')).toEqual([two]);
  });

  it('publishes states, transitions, gate checks and data classes to anybody', async () => {
    const { status, body } = await rest<Record<string, { code?: string; from?: string }[]>>(
      app,
      'GET',
      '/v1/gw/prompts/reference',
    );
    expect(status).toBe(200);
    expect(body.states?.map(({ code }) => code)).toEqual([
      'draft',
      'review',
      'staging',
      'production',
      'deprecated',
    ]);
    const step = (from: string, event: string, to: string, gate_required: boolean) => {
      const description = `${event}: from ${from} to ${to}.`;
      return { code: `${from}_${event}`, description, from, event, to, gate_required };
    };
    expect(body.transitions).toEqual([
      step('draft', 'promote', 'review', false),
      step('review', 'promote', 'staging', true),
      step('staging', 'promote', 'production', true),
      step('production', 'promote', 'deprecated', false),
      step('production', 'supersede', 'deprecated', false),
      step('production', 'roll_back', 'staging', false),
      step('deprecated', 'restore', 'production', false),
    ]);
    expect(body.gate_checks).toHaveLength(18);
    expect(body.data_classes?.map(({ code }) => code)).toEqual(['C0', 'C1', 'C2', 'C3', 'C4']);
  });
});
