import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { belongingsOf, callsOf } from './samples.js';
import { run, type WireRun } from './wire.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

describe('bad input of a run', () => {
  it('names every fault at once, with the field that was meant', async () => {
    const { status, body } = await run(app, owner, 'support-ticket-triage', {
      input: { subjekt: 'Касса', body: 7, queues: [] },
      metadata: { feature: 'mine', number: 5 },
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.faults?.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      'input.body wrong_type',
      'input.queues out_of_range',
      'input.subject missing',
      'input.subjekt unknown_value',
      'metadata.feature invalid',
      'metadata.number wrong_type',
    ]);
    expect(body.error.message).toContain('Did you mean subject?');
  });

  it.each([
    ['a list', [1]],
    ['a text', 'x'],
    ['too much', { subject: 'x', body: 'y'.repeat(300_000), queues: ['z'] }],
  ])('%s is refused and nothing is charged', async (_name, input) => {
    expect(outcome(await run(app, owner, 'support-ticket-triage', { input }))).toBe(
      '400 invalid_request',
    );
  });

  it('an unknown blueprint is 404, with the one that was meant', async () => {
    const { status, body } = await run(app, owner, 'support-ticket-replay');
    expect([status, body.error.code, body.error.param]).toEqual([404, 'blueprint_unknown', 'id']);
    expect(body.error.message).toContain('support-ticket-reply');
  });
});

describe('runs of an organization', () => {
  it('are listed newest first, of one blueprint where that is asked for', async () => {
    const customer = await newCustomer(app, 500);
    const made: string[] = [];
    for (const id of ['support-ticket-triage', 'crm-call-summary', 'support-ticket-triage']) {
      made.push((await run(app, customer, id)).body.id);
    }
    const list = async (query: string) => {
      const { body } = await rest<{ data: WireRun[]; has_more: boolean; next_cursor: string }>(
        app,
        'GET',
        `/v1/gw/blueprints/runs${query}`,
        { credential: customer.token },
      );
      return body;
    };
    const [first, second, third] = made;
    expect((await list('')).data.map(({ id }) => id)).toEqual([third, second, first]);
    const filtered = await list('?blueprint_id=support-ticket-triage');
    expect(filtered.data.map(({ id }) => id)).toEqual([third, first]);
    const page = await list('?limit=2');
    const rest2 = await list(`?limit=2&cursor=${page.next_cursor}`);
    expect([...page.data, ...rest2.data].map(({ id }) => id)).toEqual([third, second, first]);
  });

  it('of another organization are not there', async () => {
    const { body } = await run(app, owner, 'support-ticket-triage');
    const other = await newCustomer(app, 500);
    const unknown = body.id.replace(/.{4}$/, '0000');
    const read = (id: string) =>
      rest<{ error: { message: string; code: string } }>(
        app,
        'GET',
        `/v1/gw/blueprints/runs/${id}`,
        {
          credential: other.token,
        },
      );
    const [foreign, missing] = [await read(body.id), await read(unknown)];
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(foreign.body.error.message.replace(body.id, '')).toBe(
      missing.body.error.message.replace(unknown, ''),
    );
    const list = await rest<{ data: object[] }>(app, 'GET', '/v1/gw/blueprints/runs', {
      credential: other.token,
    });
    expect(list.body.data).toEqual([]);
  });

  it('need the right: viewers read, agents and viewers do not run', async () => {
    const viewer = await newMember(app, owner.token, 'viewer');
    const agent = await newKey(app, owner.token, 'agent');
    const standard = await newKey(app, owner.token, 'standard');
    const asked = async (token: string) =>
      outcome(await run(app, { token }, 'support-ticket-triage'));
    expect(await asked(viewer.token)).toBe('403 permission_denied');
    expect(await asked(agent.key)).toBe('403 permission_denied');
    expect(await asked(standard.key)).toBe('200');
    const read = await rest(app, 'GET', '/v1/gw/blueprints/runs', { credential: viewer.token });
    expect(read.status).toBe(200);
  });
});

describe('each change', () => {
  it('leaves exactly one audit event, by whoever asked', async () => {
    const customer = await newCustomer(app, 500);
    for (const [action, call] of Object.entries(callsOf(app))) {
      await call(customer);
      const { data } = await graphql<{ auditEvents: { nodes: object[] } }>(
        app,
        `query($action: String) {
          auditEvents(filter: { action: { eq: $action } }) { nodes { actorId } }
        }`,
        { action },
        customer.token,
      );
      expect([action, data.auditEvents.nodes]).toEqual([action, [{ actorId: customer.userId }]]);
    }
  });

  it('makes a thing that node finds for its organization alone', async () => {
    const [customer, other] = [await newCustomer(app, 500), await newCustomer(app)];
    for (const [type, id] of Object.entries(await belongingsOf(app, customer))) {
      const read = ({ token }: Customer) =>
        graphql(app, 'query($id: ID!) { node(id: $id) { __typename id } }', { id }, token);
      expect((await read(customer)).data).toEqual({ node: { __typename: type, id } });
      expect((await read(other)).errors?.[0]?.extensions.code).toBe('not_found');
    }
  });
});
