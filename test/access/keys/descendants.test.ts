import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
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
import { issue, report } from '../abuse/samples.js';
import { limited, type Made, update } from './limited.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
let stranger: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 10_000);
  stranger = await newCustomer(app, 10_000);
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other?.stop();
  await app?.stop();
});

const make = (by: string, keyType = 'service') => limited(app, by, {}, keyType);

/** Whether each of these works, by both nodes. */
async function working(keys: readonly string[]): Promise<readonly boolean[]> {
  const nodes = [app, other];
  const seen = keys.map(async (credential) => {
    const asked = nodes.map(async (node) => {
      const answer = await rest<ErrorBody>(node, 'POST', '/v1/chat/completions', {
        credential,
        body: ONE_RUBLE,
      });
      return outcome(answer);
    });
    const [here, there] = await Promise.all(asked);
    expect(here).toBe(there);
    expect(['200', '401 api_key_revoked']).toContain(here);
    return here === '200';
  });
  return Promise.all(seen);
}

interface Line {
  readonly maker: Made;
  /** A key of the maker, one of that key, and a token of the last. */
  readonly made: readonly string[];
}

async function newLine(by = customer.token): Promise<Line> {
  const maker = await make(by);
  const child = await make(maker.key);
  const grandchild = await make(child.key, 'standard');
  const { token } = (await issue(app, grandchild.key)).body;
  return { maker, made: [child.key, grandchild.key, token] };
}

function revoke(id: string, query = '', credential = customer.token) {
  return rest<ErrorBody>(app, 'DELETE', `/api-keys/${id}${query}`, { credential });
}

interface Shown {
  readonly count: number;
  readonly tokens: number;
  readonly keys: readonly { readonly id: string; readonly distance: number }[];
}

function shown(id: string, credential = customer.token) {
  const path = `/api-keys/${id}/descendants`;
  return rest<Shown & ErrorBody>(app, 'GET', path, { credential });
}

const ALL = [true, true, true];
const NONE = [false, false, false];

describe('revoking a key', () => {
  it('ends all that it has made, on every node, and nothing else', async () => {
    const leaked = await newLine();
    const beside = await newLine();
    const foreign = await newLine(stranger.token);
    expect(await working(leaked.made)).toEqual(ALL);
    expect(outcome(await revoke(leaked.maker.id, '', stranger.token))).toBe('404 not_found');
    expect(await working(leaked.made)).toEqual(ALL);
    expect(outcome(await revoke(leaked.maker.id))).toBe('200');
    expect(await working([leaked.maker.key, ...leaked.made])).toEqual([false, ...NONE]);
    expect(await working([...beside.made, ...foreign.made])).toEqual([...ALL, ...ALL]);
  });

  it('keeps the keys that it has made where that is said, and never its tokens', async () => {
    const line = await newLine();
    const { token } = (await issue(app, line.maker.key)).body;
    expect(outcome(await revoke(line.maker.id, '?descendants=keep'))).toBe('200');
    expect(await working([line.maker.key, token])).toEqual([false, false]);
    expect(await working(line.made)).toEqual(ALL);
    // Whoever revokes it again means what it has made.
    expect(outcome(await revoke(line.maker.id))).toBe('200');
    expect(await working(line.made)).toEqual(NONE);
    expect(outcome(await revoke(line.maker.id, '?descendants=some'))).toBe('400 invalid_request');
  });

  it('takes null for what is not said', async () => {
    const line = await newLine();
    const document = 'mutation($id: ID!) { apiKeyRevoke(id: $id, descendants: null) { id } }';
    await graphql(app, document, { id: line.maker.id }, customer.token);
    expect(await working(line.made)).toEqual(NONE);
  });

  it('finds what keys that have ended have made', async () => {
    const line = await newLine();
    const end =
      "UPDATE api_key SET revoked_at = now() WHERE created_by = $1 AND key_type = 'service'";
    await app.owner.pool.query(end, [line.maker.id]);
    expect(await working(line.made)).toEqual([false, true, true]);
    expect(outcome(await revoke(line.maker.id))).toBe('200');
    expect(await working(line.made)).toEqual(NONE);
  });

  it('leaves nothing that was made at that moment', async () => {
    const made = await inParallel(8, 4, async () => {
      const maker = await make(customer.token);
      const child = await make(maker.key);
      const body = { keyType: 'service', name: 'a race' };
      const [ended, ...keys] = await Promise.all([
        revoke(maker.id),
        ...Array.from({ length: 5 }, () =>
          rest<{ key?: string }>(app, 'POST', '/api-keys', { credential: child.key, body }),
        ),
      ]);
      expect(outcome(ended)).toBe('200');
      return keys.flatMap((answer) => answer.body.key ?? []);
    });
    const keys = made.flat();
    expect(await working(keys)).toEqual(keys.map(() => false));
  });
});

describe('what a key or a member has made', () => {
  it('is told before it ends, with its distance, and to no other organization', async () => {
    const member = await newMember(app, customer.token, 'admin');
    const { maker } = await newLine(member.token);
    const { body } = await shown(maker.id);
    const [child, grandchild] = body.keys;
    expect(body).toEqual({
      count: 3,
      tokens: 1,
      keys: [
        expect.objectContaining({ created_by: maker.id, key_type: 'service', distance: 1 }),
        expect.objectContaining({ created_by: child?.id, key_type: 'standard', distance: 2 }),
      ],
    });
    const ofMember = (await shown(member.userId)).body;
    expect(ofMember.count).toBe(4);
    expect(ofMember.keys.map(({ id, distance }) => [id, distance])).toEqual([
      [maker.id, 1],
      [child?.id, 2],
      [grandchild?.id, 3],
    ]);
    expect(outcome(await shown(maker.id, stranger.token))).toBe('404 not_found');
    expect(outcome(await shown(member.userId, stranger.token))).toBe('404 not_found');
    await revoke(maker.id);
    expect((await shown(maker.id)).body).toEqual({ count: 0, tokens: 0, keys: [] });
  });
});

describe('an end of a key', () => {
  const endsOf = async ({ maker }: Line) => {
    const { rows } = await app.owner.pool.query<{ ends: Date | null }>(
      `WITH RECURSIVE line AS (SELECT id, 1 AS distance FROM api_key WHERE created_by = $1
       UNION SELECT k.id, distance + 1 FROM line JOIN api_key k ON k.created_by = line.id)
       SELECT expires_at AS ends FROM line JOIN api_key USING (id) ORDER BY distance`,
      [maker.id],
    );
    return rows.map(({ ends }) => ends?.toISOString() ?? null);
  };

  it('is one of all that it has made, and shown before, unless the keys are kept', async () => {
    const [line, kept] = [await newLine(), await newLine()];
    const { token } = (await issue(app, kept.maker.key)).body;
    const end = new Date(Date.now() + 60_000).toISOString();
    const preview = `${line.maker.id}/descendants?ends_at=${end}`;
    const ask = (credential: string) =>
      rest<Shown & ErrorBody>(app, 'GET', `/api-keys/${preview}`, { credential });
    const { count, tokens, keys } = (await ask(customer.token)).body;
    expect([count, tokens, keys.map(({ distance }) => distance)]).toEqual([3, 1, [1, 2]]);
    expect(outcome(await ask(stranger.token))).toBe('404 not_found');
    const shorten = (of: Line, more = {}) =>
      update(app, customer.token, of.maker.id, { expires_at: end, ...more });
    expect(outcome(await shorten(line))).toBe('200');
    expect(outcome(await shorten(kept, { descendants: 'keep' }))).toBe('200');
    expect(await endsOf(line)).toEqual([end, end, end]);
    const [, ...others] = await endsOf(kept);
    expect([others.filter((each) => each === null).length, others.includes(end)]).toEqual([
      1,
      true,
    ]);
    expect((await ask(customer.token)).body).toEqual({ count: 0, tokens: 0, keys: [] });
    expect(await working([...line.made, ...kept.made, token])).toEqual([...ALL, ...ALL, true]);
  });

  it('has to be said where something is said of what it has made', async () => {
    const { maker } = await newLine();
    const answer = await update(app, customer.token, maker.id, { descendants: 'keep' });
    expect(outcome(answer)).toBe('400 invalid_request');
  });

  it('ends former secrets of others that it was given', async () => {
    const { maker } = await newLine();
    const child = await make(maker.key);
    const former = await rotated(child.id, maker.key);
    await rotated(child.id, customer.token);
    const end = new Date(Date.now() + 60_000).toISOString();
    await update(app, customer.token, maker.id, { expires_at: end });
    const { rows } = await app.owner.pool.query<{ ends_at: Date }>(
      'SELECT ends_at FROM key_secret WHERE key_id = $1 ORDER BY made_at',
      [child.id],
    );
    expect(rows.map(({ ends_at }) => ends_at.toISOString())).toEqual([end, end]);
    expect(await working([former])).toEqual([true]);
  });
});

describe('an incident', () => {
  const leak = (id: string, action: string, more = {}) =>
    report(app, customer.token, {
      type: 'key_leak',
      key_ref: id,
      actions_taken: [action],
      ...more,
    });

  it('that revokes a key ends what it has made, unless that is kept', async () => {
    const [ended, kept] = [await newLine(), await newLine()];
    expect((await leak(ended.maker.id, 'revoke')).status).toBe(200);
    expect((await leak(kept.maker.id, 'revoke', { descendants: 'keep' })).status).toBe(200);
    expect(await working(ended.made)).toEqual(NONE);
    expect(await working(kept.made)).toEqual(ALL);
  });

  it('that rotates a key ends what it has made with the grace', async () => {
    const line = await newLine();
    const kept = await newLine();
    const { incident } = (await leak(line.maker.id, 'rotate', { grace_seconds: 60 })).body;
    await leak(kept.maker.id, 'rotate', { grace_seconds: 60, descendants: 'keep' });
    const endsOf = async ({ maker }: Line) => {
      const { rows } = await app.owner.pool.query<{ ends: Date | null }>(
        `WITH RECURSIVE line AS (SELECT id, expires_at FROM api_key WHERE created_by = $1
         UNION SELECT k.id, k.expires_at FROM line JOIN api_key k ON k.created_by = line.id)
         SELECT expires_at AS ends FROM line JOIN api_key USING (id, expires_at)
         WHERE key_type <> 'ephemeral'`,
        [maker.id],
      );
      return rows.map(({ ends }) => ends?.toISOString());
    };
    const end = String(incident.actions[0]?.grace_ends_at);
    expect(await endsOf(line)).toEqual([end, end]);
    expect(await endsOf(kept)).toEqual([]);
    expect(await working([...line.made, ...kept.made])).toEqual([...ALL, ...ALL]);
  });

  it('that neither rotates nor revokes says nothing of what the key has made', async () => {
    const { maker } = await newLine();
    const answer = await leak(maker.id, 'throttle', { descendants: 'keep' });
    expect(outcome(answer)).toBe('400 invalid_request');
  });
});

const REMOVE = `mutation($id: ID!, $descendants: KeyDescendants) {
  memberRemove(id: $id, descendants: $descendants) { id }
}`;

/** Gives a key another secret. @returns its value */
async function rotated(id: string, credential: string): Promise<string> {
  const path = `/api-keys/${id}/rotate`;
  const answer = await rest<{ key: string }>(app, 'POST', path, { credential, body: {} });
  expect(answer.status).toBe(200);
  return answer.body.key;
}

describe('removing a member', () => {
  it('ends all that the member has made or rotated, unless that is kept', async () => {
    for (const descendants of [undefined, 'keep']) {
      const member = await newMember(app, customer.token, 'admin');
      const line = await newLine(member.token);
      const standard = await make(member.token, 'standard');
      const beside = await newLine();
      const variables = { id: member.userId, descendants };
      await graphql(app, REMOVE, variables, customer.token);
      const isKept = descendants === 'keep';
      expect(await working([line.maker.key, ...line.made])).toEqual(Array(4).fill(isKept));
      expect(await working([standard.key, ...beside.made])).toEqual([false, ...ALL]);
    }
  });

  it('ends a key of the organization that rotated itself by a secret of the member', async () => {
    const member = await newMember(app, customer.token, 'admin');
    const service = await make(customer.token);
    const given = await rotated(service.id, member.token);
    const own = await rotated(service.id, given);
    const made = await make(own);
    const { body } = await shown(member.userId);
    expect(body.keys.map(({ id, distance }) => [id, distance])).toEqual([
      [service.id, 1],
      [made.id, 2],
    ]);
    await graphql(app, REMOVE, { id: member.userId }, customer.token);
    expect(await working([given, own, made.key])).toEqual(NONE);
  });
});

describe('a secret of a removed member that another one has followed', () => {
  it('ends with all that was made in its time, unless that is kept; the key stays', async () => {
    for (const descendants of [undefined, 'keep']) {
      const member = await newMember(app, customer.token, 'admin');
      const service = await make(customer.token);
      const before = await make(service.key);
      const former = await rotated(service.id, member.token);
      const child = await make(former);
      const grandchild = await make(child.key, 'standard');
      const sibling = await make(service.key);
      const taken = await rotated(sibling.id, former);
      const present = await rotated(service.id, customer.token);
      await rotated(child.id, customer.token);
      await graphql(app, REMOVE, { id: member.userId, descendants }, customer.token);
      const isKept = descendants === 'keep';
      expect(await working([former, child.key, grandchild.key, taken])).toEqual(
        Array(4).fill(isKept),
      );
      expect(await working([service.key, present, before.key])).toEqual(ALL);
    }
  });
});
