import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../delivery/blueprints/wire.js';
import { type ErrorBody, newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { issue, report } from '../abuse/samples.js';
import { limited, update } from '../keys/limited.js';
import { setWorkspaceRequired } from '../organization/samples.js';
import { newWorkspace, placeMember, placeProject } from './samples.js';
import { all, inEveryVoice, type Speaking, VOICES } from './voices.js';

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
});
afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

const UNKNOWN = '01939a3e-0c00-7049-8000-5e1f00000001';
const STRICT = { policy: { actions: ['embeddings'], data_classes: ['C0'] } };

const speak = (credential: string, more: Partial<Speaking> = {}) =>
  inEveryVoice({ at: app, credential, ...more });
const chat = (credential: string, more: Partial<Speaking> = {}) =>
  VOICES.chat?.({ at: app, credential, ...more });

/** A customer with two workspaces: one that allows all that is asked here, and a strict one. */
async function newWorkplace(customer?: Customer) {
  const owner = customer ?? (await newCustomer(app, 500));
  const open = await newWorkspace(app, owner, { name: 'open' });
  const strict = await newWorkspace(app, owner, { name: 'strict', ...STRICT });
  return { owner, open: open.body.id, strict: strict.body.id };
}

/** What the usage rows of a customer say of their workspaces. */
async function recorded({ tenantId }: Customer): Promise<unknown[]> {
  const { rows } = await app.owner.pool.query(
    `SELECT metadata -> 'gw_workspace' ->> 'id' AS id,
       metadata -> 'gw_workspace' -> 'implied' AS implied
     FROM usage_event WHERE tenant_id = $1 ORDER BY seq`,
    [tenantId],
  );
  return rows;
}

describe('a key of a workspace', () => {
  it('asks under it in every voice, whether or not a header names it', async () => {
    const { owner, open, strict } = await newWorkplace();
    const key = await limited(app, owner.token, { workspace_id: open });
    expect(await speak(key.key)).toEqual(all('200'));
    expect(await speak(key.key, { header: open.toUpperCase() })).toEqual(all('200'));
    expect(await speak(key.key, { metadata: { workspace_id: open } })).toEqual(all('200'));
    await expect
      .poll(() => recorded(owner))
      .toEqual([
        ...Array.from({ length: 5 }, () => ({ id: open, implied: true })),
        ...Array.from({ length: 10 }, () => ({ id: open, implied: null })),
      ]);
    const path = `/v1/gw/workspaces/${open}/dashboard`;
    const { body } = await rest(app, 'GET', path, { credential: owner.token });
    expect(body).toMatchObject({ requests: 15, policy_blocks: 0 });
    const held = await limited(app, owner.token, { workspace_id: strict });
    const blocked = all('workspace_policy_blocked');
    expect(await speak(held.key)).toEqual({ ...blocked, embeddings: '200' });
  });

  it('names no other one, be it there, unknown or of another organization', async () => {
    const { owner, open, strict } = await newWorkplace();
    const foreign = await newWorkplace();
    const key = await limited(app, owner.token, { workspace_id: open });
    for (const id of [strict, UNKNOWN, foreign.open, 'sales']) {
      expect(await speak(key.key, { header: id })).toEqual(all('workspace_boundary'));
      const metadata = { workspace_id: id };
      expect(await speak(key.key, { metadata })).toEqual(all('workspace_boundary'));
      const told = await rest<ErrorBody>(app, 'GET', '/v1/models', {
        credential: key.key,
        headers: { 'x-gw-workspace': id },
      });
      expect([told.status, told.body.error.message]).toEqual([
        403,
        `The workspaces do not match: key limited belongs to ${open}, but header ` +
          `x-gw-workspace says ${id}.`,
      ]);
    }
    expect(await chat(key.key, { header: '' })).toBe('workspace_boundary');
    expect(await recorded(owner)).toEqual([]);
  });

  it('lists the models of its workspace without a header', async () => {
    const { owner } = await newWorkplace();
    const { body } = await newWorkspace(app, owner, { approved_routes: ['document'] });
    const key = await limited(app, owner.token, { workspace_id: body.id });
    const listed = async (credential: string, headers: Record<string, string> = {}) => {
      const answer = await rest(app, 'GET', '/v1/models', { credential, headers });
      return (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    const narrowed = await listed(key.key);
    expect(narrowed).toEqual(await listed(owner.key, { 'x-gw-workspace': body.id }));
    expect(narrowed.length).toBeLessThan((await listed(owner.key)).length);
  });

  it('binds its users by the budgets of the workspace', async () => {
    const { owner } = await newWorkplace();
    const policy = { per_user_budget: 100 };
    const { body } = await newWorkspace(app, owner, { policy });
    const key = await limited(app, owner.token, { workspace_id: body.id });
    expect(await chat(key.key)).toBe('workspace_user_required');
    expect(await chat(key.key, { metadata: { user_id: 'anna' } })).toBe('200');
    const { rows } = await app.owner.pool.query(
      `SELECT scope_ref AS ref FROM budget WHERE starts_with(scope_ref, $1)`,
      [body.id],
    );
    expect(rows).toEqual([{ ref: `${body.id}/anna` }]);
  });
});

describe('all that a key of a workspace makes', () => {
  it('asks under that workspace and names no other: keys, their keys, and tokens', async () => {
    const { owner, open, strict } = await newWorkplace();
    const first = await limited(app, owner.token, { workspace_id: open });
    const second = await limited(app, first.key);
    const third = await limited(app, second.key);
    const { body: token } = await issue(app, third.key);
    for (const credential of [second.key, third.key, token.token]) {
      const within = await chat(credential, { header: open });
      expect([within, await chat(credential, { header: strict })]).toEqual([
        '200',
        'workspace_boundary',
      ]);
      expect(await chat(credential)).toBe('200');
    }
    for (const [credential, workspace] of [
      [first.key, strict],
      [first.key, UNKNOWN],
      [third.key, strict],
    ] as const) {
      const body = { keyType: 'service', workspace_id: workspace };
      const made = await rest(app, 'POST', '/api-keys', { credential, body });
      expect(outcome(made)).toBe('404 not_found');
    }
    expect((await recorded(owner)).length).toBe(6);
  });

  it('follows the key when that moves, at once and on every node', async () => {
    const { owner, open, strict } = await newWorkplace();
    const first = await limited(app, owner.token, { workspace_id: open });
    const second = await limited(app, first.key);
    for (const at of [app, other]) expect(await chat(second.key, { at })).toBe('200');
    for (const [workspace_id, wanted] of [
      [strict, 'workspace_policy_blocked'],
      [open, '200'],
      [strict, 'workspace_policy_blocked'],
      [null, '200'],
    ] as const) {
      expect(outcome(await update(app, owner.token, first.id, { workspace_id }))).toBe('200');
      expect(await chat(second.key, { at: other })).toBe(wanted);
      expect(await chat(first.key, { at: other })).toBe(wanted);
    }
  });

  it('keeps the workspace when an incident rotates it', async () => {
    const { owner, open, strict } = await newWorkplace();
    const first = await limited(app, owner.token, { workspace_id: open });
    const second = await limited(app, first.key);
    const body = { type: 'key_leak', key_ref: second.id, actions_taken: ['rotate'] };
    const { body: told } = await report(app, owner.token, body);
    expect(await chat(String(told.new_key))).toBe('200');
    expect(await chat(String(told.new_key), { header: strict })).toBe('workspace_boundary');
  });
});

describe('a member of a workspace', () => {
  it('asks under it by access token and by every key, an owner too', async () => {
    const { owner, open, strict } = await newWorkplace();
    const member = await newMember(app, owner.token, 'owner');
    const before = await limited(app, member.token, {}, 'standard');
    await placeMember(app, owner.token, member.userId, open);
    const service = await limited(app, member.token);
    const standard = await limited(app, member.token, {}, 'standard');
    const { body: token } = await issue(app, member.token);
    for (const credential of [before.key, standard.key, service.key, token.token]) {
      expect(await chat(credential)).toBe('200');
      expect(await chat(credential, { header: strict })).toBe('workspace_boundary');
    }
    expect(await speak(member.token)).toEqual(all('200'));
    expect(await speak(member.token, { header: strict })).toEqual(all('workspace_boundary'));
    await expect
      .poll(async () => new Set((await recorded(owner)).map((row) => JSON.stringify(row))))
      .toEqual(new Set([JSON.stringify({ id: open, implied: true })]));
  });

  it('moves at once with its own keys, and not with those of the organization', async () => {
    const { owner, open, strict } = await newWorkplace();
    const member = await newMember(app, owner.token, 'developer');
    await placeMember(app, owner.token, member.userId, open);
    const own = await limited(app, member.token, {}, 'standard');
    const shared = await limited(app, member.token);
    await placeMember(app, owner.token, member.userId, strict);
    for (const at of [app, other]) {
      expect(await chat(member.token, { at })).toBe('workspace_policy_blocked');
      expect(await chat(own.key, { at })).toBe('workspace_policy_blocked');
      expect(await chat(shared.key, { at })).toBe('200');
      expect(await chat(shared.key, { at, header: strict })).toBe('workspace_boundary');
    }
  });
});

describe('a project under a workspace', () => {
  it('has every request of its keys and members made under it, at once', async () => {
    const { owner, open, strict } = await newWorkplace();
    for (const at of [app, other]) expect(await chat(owner.key, { at })).toBe('200');
    await placeProject(app, owner.token, owner.projectId, strict);
    for (const at of [other, app]) {
      expect(await chat(owner.key, { at })).toBe('workspace_policy_blocked');
      expect(await chat(owner.token, { at })).toBe('workspace_policy_blocked');
      expect(await chat(owner.key, { at, header: open })).toBe('workspace_boundary');
    }
    await placeProject(app, owner.token, owner.projectId, null);
    expect(await chat(owner.key, { at: other, header: open })).toBe('200');
  });

  it('contradicts a key of another workspace, and the error names both', async () => {
    const { owner, open, strict } = await newWorkplace();
    const key = await limited(app, owner.token, { workspace_id: open });
    await placeProject(app, owner.token, owner.projectId, strict);
    const answer = await rest<ErrorBody>(app, 'POST', '/v1/chat/completions', {
      credential: key.key,
      body: { model: 'gw:auto', messages: [{ role: 'user', content: 'Да' }] },
      headers: { 'accept-language': 'ru' },
    });
    const { data } = (
      await rest<{ data: { name: string }[] }>(app, 'GET', '/projects', {
        credential: owner.token,
      })
    ).body;
    expect([answer.status, answer.body.error.code, answer.body.error.message]).toEqual([
      403,
      'workspace_boundary',
      `Рабочие пространства не совпадают: key limited относится к ${open}, а project ` +
        `${data[0]?.name} — ${strict}.`,
    ]);
  });
});

describe('an organization that requires a workspace', () => {
  it('refuses requests without one in every voice before anything is held, at once', async () => {
    const { owner, open } = await newWorkplace();
    const stranger = await newCustomer(app, 100);
    const key = await limited(app, owner.token, { workspace_id: open });
    const { body: token } = await issue(app, owner.key);
    for (const at of [app, other]) expect(await chat(owner.key, { at })).toBe('200');
    const { data } = await setWorkspaceRequired(app, owner.token, true);
    expect(data.organizationWorkspaceRequiredSet.workspaceRequired).toBe(true);
    expect(await chat(owner.key, { at: other })).toBe('workspace_required');
    for (const credential of [owner.key, owner.token]) {
      expect(await speak(credential)).toEqual(all('workspace_required'));
      expect(await speak(credential, { header: open })).toEqual(all('200'));
    }
    expect(await chat(token.token)).toBe('workspace_required');
    expect(await speak(key.key)).toEqual(all('200'));
    expect(await chat(stranger.key)).toBe('200');
    const { body: ran } = await run(app, owner, 'support-ticket-triage');
    expect(JSON.stringify(ran)).toContain('workspace_required');
    const { rows } = await app.owner.pool.query(
      `SELECT count(*)::int AS held FROM usage_event
       WHERE tenant_id = $1 AND NOT metadata ? 'gw_workspace'`,
      [owner.tenantId],
    );
    expect(rows).toEqual([{ held: 2 }]);
    await setWorkspaceRequired(app, owner.token, false);
    expect(await chat(owner.key, { at: other })).toBe('200');
  });
});

describe('a request that races a change of its boundary on another node', () => {
  it('is never answered outside once the change has committed', async () => {
    const { owner, open, strict } = await newWorkplace();
    const key = await limited(app, owner.token, {});
    const member = await newMember(app, owner.token, 'developer');
    let committed = 0;
    const late: string[] = [];
    const asking = async (credential: string) => {
      for (let turn = 0; turn < 25; turn += 1) {
        const before = committed;
        const answer = await chat(credential, { at: other });
        if (before % 2 === 1 && before === committed && answer === '200') late.push(answer);
      }
    };
    const changing = async () => {
      for (let turn = 0; turn < 8; turn += 1) {
        const isIn = turn % 2 === 0;
        // Odd numbers: both are bound. The number changes before they are let out, not after.
        if (!isIn) committed += 1;
        const workspace_id = isIn ? strict : null;
        expect(outcome(await update(app, owner.token, key.id, { workspace_id }))).toBe('200');
        await placeMember(app, owner.token, member.userId, workspace_id);
        if (isIn) committed += 1;
      }
    };
    await Promise.all([asking(key.key), asking(member.token), changing()]);
    expect([late, committed]).toEqual([[], 8]);
    expect(await chat(key.key, { at: other, header: open })).toBe('200');
  });
});
