import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newMember } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, LIVE_EMBEDDINGS, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { historyOf, makeReady, newMigration, read, readyMigration, step } from './steps.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

type Body = Record<string, unknown>;

const CONFIG = [
  'from openai import OpenAI',
  'client = OpenAI(base_url="https://api.openai.com/v1", api_key=os.environ["OPENAI_API_KEY"])',
  'client.chat.completions.create(model="gpt-4o", messages=messages)',
  'client.embeddings.create(model="text-embedding-3-small", input=texts)',
].join('\n');

async function proposals(): Promise<Body[]> {
  const body = { kind: 'python', content: CONFIG };
  const path = '/v1/gw/migration/import-config';
  const imported = await rest<{ proposed_aliases: Body[] }>(app, 'POST', path, { body });
  return imported.body.proposed_aliases;
}

const ACKNOWLEDGED = {
  acknowledgements: [
    { code: 'quality_unknown', reason: 'judged by hand' },
    { code: 'evidence_short', reason: 'the pilot was small' },
  ],
};

function cutOver({ token }: Customer, id: string) {
  return step<Body>(app, token, { id, path: 'cutover', body: ACKNOWLEDGED });
}

function rollBack({ token }: Customer, id: string) {
  return step<Body>(app, token, { id, path: 'rollback' });
}

function publish({ token: credential }: Customer, body: Body) {
  return rest<Body>(app, 'POST', '/v1/gw/model-aliases', { credential, body });
}

/** A customer with a migration that may be cut over. */
async function ready(body: Body): Promise<{ customer: Customer; id: string }> {
  const customer = await newCustomer(app, 500);
  const { id } = await readyMigration(app, customer, body);
  const live = async () => {
    const { cutover_checklist: items } = await read(app, customer.token, id);
    return (items as { code: string; done: boolean }[]).find(({ code }) => code === 'live_traffic');
  };
  await expect.poll(live).toMatchObject({ done: true });
  return { customer, id };
}

/** The code of a client that came here: its base address and key are all that changed. */
function clientOf({ key }: Customer) {
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const model = 'gpt-4o';
  const messages = [{ role: 'user' as const, content: 'Здравствуйте' }];
  return {
    whole: () => client.chat.completions.create({ model, messages }),
    streamed: async () => {
      const stream = await client.chat.completions.create({ model, messages, stream: true });
      let text = '';
      for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? '';
      return text;
    },
    embedded: () => client.embeddings.create({ model: 'text-embedding-3-small', input: 'Договор' }),
  };
}

const NOT_FOUND = { status: 404, code: 'model_not_found' };

describe('a client that changes its base address and key alone', () => {
  it('is told what to do before the cut-over, works after it, not after a rollback', async () => {
    const aliases = await proposals();
    expect(aliases).toEqual([
      { alias: 'gpt-4o', target: 'gw:auto', reason: expect.stringContaining('chooses a model') },
      {
        alias: 'text-embedding-3-small',
        target: expect.any(String),
        reason: expect.stringContaining('embeddings'),
      },
    ]);
    const { customer, id } = await ready({ aliases });
    const client = clientOf(customer);
    for (const ask of [client.whole, client.streamed, client.embedded]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    await expect(client.whole()).rejects.toThrow(/gw:auto.*POST \/v1\/gw\/model-aliases/);
    const done = await cutOver(customer, id);
    expect(done.body).toMatchObject({
      decision: 'cut_over',
      aliases: aliases.map(({ alias, target }) => ({ alias, target, version: 1, created: true })),
      project: { status: 'cut_over' },
    });
    const whole = await client.whole();
    expect(whole).toMatchObject({
      model: LIVE,
      gw_routing: { requested_model: 'gpt-4o', alias: { target: 'gw:auto', version: 1 } },
    });
    expect(await client.streamed()).toBe(whole.choices[0]?.message.content);
    expect((await client.embedded()).data).toHaveLength(1);
    await expect(clientOf(await newCustomer(app, 10)).whole()).rejects.toMatchObject(NOT_FOUND);
    await rollBack(customer, id);
    for (const ask of [client.whole, client.streamed, client.embedded]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    const { history } = await read(app, customer.token, id);
    expect((history as { details: Body }[])[0]?.details).toEqual({
      from: 'cut_over',
      aliases_removed: ['gpt-4o', 'text-embedding-3-small'],
    });
  });

  it('has its aliases in the sealed receipt, read over GraphQL too', async () => {
    const aliases = [{ alias: 'gpt-4o', target: 'gw:auto' }];
    const { customer, id } = await ready({ aliases });
    await cutOver(customer, id);
    const { data } = await graphql<{ providerMigration: Body }>(
      app,
      `query($id: ID!) { providerMigration(id: $id) {
        aliases { alias target reason }
        cutover { aliases { alias version created } receiptId } } }`,
      { id },
      customer.token,
    );
    expect(data.providerMigration).toMatchObject({
      aliases: [{ ...aliases[0], reason: 'As it was stated.' }],
      cutover: { aliases: [{ alias: 'gpt-4o', version: 1, created: true }] },
    });
    const { receiptId } = data.providerMigration.cutover as { receiptId: string };
    const { rows } = await app.owner.pool.query(
      `SELECT content::jsonb -> 'aliases' AS aliases FROM sealed_receipt WHERE id = $1`,
      [receiptId],
    );
    expect(rows).toEqual([
      { aliases: [{ alias: 'gpt-4o', target: 'gw:auto', version: 1, created: true }] },
    ]);
  });
});

describe('the aliases of a migration', () => {
  it('are by default that of the source model, and none where the caller wants none', async () => {
    const { token } = await newCustomer(app);
    const proposed = await newMigration(app, token, { source_model: 'gpt-4o' });
    expect(proposed.aliases).toEqual([
      { alias: 'gpt-4o', target: 'gw:auto', reason: expect.any(String) },
    ]);
    const none = await newMigration(app, token, { source_model: 'gpt-4o', aliases: [] });
    expect(none.aliases).toEqual([]);
    const served = await newMigration(app, token, { source_model: LIVE });
    expect(served.aliases).toEqual([]);
  });

  it('that are there already are not created again, and a rollback leaves them', async () => {
    const { customer, id } = await ready({ aliases: [{ alias: 'gpt-4o', target: 'gw:auto' }] });
    await publish(customer, { alias: 'gpt-4o', target: 'gw:auto' });
    const { body } = await cutOver(customer, id);
    expect(body.aliases).toEqual([
      { alias: 'gpt-4o', target: 'gw:auto', version: 1, created: false },
    ]);
    await rollBack(customer, id);
    expect((await clientOf(customer).whole()).model).toBe(LIVE);
  });

  it('that stand for something else block the cut-over by their names', async () => {
    const { customer, id } = await ready({
      aliases: [
        { alias: 'gpt-4o', target: 'gw:auto' },
        { alias: 'gpt-4', target: 'gw:auto' },
      ],
    });
    await publish(customer, { alias: 'gpt-4o', target: LIVE });
    const { body } = await cutOver(customer, id);
    expect(body).toMatchObject({ decision: 'blocked', reason: 'open items: aliases', aliases: [] });
    expect(body.checklist).toContainEqual(
      expect.objectContaining({
        code: 'aliases',
        done: false,
        evidence: `gpt-4o stands for ${LIVE}`,
        closed_by: 'POST /v1/gw/model-aliases',
      }),
    );
    await publish(customer, { alias: 'gpt-4o', active: false });
    expect((await cutOver(customer, id)).body).toMatchObject({
      decision: 'cut_over',
      aliases: [{ version: 3 }, { version: 1 }],
    });
  });

  it('that somebody changed after the cut-over stay as they are at a rollback', async () => {
    const { customer, id } = await ready({ aliases: [{ alias: 'gpt-4o', target: 'gw:auto' }] });
    await cutOver(customer, id);
    await publish(customer, { alias: 'gpt-4o', target: LIVE });
    await rollBack(customer, id);
    const { history } = await read(app, customer.token, id);
    expect((history as { details: Body }[])[0]?.details).toMatchObject({ aliases_removed: [] });
    expect((await clientOf(customer).whole()).model).toBe(LIVE);
  });

  it('are shown to whoever approves the cut-over, and created when it is approved', async () => {
    const aliases = [{ alias: 'gpt-4o', target: 'gw:auto' }];
    const { customer, id } = await ready({ aliases, requires_approval: true });
    const asked = await cutOver(customer, id);
    expect(asked.body).toMatchObject({ decision: 'pending_approval', aliases: [] });
    await expect(clientOf(customer).whole()).rejects.toMatchObject(NOT_FOUND);
    const { token } = await newMember(app, customer.token, 'security');
    const decided = await graphql<{ approvalDecide: { shown: Body } }>(
      app,
      `mutation($id: ID!) { approvalDecide(id: $id, decision: approve, reason: "fine") { shown } }`,
      { id: asked.body.approval_id },
      token,
    );
    expect(decided.errors).toBeUndefined();
    expect(decided.data.approvalDecide.shown).toMatchObject({ aliases });
    await expect.poll(() => historyOf(app, customer.token, id)).toContain('cut_over');
    expect((await clientOf(customer).whole()).model).toBe(LIVE);
    expect((await read(app, customer.token, id)).cutover).toMatchObject({
      aliases: [{ ...aliases[0], version: 1, created: true }],
    });
  });

  it('are refused with every fault named', async () => {
    const { token } = await newCustomer(app);
    const refused = await rest<ErrorBody>(app, 'POST', '/v1/gw/migration/projects', {
      credential: token,
      body: {
        migration_key: 'faulty',
        aliases: [
          { alias: 'gw:mine', target: 'gw:auto' },
          { alias: 'a', target: 'no/such' },
          { alias: 'a', target: LIVE_EMBEDDINGS },
          { alias: LIVE, target: LIVE },
        ],
      },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.error.faults?.map(({ path }) => path)).toEqual([
      'aliases.0.alias',
      'aliases.2.alias',
      'aliases.3.target',
      'aliases.1.target',
    ]);
  });

  it('of two cut-overs at once are created once', async () => {
    const customer = await newCustomer(app, 500);
    const aliases = [{ alias: 'gpt-4o', target: 'gw:auto' }];
    const { id: first } = await readyMigration(app, customer, { aliases });
    const { id: second } = await newMigration(app, customer.token, { aliases });
    await makeReady(app, customer.token, second);
    const items = async () => JSON.stringify((await cutOver(customer, first)).body.decision);
    await expect.poll(items).toBe('"cut_over"');
    const later = await Promise.all([cutOver(customer, second), cutOver(customer, second)]);
    const made = later.filter(({ body }) => body.decision === 'cut_over');
    expect(made).toHaveLength(1);
    expect(made[0]?.body.aliases).toEqual([
      { alias: 'gpt-4o', target: 'gw:auto', version: 1, created: false },
    ]);
  });
});
