import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALIASES_MAX } from '../../../src/routing/aliases/fields.js';
import { customerUnder, type ErrorBody } from '../../journeys/people.js';
import { freshPromptKey, writePrompt } from '../../prompts/use/prompts.js';
import { type Customer, graphql, newCustomer, rest, startApp } from '../../support/app.js';
import { LIVE, LIVE_EMBEDDINGS, type LiveApp, startLiveApp } from '../../support/live-app.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

type Body = Record<string, unknown>;

function publish<T = Body>(body: Body, who: Customer = customer) {
  return rest<T>(app, 'POST', '/v1/gw/model-aliases', { credential: who.token, body });
}

const HELLO = [{ role: 'user' as const, content: 'Здравствуйте' }];

interface Chat extends ErrorBody {
  readonly model: string;
  readonly gw_routing: Body;
}

function chat(model: string, who: Customer = customer, url = app.url) {
  const body = { model, messages: HELLO };
  return rest<Chat>({ url }, 'POST', '/v1/chat/completions', { credential: who.key, body });
}

const clientOf = ({ key }: Customer) =>
  new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });

describe('a client that keeps the model name of its code', () => {
  it('is told before what it can do, and answered from the alias on', async () => {
    const before = await chat('gpt-4o');
    expect(before.status).toBe(404);
    expect(before.body.error).toMatchObject({
      code: 'model_not_found',
      message: expect.stringContaining('gw:auto'),
    });
    expect(before.body.error.message).toContain('POST /v1/gw/model-aliases');
    const made = await publish({ alias: 'gpt-4o', target: 'gw:auto' });
    expect(made).toMatchObject({
      status: 200,
      body: { alias: 'gpt-4o', target: 'gw:auto', active: true, version: 1, shadows_model: false },
    });
    const { body } = await chat('gpt-4o');
    expect(body.model).toBe(LIVE);
    expect(body.gw_routing).toMatchObject({
      requested_model: 'gpt-4o',
      alias: { target: 'gw:auto', version: 1 },
      model: LIVE,
      strategy: 'automatic',
    });
  });

  it('works with the official library: whole, as a stream and for embeddings', async () => {
    await publish({ alias: 'text-embedding-3-small', target: LIVE_EMBEDDINGS });
    const client = clientOf(customer);
    const whole = await client.chat.completions.create({ model: 'gpt-4o', messages: HELLO });
    expect(whole.model).toBe(LIVE);
    const stream = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: HELLO,
      stream: true,
    });
    let last: unknown;
    for await (const chunk of stream) last = chunk;
    const alias = { target: 'gw:auto', version: 1 };
    expect(last).toMatchObject({ gw_routing: { requested_model: 'gpt-4o', alias } });
    const vectors = await client.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'Договор',
    });
    expect(vectors.data[0]?.embedding.length).toBeGreaterThan(0);
    expect(vectors).toMatchObject({
      model: LIVE_EMBEDDINGS,
      gw_routing: { alias: { target: LIVE_EMBEDDINGS, version: 1 } },
    });
  });

  it('is answered over GraphQL by the same alias, typed and with its usage', async () => {
    const { data } = await graphql<{ chatComplete: Body }>(
      app,
      `mutation($input: ChatInput!) { chatComplete(input: $input) {
        model gwRouting { requestedModel alias { target version } requestId } } }`,
      { input: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Привет' }] } },
      customer.key,
    );
    expect(data.chatComplete).toEqual({
      model: LIVE,
      gwRouting: {
        requestedModel: 'gpt-4o',
        alias: { target: 'gw:auto', version: 1 },
        requestId: expect.any(String),
      },
    });
    const { rows } = await app.owner.pool.query(
      `SELECT requested_model, model, metadata FROM usage_event WHERE tenant_id = $1
       AND operation = 'chat' ORDER BY txid DESC, seq DESC LIMIT 1`,
      [customer.tenantId],
    );
    expect(rows).toEqual([
      {
        requested_model: 'gpt-4o',
        model: LIVE,
        metadata: {
          gw_alias: { target: 'gw:auto', version: 1 },
          gw_fingerprint: expect.stringMatching(/^[\w-]{16}$/),
          gw_routing: expect.objectContaining({ model: LIVE, verdict: 'ROUTED' }),
        },
      },
    ]);
  });

  it('of another organization is not answered by it, and does not see it', async () => {
    expect((await chat('gpt-4o', other)).status).toBe(404);
    const listed = await rest<{ data: Body[] }>(app, 'GET', '/v1/gw/model-aliases', {
      credential: other.token,
    });
    expect(listed.body.data).toEqual([]);
    const client = clientOf(other);
    await expect(client.models.retrieve('gpt-4o')).rejects.toMatchObject({ status: 404 });
  });

  it('is told the alias that a misspelt name may have meant', async () => {
    const { body } = await chat('gpt-4');
    expect(body.error.message).toContain('Did you mean gpt-4o');
    expect((await chat('gpt-4', other)).body.error.message).not.toContain('gpt-4o');
  });
});

describe('a policy', () => {
  it('judges the model that an alias stands for, not its name', async () => {
    const limited = await customerUnder(app, { allowed_models: [LIVE] });
    await publish({ alias: 'mine', target: LIVE }, limited);
    await publish({ alias: 'cheap', target: 'sandbox/gw-mini' }, limited);
    expect((await chat('mine', limited)).status).toBe(200);
    const refused = await chat('cheap', limited);
    expect(refused.body.error).toMatchObject({ code: 'model_not_allowed' });
    const ids = (await clientOf(limited).models.list()).data.map(({ id }) => id);
    expect(ids).toContain('mine');
    expect(ids).not.toContain('cheap');
  });

  it('tried on past traffic judges what the alias stood for', async () => {
    const limited = await customerUnder(app, { hybrid: 'rf_only' });
    await publish({ alias: 'past', target: LIVE }, limited);
    expect((await chat('past', limited)).status).toBe(200);
    const body = { dry_run: true, name: 'narrow', allowed_models: [LIVE] };
    const tried = await rest(app, 'POST', '/v1/gw/policies', { credential: limited.token, body });
    expect(JSON.stringify(tried.body)).toContain('"requests":1,"blocked":0');
  });
});

describe('a prompt', () => {
  it('asks the model of an alias for its schema as it asks the model itself', async () => {
    await publish({ alias: 'with-schema', target: LIVE });
    const outputSchema = { type: 'object', properties: {}, additionalProperties: true };
    const key = freshPromptKey();
    const version = { template: '[user]\nОтветь.', outputSchema, status: 'production' as const };
    await writePrompt(app, customer, key, version);
    for (const model of [LIVE, 'with-schema']) {
      await rest(app, 'POST', '/v1/chat/completions', {
        credential: customer.key,
        body: { model, messages: [], gw_prompt: { key } },
      });
      const sent = JSON.parse(app.double.received('live').at(-1)?.body ?? '{}') as Body;
      expect(sent.response_format).toMatchObject({ type: 'json_schema' });
    }
  });
});

describe('the list of models', () => {
  it('has the aliases in force in the form that clients expect', async () => {
    const client = clientOf(customer);
    const listed = (await client.models.list()).data.find(({ id }) => id === 'gpt-4o');
    expect(listed).toMatchObject({
      id: 'gpt-4o',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'organization',
      kind: 'alias',
      alias_of: 'gw:auto',
    });
    expect(await client.models.retrieve('gpt-4o')).toEqual(listed);
    const { data } = await graphql<{ models: Body[]; model: Body }>(
      app,
      '{ models { id aliasOf } model(id: "gpt-4o") { id kind ownedBy } }',
      {},
      customer.key,
    );
    expect(data.models).toContainEqual({ id: 'gpt-4o', aliasOf: 'gw:auto' });
    expect(data.model).toEqual({ id: 'gpt-4o', kind: 'alias', ownedBy: 'organization' });
  });
});

describe('an alias of a model that is served', () => {
  it('is refused unless it says so, and then stands for it', async () => {
    const refused = await publish<ErrorBody>({ alias: LIVE, target: 'sandbox/gw-mini' });
    expect(refused.status).toBe(400);
    expect(refused.body.error.faults?.map(({ path }) => path)).toEqual(['alias']);
    const body = { alias: LIVE, target: 'sandbox/gw-mini', shadows_model: true };
    expect((await publish(body)).status).toBe(200);
    expect((await chat(LIVE)).body).toMatchObject({ model: 'sandbox/gw-mini' });
    expect((await chat(LIVE, other)).body).toMatchObject({ model: LIVE });
    const ids = (await clientOf(customer).models.list()).data.map(({ id }) => id);
    expect(ids.filter((id) => id === LIVE)).toHaveLength(1);
    expect((await publish({ alias: LIVE, active: false })).body).toMatchObject({
      active: false,
      target: 'sandbox/gw-mini',
    });
    expect((await chat(LIVE)).body).toMatchObject({ model: LIVE });
  });
});

describe('a version of an alias', () => {
  it('holds from the next request on, on every node; a removal is a version', async () => {
    const second = await startApp(app.environment);
    try {
      const answered = async (url: string) => (await chat('moving', customer, url)).body;
      await publish({ alias: 'moving', target: LIVE });
      expect(await answered(app.url)).toMatchObject({ model: LIVE });
      await expect.poll(() => answered(second.url)).toMatchObject({ model: LIVE });
      await publish({ alias: 'moving', target: 'sandbox/gw-mini' });
      expect(await answered(app.url)).toMatchObject({ model: 'sandbox/gw-mini' });
      await expect.poll(() => answered(second.url)).toMatchObject({ model: 'sandbox/gw-mini' });
      await publish({ alias: 'moving', active: false });
      expect((await chat('moving')).status).toBe(404);
      await expect
        .poll(() => chat('moving', customer, second.url).then(({ status }) => status))
        .toBe(404);
    } finally {
      await second.stop();
    }
    const { body } = await rest<{ data: Body[] }>(app, 'GET', '/v1/gw/model-aliases?alias=moving', {
      credential: customer.token,
    });
    expect(body.data.map(({ version, active, target }) => [version, active, target])).toEqual([
      [3, false, 'sandbox/gw-mini'],
      [2, true, 'sandbox/gw-mini'],
      [1, true, LIVE],
    ]);
  });

  it.each([
    ['a target that is no model', { alias: 'a', target: 'no/such' }, ['target']],
    ['a route policy that is not there', { alias: 'a', target: 'gw:route/none' }, ['target']],
    ['another alias as target', { alias: 'a', target: 'gpt-4o' }, ['target']],
    ['no target', { alias: 'a' }, ['target']],
    ['both at once', { alias: 'gw:a', target: 'no/such' }, ['alias', 'target']],
    ['a name that is too long', { alias: 'a'.repeat(129), target: 'gw:auto' }, ['alias']],
  ])('is refused with every fault named: %s', async (_, body, paths) => {
    const refused = await publish<ErrorBody>(body);
    expect(refused.status).toBe(400);
    expect(refused.body.error.faults?.map(({ path }) => path)).toEqual(paths);
  });

  it('of one name more than an organization may have is refused', async () => {
    const crowded = await newCustomer(app);
    await publish({ alias: 'first', target: 'gw:auto' }, crowded);
    await app.owner.pool.query(
      `INSERT INTO contract_version (id, tenant_id, kind, contract_key, version, body, created_by)
       SELECT gen_random_uuid(), tenant_id, kind, 'planted-' || n, 1, body, created_by
       FROM contract_version, generate_series(1, $2::int) n
       WHERE tenant_id = $1 AND kind = 'model_alias'`,
      [crowded.tenantId, ALIASES_MAX - 1],
    );
    const refused = await publish<ErrorBody>({ alias: 'more', target: 'gw:auto' }, crowded);
    expect(refused.status).toBe(400);
    expect(refused.body.error.faults).toMatchObject([{ path: 'alias', code: 'out_of_range' }]);
    const again = await publish({ alias: 'first', target: LIVE }, crowded);
    expect(again).toMatchObject({ status: 200, body: { version: 2 } });
  });

  it('that removes what is no alias is not found, as one of another organization', async () => {
    await publish({ alias: 'foreign', target: 'gw:auto' }, other);
    for (const alias of ['never', 'foreign']) {
      expect(await publish({ alias, active: false })).toMatchObject({ status: 404 });
    }
    expect((await chat('foreign', other)).status).toBe(200);
  });
});
