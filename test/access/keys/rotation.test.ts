import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_BOUNDS } from '../../../src/access/keys/vocabulary.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { issue, report } from '../abuse/samples.js';
import { type Body, limited as limitedKey } from './limited.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 10_000);
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other?.stop();
  await app?.stop();
});

const limited = (limits: Body = {}, keyType = 'service', by = customer.token) =>
  limitedKey(app, by, limits, keyType);

interface Rotated {
  readonly key: string;
  readonly former_ends_at: string;
  readonly details: { readonly secrets: readonly Body[] };
}

function rotate(id: string, body?: Body, credential = customer.token) {
  const path = `/api-keys/${id}/rotate`;
  return rest<Rotated & ErrorBody>(app, 'POST', path, { credential, body: body ?? {} });
}

const ask = (credential: string, at: Pick<TestApp, 'url'> = app): Promise<Answer<ErrorBody>> =>
  rest(at, 'POST', '/v1/chat/completions', { credential, body: ONE_RUBLE });
const stream = async (credential: string, at: Pick<TestApp, 'url'> = app) =>
  (await rawChat(at.url, { credential, body: { ...ONE_RUBLE, stream: true } })).status;

async function secretsOf(id: string): Promise<readonly Body[]> {
  const { body } = await rest<{ data: (Body & { secrets: Body[] })[] }>(app, 'GET', '/api-keys', {
    credential: customer.token,
  });
  return body.data.find((each) => each.id === id)?.secrets ?? [];
}

describe('a key that is rotated', () => {
  it('works with both values until the grace is over, as one key with one bill', async () => {
    const { id, key } = await limited({ budgets: { total_rub: 3 } });
    const before = Date.now();
    const { status, body } = await rotate(id);
    expect(status).toBe(200);
    const graceMs = Date.parse(body.former_ends_at) - before;
    expect(graceMs / 1_000).toBeGreaterThan(KEY_BOUNDS.graceSecondsDefault - 60);
    expect(graceMs / 1_000).toBeLessThan(KEY_BOUNDS.graceSecondsDefault + 60);
    expect([outcome(await ask(key)), outcome(await ask(body.key, other))]).toEqual(['200', '200']);
    expect(await stream(key, other)).toBe(200);
    for (const each of [key, body.key]) {
      expect(outcome(await ask(each))).toBe('402 budget_exhausted');
    }
    const usage = await rest<{ data: Body[] }>(app, 'GET', '/usage', { credential: key });
    const own = usage.body.data.filter((each) => each.key_id === id && each.status === 'complete');
    expect(own).toHaveLength(3);
  });

  it('shows which values work, by their ends alone, and when each was used last', async () => {
    const { id, key } = await limited();
    await ask(key);
    const { body } = await rotate(id, { grace_seconds: 600 });
    await app.server.services.keySightings.write();
    const shown = (value: string, more: Body) => ({
      prefix: value.slice(0, 10),
      last_four: value.slice(-4),
      made_by: customer.userId,
      made_at: expect.any(String),
      ...more,
    });
    const present = { is_current: true, ends_at: null, last_used_at: null };
    const former = {
      is_current: false,
      ends_at: body.former_ends_at,
      last_used_at: expect.any(String),
    };
    expect(await secretsOf(id)).toEqual([shown(body.key, present), shown(key, former)]);
    const usedAt = (await secretsOf(id))[1]?.last_used_at;
    await ask(body.key, other);
    await other.server.services.keySightings.write();
    const [fresh, old] = await secretsOf(id);
    expect([fresh?.last_used_at, old?.last_used_at]).toEqual([expect.any(String), usedAt]);
    const { rows } = await app.owner.pool.query('SELECT row_to_json(s)::text FROM key_secret s');
    expect(JSON.stringify(rows)).not.toContain(key.slice(10, -4));
  });

  it('with no grace refuses the value before at once, on every node', async () => {
    const { id, key } = await limited();
    expect([outcome(await ask(key)), outcome(await ask(key, other))]).toEqual(['200', '200']);
    const { token } = (await issue(app, key)).body;
    const { body } = await rotate(id, { grace_seconds: 0 });
    expect([outcome(await ask(key, other)), await stream(key), await stream(key, other)]).toEqual([
      '401 api_key_revoked',
      401,
      401,
    ]);
    const listed = await rest(other, 'GET', '/usage', { credential: key });
    expect(outcome(listed)).toBe('401 api_key_revoked');
    expect([outcome(await ask(body.key, other)), outcome(await ask(token, other))]).toEqual([
      '200',
      '200',
    ]);
    expect((await secretsOf(id)).map((each) => each.is_current)).toEqual([true]);
  });

  it('ends its former values before their grace is over, and with the key', async () => {
    const { id, key } = await limited();
    const second = (await rotate(id)).body.key;
    const third = (await rotate(id)).body.key;
    const end = () =>
      rest(app, 'DELETE', `/api-keys/${id}/former-secrets`, { credential: customer.token });
    expect(outcome(await ask(key))).toBe('200');
    expect((await end()).status).toBe(200);
    for (const each of [key, second]) {
      expect(outcome(await ask(each, other))).toBe('401 api_key_revoked');
    }
    const fourth = (await rotate(id)).body.key;
    await rest(app, 'DELETE', `/api-keys/${id}`, { credential: customer.token });
    for (const each of [third, fourth]) {
      expect(outcome(await ask(each, other))).toBe('401 api_key_revoked');
    }
    expect(outcome(await rotate(id))).toBe('409 key_ended');
  });

  it('has no more values at once than there may be, also where many rotate it', async () => {
    const { id } = await limited();
    const seen = await inParallel(8, 8, async () => outcome(await rotate(id)));
    const { secretsMax } = KEY_BOUNDS;
    expect(seen.sort()).toEqual([
      ...Array(secretsMax - 1).fill('200'),
      ...Array(9 - secretsMax).fill('409 key_secrets_full'),
    ]);
    expect(await secretsOf(id)).toHaveLength(secretsMax);
  });

  it('refuses a grace that is none', async () => {
    const { id } = await limited();
    for (const grace_seconds of [-1, 2_592_001, 1.5, 'soon']) {
      expect(outcome(await rotate(id, { grace_seconds }))).toBe('400 invalid_request');
    }
    expect(outcome(await rotate(id, { grace: 1 }))).toBe('400 invalid_request');
  });
});

describe('rotating', () => {
  it('is not taken back by a secret that another one has followed', async () => {
    const { id, key } = await limited({}, 'service');
    const { body } = await rotate(id, { grace_seconds: 600 });
    expect(outcome(await rotate(id, { grace_seconds: 0 }, key))).toBe('403 former_secret_refused');
    const child = { name: 'late', key_type: 'standard' };
    const credential = key;
    const made = await rest<{ details: Body }>(app, 'POST', '/api-keys', {
      credential,
      body: child,
    });
    const endsAt = Date.parse(String(made.body.details.expires_at));
    expect(endsAt).toBeLessThanOrEqual(Date.now() + 600_000);
    const later = await rotate(id, {}, body.key);
    expect(outcome(later)).toBe('200');
  });

  it('is for who has the rights of the key; a key rotates itself and what it made', async () => {
    const developer = await newMember(app, customer.token, 'developer');
    const { id, key } = await limited();
    const child = await limited({}, 'standard', key);
    expect(outcome(await rotate(id, {}, developer.token))).toBe('403 permission_denied');
    const own = await limited({}, 'service', developer.token);
    expect(outcome(await rotate(own.id, {}, developer.token))).toBe('200');
    expect(outcome(await rotate(id, {}, own.key))).toBe('403 permission_denied');
    expect(outcome(await rotate(customer.keyId, {}, key))).toBe('403 permission_denied');
    expect(outcome(await rotate(child.id, {}, key))).toBe('200');
    expect(outcome(await rotate(id, {}, key))).toBe('200');
    const foreign = await newCustomer(app);
    const unknown = '01977c2a-5b1e-7005-8000-3f2b9c4d5e6f';
    for (const each of [id, unknown]) {
      expect(outcome(await rotate(each, {}, foreign.token))).toBe('404 not_found');
      const path = `/api-keys/${each}/former-secrets`;
      const ended = await rest(app, 'DELETE', path, { credential: foreign.token });
      expect(outcome(ended)).toBe('404 not_found');
    }
  });
});

describe('keys that members have left behind', () => {
  it('are ended by the migration, with what they have issued; shared ones stay', async () => {
    const member = await newMember(app, customer.token, 'admin');
    const standard = await limited({}, 'standard', member.token);
    const service = await limited({}, 'service', member.token);
    const ofService = await limited({}, 'standard', service.key);
    const issued = (await issue(app, standard.key)).body;
    // As members were removed before their keys ended with them.
    const remove = "UPDATE app_user SET status = 'removed' WHERE id = $1";
    await app.owner.pool.query(remove, [member.userId]);
    expect(outcome(await ask(standard.key, other))).toBe('401 api_key_revoked');
    const file = 'prisma/migrations/20261126204000_keys_of_removed_members/migration.sql';
    await app.owner.pool.query(readFileSync(file, 'utf8'));
    const ids = [standard.id, issued.id, service.id, ofService.id, customer.keyId];
    const { rows } = await app.owner.pool.query<{ revoked: boolean }>(
      `SELECT k.revoked_at IS NOT NULL AS revoked FROM unnest($1::uuid[]) WITH ORDINALITY w(id, at)
       JOIN api_key k ON k.id = w.id ORDER BY w.at`,
      [ids],
    );
    expect(rows.map(({ revoked }) => revoked)).toEqual([true, true, false, false, false]);
  });
});

describe('a line of keys', () => {
  it('is no longer than it may be, whatever would make it longer', async () => {
    let { key } = await limited();
    for (let length = 2; length < KEY_BOUNDS.lineMax; length += 1) {
      ({ key } = await limited({}, 'service', key));
    }
    const last = await limited({}, 'service', key);
    expect(outcome(await ask(last.key))).toBe('200');
    const body = { keyType: 'agent', name: 'one more' };
    const made = await rest(app, 'POST', '/api-keys', { credential: last.key, body });
    expect(outcome(made)).toBe('409 key_line_too_long');
    expect(outcome(await issue(app, last.key))).toBe('409 key_line_too_long');
    const { id } = await limited();
    const rotated = { type: 'key_leak', key_ref: id, actions_taken: ['rotate'] };
    expect(outcome(await report(app, last.key, rotated))).toBe('409 key_line_too_long');
  });
});

describe('the rights of a key', () => {
  it('fall with the role of its owner on every node; what is shared keeps them', async () => {
    const member = await newMember(app, customer.token, 'admin');
    const keys = {
      standard: await limited({}, 'standard', member.token),
      agent: await limited({}, 'agent', member.token),
      service: await limited({}, 'service', member.token),
    };
    const ofService = await limited({}, 'standard', keys.service.key);
    const { token } = (await issue(app, keys.standard.key)).body;
    const owned = [keys.standard.key, keys.agent.key, token];
    const shared = [keys.service.key, ofService.key];
    for (const each of [...owned, ...shared]) expect(outcome(await ask(each, other))).toBe('200');
    const change =
      'mutation($id: ID!, $role: Role!) { memberChangeRole(id: $id, role: $role) { id } }';
    const become = (role: string) =>
      graphql(app, change, { id: member.userId, role }, customer.token);
    await become('viewer');
    for (const each of owned) {
      expect(outcome(await ask(each, other))).toBe('403 permission_denied');
      expect(await stream(each, other)).toBe(403);
    }
    for (const each of shared) expect(outcome(await ask(each, other))).toBe('200');
    const read = await rest(other, 'GET', '/usage', { credential: keys.standard.key });
    expect(outcome(read)).toBe('200');
    await become('developer');
    for (const each of owned) expect(outcome(await ask(each, other))).toBe('200');
    const policy = { credential: keys.standard.key, body: {} };
    expect(outcome(await rest(app, 'POST', '/v1/gw/policies', policy))).toBe(
      '403 permission_denied',
    );
  });

  it('end with the membership of who made or rotated it; what is shared can be kept', async () => {
    const member = await newMember(app, customer.token, 'admin');
    const standard = await limited({}, 'standard', member.token);
    const service = await limited({}, 'service', member.token);
    const rotated = await limited({}, 'standard', service.key);
    const again = (await rotate(rotated.id, {}, member.token)).body.key;
    expect(outcome(await ask(again))).toBe('200');
    const remove = 'mutation($id: ID!) { memberRemove(id: $id, descendants: keep) { id } }';
    await graphql(app, remove, { id: member.userId }, customer.token);
    for (const each of [standard.key, again, rotated.key]) {
      expect(outcome(await ask(each, other))).toBe('401 api_key_revoked');
    }
    expect(outcome(await ask(service.key, other))).toBe('200');
  });
});
