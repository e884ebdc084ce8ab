import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPublished } from '../../assurance/certification/world.js';
import { outcome } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import { type Customer, graphql, newCustomer, rest, type TestApp } from '../../support/app.js';
import { codesOf, logIn, me, type Nodes, openFeed, refresh, startNodes } from './nodes.js';

let nodes: Nodes;
let app: TestApp;
let second: TestApp;
let operator: Customer;
beforeAll(async () => {
  nodes = await startNodes();
  ({ first: app, second } = nodes);
  operator = await newCustomer(app);
  for (const { server } of [app, second]) {
    (server.services.config.platformAdmins as Set<string>).add(operator.userId);
  }
});
afterAll(() => nodes?.stop());

const ROTATE = `mutation($compromised: Boolean) {
  signingKeyRotate(compromised: $compromised) { kid verifying }
}`;

interface Rotated {
  readonly kid: string;
  readonly verifying: readonly string[];
}

/** Rotates on the first node, and waits until both sign by the new key. */
async function rotate(compromised = false): Promise<Rotated> {
  const { token } = operator;
  const { data } = await graphql<{ signingKeyRotate: Rotated }>(
    app,
    ROTATE,
    { compromised },
    token,
  );
  const { kid } = data.signingKeyRotate;
  for (const node of [app, second]) {
    await expect.poll(() => firstKid(node), { timeout: 20_000 }).toBe(kid);
  }
  return data.signingKeyRotate;
}

async function jwks(node: TestApp): Promise<JSONWebKeySet> {
  return (await rest<JSONWebKeySet>(node, 'GET', '/.well-known/jwks.json')).body;
}

async function firstKid(node: TestApp): Promise<string | undefined> {
  return (await jwks(node)).keys[0]?.kid;
}

function kidOf(token: string): string | undefined {
  return decodeProtectedHeader(token).kid;
}

/** Logs the operator in anew, so that what is asked next is signed by the key of now. */
async function signIn(): Promise<void> {
  const { body } = await logIn(app, operator.email);
  operator = { ...operator, token: body.accessToken, refreshToken: body.refreshToken };
}

/** Lets time pass since a key was rotated, on every node. */
async function age(kid: string, interval: string): Promise<void> {
  await app.owner.pool.query(
    'UPDATE signing_key SET rotated_at = rotated_at - $2::interval WHERE kid = $1',
    [kid, interval],
  );
  for (const { server } of [app, second]) await server.services.tokens.reload();
}

describe('a rotation of the signing keys', () => {
  it('signs by a new key on every node, and takes what the old one has signed', async () => {
    const customer = await newCustomer(second);
    const old = kidOf(customer.token) ?? '';
    const { kid, verifying } = await rotate();
    expect(verifying).toContain(old);
    expect(kid).not.toBe(old);
    for (const node of [app, second]) {
      expect(outcome(await me(node, customer.token))).toBe('200');
      expect((await jwks(node)).keys.map((key) => key.kid)).toEqual([kid, ...verifying]);
      const { body } = await logIn(node, customer.email);
      expect(kidOf(body.accessToken)).toBe(kid);
      const both = [me(app, body.accessToken), me(second, body.accessToken)];
      expect((await Promise.all(both)).map(outcome)).toEqual(['200', '200']);
    }
  });

  it('is known to a node that has not heard of it by the first token of the key', async () => {
    const { token } = operator;
    const { data } = await graphql<{ signingKeyRotate: Rotated }>(app, ROTATE, {}, token);
    const { kid } = data.signingKeyRotate;
    // Whatever the node of the next login signs by, the other one takes it.
    const logins = await Promise.all([app, second].map((node) => logIn(node, operator.email)));
    for (const { body } of logins) {
      const asked = [me(app, body.accessToken), me(second, body.accessToken)];
      expect((await Promise.all(asked)).map(outcome)).toEqual(['200', '200']);
    }
    await expect.poll(() => firstKid(second), { timeout: 20_000 }).toBe(kid);
  });

  it('leaves the statement of a badge verifiable offline by the published keys', async () => {
    const customer = await newCustomer(app);
    const { badgeId } = await newPublished(app, customer);
    const statementOf = async (node: TestApp) => {
      const path = `/v1/gw/certification/verify/${badgeId}`;
      const { body } = await rest<{ statement: string }>(node, 'GET', path);
      return body.statement;
    };
    const before = await statementOf(app);
    const { kid } = await rotate();
    const after = await statementOf(second);
    expect([kidOf(before) === kid, kidOf(after)]).toEqual([false, kid]);
    for (const node of [app, second]) {
      const published = createLocalJWKSet(await jwks(node));
      for (const statement of [before, after]) {
        const { payload } = await jwtVerify(statement, published, {
          algorithms: ['EdDSA'],
          issuer: 'gw',
          audience: 'gw-badge',
        });
        expect(payload.sub).toBe(badgeId);
      }
    }
  });

  it('keeps an old key for as long as anything that it has signed can last', async () => {
    await signIn();
    const old = kidOf(operator.token) ?? '';
    const { token } = operator;
    await rotate();
    await age(old, '19 minutes');
    expect(outcome(await me(second, token))).toBe('200');
    // What a thief of the old key signs now is refused, whatever end it claims.
    await age(old, '2 minutes');
    expect(outcome(await me(second, token))).toBe('401 invalid_token');
    const published = async () => (await jwks(second)).keys.map((key) => key.kid);
    expect(await published()).toContain(old);
    await age(old, '30 days');
    expect(await published()).not.toContain(old);
    await signIn();
  });

  it('after a theft refuses and ends all that earlier keys have signed', async () => {
    await signIn();
    const customer = await newCustomer(app);
    const socket = await openSocket(second, customer.token);
    const feed = await openFeed(second, customer.token);
    const { data } = await graphql<{ signingKeyRotate: Rotated }>(
      app,
      ROTATE,
      { compromised: true },
      operator.token,
    );
    const { kid, verifying } = data.signingKeyRotate;
    expect(verifying).toEqual([]);
    // At once, also where the notification is still under way.
    expect(outcome(await me(second, customer.token))).toBe('401 invalid_token');
    expect(outcome(await me(app, customer.token))).toBe('401 invalid_token');
    expect(await socket.closed).toBe(4403);
    await feed.ended;
    for (const node of [app, second]) {
      const kids = async () => (await jwks(node)).keys.map((key) => key.kid);
      await expect.poll(kids, { timeout: 20_000 }).toEqual([kid]);
    }
    const { status, body } = await refresh(second, customer.refreshToken);
    expect(status).toBe(200);
    expect(outcome(await me(app, body.accessToken))).toBe('200');
    await signIn();
  });

  it('that two ask for at once leaves one key that signs', async () => {
    const answers = await Promise.all(
      [app, second].map((node) => codesOf(node, operator.token, ROTATE)),
    );
    expect(answers).toEqual([undefined, undefined]);
    const { rows } = await app.owner.pool.query(
      'SELECT count(*)::int AS count FROM signing_key WHERE rotated_at IS NULL',
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('is for administrators of the platform alone, and stands in the audit trail', async () => {
    const customer = await newCustomer(app);
    const before = await firstKid(app);
    expect(await codesOf(app, customer.token, ROTATE)).toEqual(['platform_admin_required']);
    expect(await codesOf(app, customer.key, ROTATE)).toEqual(['platform_admin_required']);
    expect(await codesOf(app, undefined, ROTATE)).toEqual(['missing_credential']);
    expect(await firstKid(app)).toBe(before);
    const where = { tenantId: operator.tenantId, action: 'signingKeyRotate' };
    const events = await app.owner.prisma.auditEvent.findMany({ where });
    expect(events.length).toBeGreaterThan(0);
    expect(new Set(events.map(({ actorId }) => actorId))).toEqual(new Set([operator.userId]));
  });
});
