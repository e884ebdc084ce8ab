import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { findOutliving } from '../../../src/access/keys/outliving.js';
import { encodeCursor, FEED_START } from '../../../src/records/feed.rules.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { report } from '../abuse/samples.js';
import { limited, type Made, update } from './limited.js';

let app: BudgetApp;
let second: TestApp;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  second = await startApp({ ...app.environment, GW_NODE_ID: 'second' });
  stranger = await newCustomer(app);
  await newLine(stranger);
});
afterAll(async () => {
  await second?.stop();
  await app?.stop();
});

const make = (by: string, keyType = 'service') => limited(app, by, {}, keyType);

interface Line {
  readonly maker: Made;
  readonly child: Made;
  readonly grandchild: Made;
}

async function newLine({ token }: Pick<Customer, 'token'>): Promise<Line> {
  const maker = await make(token);
  const child = await make(maker.key);
  return { maker, child, grandchild: await make(child.key, 'standard') };
}

function revoke({ token }: Customer, { id }: Made, query = '') {
  return rest<ErrorBody>(app, 'DELETE', `/api-keys/${id}${query}`, { credential: token });
}

interface Node {
  readonly id: string;
  readonly status: string;
  readonly made_by: string;
  readonly made_by_kind: string;
  readonly distance: number;
  readonly descendants: number;
  readonly outlives_id: string | null;
  readonly outlives_because: string | null;
}

function treeOf({ token }: Customer, query = '', at: TestApp = app) {
  const path = `/api-keys/tree${query}`;
  return rest<{ count: number; keys: Node[] } & ErrorBody>(at, 'GET', path, { credential: token });
}

/** The tree without the key that tests make at the registration. */
async function shown(whose: Customer, of: readonly Made[], query = '') {
  const { body } = await treeOf(whose, query, second);
  const ids = of.map(({ id }) => id);
  return body.keys
    .filter(({ id }) => ids.includes(id))
    .map((node) => [
      ids.indexOf(node.id),
      node.status,
      node.made_by_kind,
      node.distance,
      node.descendants,
      node.outlives_id && ids.indexOf(node.outlives_id),
    ]);
}

interface Told {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

async function told({ tenantId }: Customer): Promise<readonly Told[]> {
  const { rows } = await app.owner.pool.query<Told>(
    `SELECT type, payload FROM feed_event WHERE tenant_id = $1 AND feed = 'anomalies'
     ORDER BY seq`,
    [tenantId],
  );
  return rows;
}

const storyOf = async (whose: Customer) =>
  (await told(whose)).map(({ type, payload }) => [type, payload.key_id ?? payload.keyId]);

describe('the tree of keys', () => {
  it('shows each key behind its maker, with revoked makers of keys that work', async () => {
    const customer = await newCustomer(app);
    const line = await newLine(customer);
    const of = [line.maker, line.child, line.grandchild];
    expect(await shown(customer, of)).toEqual([
      [0, 'active', 'member', 1, 2, null],
      [1, 'active', 'key', 2, 1, null],
      [2, 'active', 'key', 3, 0, null],
    ]);
    await revoke(customer, line.child, '?descendants=keep');
    expect(await shown(customer, of)).toEqual([
      [0, 'active', 'member', 1, 1, null],
      [1, 'revoked', 'key', 2, 1, null],
      [2, 'active', 'key', 3, 0, 1],
    ]);
    await revoke(customer, line.maker);
    expect(await shown(customer, of)).toEqual([]);
  });

  it('shows the line of one key, and nothing of another organization', async () => {
    const customer = await newCustomer(app);
    const [line, beside] = [await newLine(customer), await newLine(customer)];
    const sibling = await make(line.maker.key);
    const of = [line.maker, line.child, line.grandchild, sibling, ...Object.values(beside)];
    const ofChild = await shown(customer, of, `?key_id=${line.child.id}`);
    expect(ofChild.map(([place]) => place)).toEqual([0, 1, 2]);
    const { body } = await treeOf(customer, `?key_id=${line.child.id}`);
    expect(body.count).toBe(3);
    const foreign = await treeOf(stranger, `?key_id=${line.child.id}`);
    const unknown = await treeOf(stranger, `?key_id=${customer.tenantId}`);
    expect([foreign, unknown].map(outcome)).toEqual(['404 not_found', '404 not_found']);
    const theirs = (await treeOf(stranger)).body.keys.map(({ id }) => id);
    expect(theirs.filter((id) => of.some((key) => key.id === id))).toEqual([]);
  });
});

describe('a key that outlives a revoked one', () => {
  it('is told of once when it is kept, at any distance, and once more when it ends', async () => {
    const customer = await newCustomer(app);
    const { maker, child, grandchild } = await newLine(customer);
    await revoke(customer, maker, '?descendants=keep');
    const kept = [
      ['key_outlives_maker', child.id],
      ['key_outlives_maker', grandchild.id],
    ];
    expect(await storyOf(customer)).toEqual(kept);
    expect((await told(customer))[1]?.payload).toEqual({
      key_id: grandchild.id,
      key_type: 'standard',
      created_by: child.id,
      revoked_key_id: maker.id,
      revoked_at: expect.any(String),
      because: 'revoked',
    });
    await revoke(customer, maker, '?descendants=keep');
    await Promise.all([app, second].map(({ server }) => findOutliving(server.services)));
    expect(await storyOf(customer)).toEqual(kept);
    await revoke(customer, child);
    expect((await storyOf(customer)).slice(2)).toEqual([
      ['key_outliving_ended', child.id],
      ['key_outliving_ended', grandchild.id],
    ]);
    expect(await storyOf(stranger)).toEqual([]);
  });

  it('is none where a revocation ends all that the key has made', async () => {
    const customer = await newCustomer(app);
    const { maker } = await newLine(customer);
    await revoke(customer, maker);
    await findOutliving(app.server.services);
    expect(await storyOf(customer)).toEqual([]);
  });

  it('is found where it was kept before, was made since, or has expired', async () => {
    const customer = await newCustomer(app);
    const { maker, child, grandchild } = await newLine(customer);
    const { pool } = app.owner;
    await pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [maker.id]);
    await Promise.all([app, second].map(({ server }) => findOutliving(server.services)));
    const before = [child.id, grandchild.id].map((id) => ['key_outlives_maker', id]);
    expect(await storyOf(customer)).toEqual(before);
    const late = await make(child.key);
    await findOutliving(second.server.services);
    await pool.query("UPDATE api_key SET expires_at = now() - interval '1 h' WHERE id = $1", [
      late.id,
    ]);
    await findOutliving(app.server.services);
    expect((await storyOf(customer)).slice(2)).toEqual([
      ['key_outlives_maker', late.id],
      ['key_outliving_ended', late.id],
    ]);
  });

  it('is told of by an incident and by the removal of a member that keep it', async () => {
    const customer = await newCustomer(app);
    const line = await newLine(customer);
    await report(app, customer.token, {
      type: 'key_leak',
      key_ref: line.maker.id,
      actions_taken: ['revoke'],
      descendants: 'keep',
    });
    const member = await newMember(app, customer.token, 'admin');
    const standard = await make(member.token, 'standard');
    const made = await make(member.token);
    const remove = `mutation($id: ID!) { memberRemove(id: $id, descendants: keep) { id } }`;
    await graphql(app, remove, { id: member.userId }, customer.token);
    expect(await storyOf(customer)).toEqual([
      ['key_outlives_maker', line.child.id],
      ['key_outlives_maker', line.grandchild.id],
    ]);
    // A key that a member made outlives nobody's key.
    const { body } = await treeOf(customer);
    expect(body.keys.find(({ id }) => id === made.id)?.outlives_id).toBeNull();
    expect(body.keys.some(({ id }) => id === standard.id)).toBe(false);
  });

  it('is listed with how the other one ended, by an incident at once', async () => {
    const customer = await newCustomer(app);
    const [rotated, ended] = [await newLine(customer), await newLine(customer)];
    const listed = async () => {
      const { keys } = (await treeOf(customer)).body;
      const of = [rotated, ended].flatMap(({ child, grandchild }) => [child.id, grandchild.id]);
      return of.map((id) => {
        const { outlives_id, outlives_because } = keys.find((key) => key.id === id) ?? {};
        return [outlives_id, outlives_because];
      });
    };
    await report(app, customer.token, {
      type: 'key_leak',
      key_ref: rotated.maker.id,
      actions_taken: ['rotate'],
      grace_seconds: 3_600,
      descendants: 'keep',
    });
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const kept = { expires_at: soon, descendants: 'keep' };
    expect((await update(app, customer.token, ended.maker.id, kept)).status).toBe(200);
    const byIncident = [rotated.maker.id, 'rotated'];
    const none = [null, null];
    expect(await listed()).toEqual([byIncident, byIncident, none, none]);
    await findOutliving(app.server.services);
    expect(await storyOf(customer)).toEqual([]);
    await app.owner.pool.query(
      "UPDATE api_key SET expires_at = now() - interval '1 s' WHERE id = ANY ($1)",
      [[rotated.maker.id, ended.maker.id]],
    );
    const byEnd = [ended.maker.id, 'expired'];
    expect(await listed()).toEqual([byIncident, byIncident, byEnd, byEnd]);
    await Promise.all([app, second].map(({ server }) => findOutliving(server.services)));
    const causes = (await told(customer)).map(({ payload }) => [
      payload.key_id,
      payload.revoked_key_id,
      payload.because,
    ]);
    expect(causes.toSorted()).toEqual(
      [
        [rotated.child.id, ...byIncident],
        [rotated.grandchild.id, ...byIncident],
        [ended.child.id, ...byEnd],
        [ended.grandchild.id, ...byEnd],
      ].toSorted(),
    );
  });

  it('is an event of the subscription and a type of webhooks', async () => {
    const customer = await newCustomer(app);
    const { maker, child } = await newLine(customer);
    const client = createClient({
      url: `${second.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${customer.token}` },
    });
    await revoke(customer, maker, '?descendants=keep');
    const query = `subscription($after: String) { anomalyEvents(after: $after) { type subjectId
      payload { ... on KeyOutlivingPayload { keyId revokedKeyId } } } }`;
    const variables = { after: encodeCursor(FEED_START) };
    for await (const { data } of client.iterate({ query, variables })) {
      expect(data).toEqual({
        anomalyEvents: {
          type: 'key_outlives_maker',
          subjectId: child.id,
          payload: { keyId: child.id, revokedKeyId: maker.id },
        },
      });
      break;
    }
    await client.dispose();
    const document = '{ webhooksReference { eventTypes { code } } }';
    const { data } = await graphql<{
      webhooksReference: { eventTypes: readonly { readonly code: string }[] };
    }>(app, document, {}, customer.token);
    const codes = data.webhooksReference.eventTypes.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['key.outlives_maker', 'key.outliving_ended']));
  });
});
