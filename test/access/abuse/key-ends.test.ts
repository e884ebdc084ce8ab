import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import { type Answer, type Customer, newCustomer, rest, type TestApp } from '../../support/app.js';
import { limited, update } from '../keys/limited.js';
import { issue, newKey, type Recorded, report } from './samples.js';

let app: BudgetApp;
let customer: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

const ask = (
  credential: string,
  headers: Record<string, string> = {},
  at: Pick<TestApp, 'url'> = app,
): Promise<Answer> =>
  rest(at, 'POST', '/v1/chat/completions', { credential, headers, body: ONE_RUBLE });
const undo = (id: unknown, credential = customer.token): Promise<Answer> =>
  rest(app, 'POST', `/v1/gw/abuse/actions/${id}/undo`, { credential });
const remove = (id: string) =>
  rest(app, 'DELETE', `/api-keys/${id}`, { credential: customer.token });

async function rotate(keyId: string, more: object = {}): Promise<Recorded> {
  const body = { type: 'key_leak', key_ref: keyId, actions_taken: ['rotate'], ...more };
  const answer = await report(app, customer.token, body);
  expect(outcome(answer)).toBe('200');
  return answer.body;
}

/** Changes a row of a key and tells no node: what nodes remember is then out of date. */
async function changeUnseen(keyId: string, set: string): Promise<void> {
  const client = await app.owner.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL session_replication_role = 'replica'");
    await client.query(`UPDATE api_key SET ${set} WHERE id = $1`, [keyId]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

describe('a key whose grace is over', () => {
  it('holds nothing on a node that still knows it by heart, whole or streamed', async () => {
    const key = await newKey(app, customer);
    const { new_key: fresh } = await rotate(key.id);
    expect(outcome(await ask(key.key))).toBe('200');
    await changeUnseen(key.id, "expires_at = clock_timestamp() - interval '1 second'");
    expect(outcome(await ask(key.key))).toBe('401 api_key_revoked');
    const stream = { credential: key.key, body: { ...ONE_RUBLE, stream: true } };
    expect((await rawChat(app.url, stream)).status).toBe(401);
    expect(outcome(await ask(fresh ?? ''))).toBe('200');
  });

  it('is given no answer that was kept for it, as a revoked one is not', async () => {
    for (const end of ["expires_at = clock_timestamp() - interval '1 s'", 'revoked_at = now()']) {
      const key = await newKey(app, customer);
      const headers = { 'idempotency-key': `kept-${end.slice(0, 7)}` };
      expect(outcome(await ask(key.key, headers))).toBe('200');
      expect((await ask(key.key, headers)).headers.get('idempotent-replayed')).toBe('true');
      await changeUnseen(key.id, end);
      expect(outcome(await ask(key.key, headers))).toBe('401 api_key_revoked');
    }
  });
});

describe('a token', () => {
  it('never outlives the key that issued it, whether before or in the grace', async () => {
    const key = await newKey(app, customer);
    const before = (await issue(app, key.key, { scope: 'demo' })).body;
    const { incident } = await rotate(key.id, { grace_seconds: 60 });
    const end = String(incident.actions[0]?.grace_ends_at);
    const within = (await issue(app, key.key, { scope: 'demo' })).body;
    const short = (await issue(app, key.key, { ttl_seconds: 5 })).body;
    const { body } = await rest<{ data: { id: string; expires_at: string }[] }>(
      app,
      'GET',
      '/v1/gw/abuse/ephemeral-tokens',
      { credential: customer.token },
    );
    const endOf = (id: string) => body.data.find((each) => each.id === id)?.expires_at;
    expect([endOf(before.id), endOf(within.id)]).toEqual([end, end]);
    expect(Date.parse(endOf(short.id) ?? '')).toBeLessThan(Date.parse(end));
    for (const { token } of [before, within]) expect(outcome(await ask(token))).toBe('200');
  });

  it('of a key that is revoked at the very moment of its issue does not work', async () => {
    const seen = await inParallel(24, 6, async () => {
      const key = await newKey(app, customer);
      const [made] = await Promise.all([issue(app, key.key), remove(key.id)]);
      return made.status === 200
        ? outcome(await ask(made.body.token))
        : made.status === 401 && 'not issued';
    });
    expect(seen.filter((each) => each !== '401 api_key_revoked' && each !== 'not issued')).toEqual(
      [],
    );
  });
});

describe('what was done to a key', () => {
  it('is undone by no key that the key has made', async () => {
    const thief = await newKey(app, customer, 'service');
    const make = async (credential: string) => {
      const body = { keyType: 'service', name: 'another' };
      const made = await rest<{ key: string }>(app, 'POST', '/api-keys', { credential, body });
      return made.body.key;
    };
    const child = await make(thief.key);
    const grandchild = await make(child);
    const body = { type: 'bot_traffic', key_ref: thief.id, actions_taken: ['throttle'] };
    const { incident } = (await report(app, customer.token, body)).body;
    const id = incident.actions[0]?.id;
    for (const key of [thief.key, child, grandchild]) {
      expect(outcome(await undo(id, key))).toBe('409 key_action_final');
    }
    const another = await newKey(app, customer, 'service');
    expect(outcome(await undo(id, another.key))).toBe('200');
  });

  it('is undone once where many undo it at once', async () => {
    const key = await newKey(app, customer);
    const { incident } = await rotate(key.id);
    const seen = await inParallel(8, 8, async () => outcome(await undo(incident.actions[0]?.id)));
    expect(seen.sort()).toEqual(['200', ...Array(7).fill('409 key_action_final')]);
    expect(outcome(await ask(key.key))).toBe('200');
  });

  it('stays done where the key was revoked since, or its successor was rotated', async () => {
    const [revoked, chained] = [await newKey(app, customer), await newKey(app, customer)];
    const one = await rotate(revoked.id);
    await remove(revoked.id);
    expect(outcome(await undo(one.incident.actions[0]?.id))).toBe('409 key_action_final');
    expect(outcome(await ask(one.new_key ?? ''))).toBe('200');
    const first = await rotate(chained.id);
    const second = await rotate(String(first.incident.actions[0]?.new_key_id));
    const [firstId, secondId] = [first, second].map(({ incident }) => incident.actions[0]?.id);
    expect(outcome(await undo(firstId))).toBe('409 key_action_final');
    expect([outcome(await undo(secondId)), outcome(await undo(firstId))]).toEqual(['200', '200']);
    expect(outcome(await ask(chained.key))).toBe('200');
    for (const key of [first.new_key, second.new_key]) {
      expect(outcome(await ask(key ?? ''))).toBe('401 api_key_revoked');
    }
  });
});

describe('a rotation that is undone', () => {
  const hour = 3_600_000;
  const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
  const endOf = async (id: string) => {
    const key = await app.owner.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    return key.expiresAt?.toISOString() ?? null;
  };
  /** A key at the end of a line of three, rotated by a member, and the first key of the line. */
  async function rotatedInLine(graceSeconds: number) {
    const maker = await newKey(app, customer, 'service');
    const child = await limited(app, maker.key);
    const last = await limited(app, child.key);
    const { incident } = await rotate(last.id, { grace_seconds: graceSeconds });
    return { maker, child, last, actionId: incident.actions[0]?.id };
  }

  it('gives a key no longer life than a key that led to it was given since', async () => {
    const { maker, last, actionId } = await rotatedInLine(60);
    const end = inHours(2);
    expect(outcome(await update(app, customer.token, maker.id, { expires_at: end }))).toBe('200');
    expect(outcome(await undo(actionId))).toBe('200');
    expect(await endOf(last.id)).toBe(end);
    expect(outcome(await ask(last.key))).toBe('200');
  });

  it('gives the own end back where none that led to it has an earlier one', async () => {
    const { child, last, actionId } = await rotatedInLine(60);
    expect(outcome(await undo(actionId))).toBe('200');
    expect(await endOf(last.id)).toBeNull();
    const own = inHours(3);
    await update(app, customer.token, last.id, { expires_at: own });
    const { incident } = await rotate(last.id, { grace_seconds: 60 });
    await update(app, customer.token, child.id, { expires_at: inHours(4) });
    expect(outcome(await undo(incident.actions[0]?.id))).toBe('200');
    expect(await endOf(last.id)).toBe(own);
  });

  it('leaves a key as long as it was kept beyond the end of what led to it', async () => {
    const { maker, child, last, actionId } = await rotatedInLine(10 * 3_600);
    const kept = { expires_at: inHours(1), descendants: 'keep' };
    expect(outcome(await update(app, customer.token, maker.id, kept))).toBe('200');
    const path = `/api-keys/${child.id}?descendants=keep`;
    const gone = await rest(app, 'DELETE', path, { credential: customer.token });
    expect(outcome(gone)).toBe('200');
    expect(outcome(await undo(actionId))).toBe('200');
    expect(await endOf(last.id)).toBeNull();
  });

  it('stays done where a key has ended with one that led to it', async () => {
    const { maker, last, actionId } = await rotatedInLine(60);
    for (const id of [maker.id, last.id]) {
      await changeUnseen(id, "expires_at = '2026-01-31T00:00:00Z'");
    }
    expect(outcome(await undo(actionId))).toBe('409 key_action_final');
    expect(await endOf(last.id)).toBe('2026-01-31T00:00:00.000Z');
  });
});

describe('what a key makes', () => {
  const made = async (credential: string, keyType = 'service') => {
    const body = { keyType, name: 'made' };
    const answer = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
      credential,
      body,
    });
    expect(outcome(answer)).toBe('200');
    return answer.body;
  };

  it('shares its throttle, keys and tokens, until it is lifted', async () => {
    const maker = await newKey(app, customer, 'service');
    const early = await made(maker.key, 'standard');
    expect(outcome(await ask(early.key))).toBe('200');
    const body = { type: 'bot_traffic', key_ref: maker.id, actions_taken: ['throttle'] };
    const { incident } = (await report(app, customer.token, { ...body, throttle_per_minute: 3 }))
      .body;
    const child = await made(maker.key);
    const grandchild = await made(child.key, 'agent');
    const { token } = (await issue(app, child.key)).body;
    const line = [maker.key, early.key, child.key, grandchild.key, token];
    const seen = await inParallel(20, 5, async (index) =>
      outcome(await ask(line[index % 5] ?? '')),
    );
    expect(seen.filter((each) => each === '200')).toHaveLength(3);
    expect(new Set(seen)).toEqual(new Set(['200', '429 key_throttled']));
    const sibling = await newKey(app, customer, 'service');
    expect(outcome(await ask((await made(sibling.key)).key))).toBe('200');
    expect(outcome(await undo(incident.actions[0]?.id))).toBe('200');
    for (const key of line) expect(outcome(await ask(key))).toBe('200');
  });

  it('ends no later than the key, which rotates nothing that would outlive it', async () => {
    const maker = await newKey(app, customer, 'service');
    const other = await newKey(app, customer);
    const { incident } = await rotate(maker.id, { grace_seconds: 60 });
    const end = String(incident.actions[0]?.grace_ends_at);
    const { id } = await made(maker.key);
    const { rows } = await app.owner.pool.query<{ end: Date }>(
      'SELECT expires_at AS end FROM api_key WHERE id = $1',
      [id],
    );
    expect(rows[0]?.end.toISOString()).toBe(end);
    const body = { type: 'key_leak', key_ref: other.id, actions_taken: ['rotate'] };
    expect(outcome(await report(app, maker.key, body))).toBe('409 key_action_impossible');
    expect(outcome(await report(app, customer.token, body))).toBe('200');
  });
});
