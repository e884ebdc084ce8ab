import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, invite, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { issue } from '../abuse/samples.js';
import { limited, update } from '../keys/limited.js';
import { setWorkspaceRequired } from '../organization/samples.js';
import { adopt, newWorkspace, placeMember, placeProject } from './samples.js';
import { refusedWith, VOICES } from './voices.js';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
let open: string;
let closed: string;
let foreign: string;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  stranger = await newCustomer(app);
  open = (await newWorkspace(app, owner, { name: 'open' })).body.id;
  closed = (await newWorkspace(app, owner, { name: 'closed' })).body.id;
  foreign = (await newWorkspace(app, stranger)).body.id;
});
afterAll(() => app?.stop());

const UNKNOWN = '01939a3e-0c00-7049-8000-5e1f00000001';
const BOUND = 'workspace_caller_bound';
const CONFINED = 'workspace_caller_confined';

type Created = Record<string, { id: string }>;

/** An owner who belongs to the open workspace. */
async function boundOwner() {
  const member = await newMember(app, owner.token, 'owner');
  await placeMember(app, owner.token, member.userId, open);
  return member;
}

describe('the workspace of a key, a member and a project', () => {
  it('is one of the organization: a foreign one answers as an unknown one', async () => {
    const key = await limited(app, owner.token);
    const { data } = await placeMember(app, owner.token, stranger.userId, open);
    expect(data).toBe(null);
    for (const id of [UNKNOWN, foreign]) {
      const body = { keyType: 'service', workspace_id: id };
      const made = await rest<ErrorBody>(app, 'POST', '/api-keys', {
        credential: owner.token,
        body,
      });
      const changed = await update(app, owner.token, key.id, { workspace_id: id });
      for (const { body: told } of [made, changed]) {
        const { code, message, param } = told.error;
        expect([code, message.replace(id, UNKNOWN), param]).toEqual([
          'not_found',
          `No workspace with id ${UNKNOWN}.`,
          'workspace_id',
        ]);
      }
      for (const placing of [
        placeMember(app, owner.token, owner.userId, id),
        placeProject(app, owner.token, owner.projectId, id),
      ]) {
        expect(await refusedWith(placing)).toBe('not_found');
      }
    }
    for (const [id, project] of [
      [stranger.userId, stranger.projectId],
      [UNKNOWN, UNKNOWN],
    ] as const) {
      expect(await refusedWith(placeMember(app, owner.token, id, open))).toBe('not_found');
      expect(await refusedWith(placeProject(app, owner.token, project, open))).toBe('not_found');
    }
  });

  it('is shown, changed and lifted, and only by callers with the right', async () => {
    const key = await limited(app, owner.token, { workspace_id: open });
    const listed = async () => {
      const { body } = await rest(app, 'GET', '/api-keys', { credential: owner.token });
      const { data } = body as unknown as { data: { id: string; workspace_id: string }[] };
      return data.find(({ id }) => id === key.id)?.workspace_id;
    };
    expect(await listed()).toBe(open);
    expect(outcome(await update(app, owner.token, key.id, { name: 'x' }))).toMatch(/^400/);
    expect(outcome(await update(app, owner.token, key.id, { limits: { rpm: 9 } }))).toBe('200');
    expect(await listed()).toBe(open);
    expect(outcome(await update(app, owner.token, key.id, { workspace_id: null }))).toBe('200');
    expect(await listed()).toBe(null);
    const developer = await newMember(app, owner.token, 'developer');
    const agent = await limited(app, owner.token, {}, 'agent');
    for (const credential of [developer.token, agent.key]) {
      for (const placing of [
        placeMember(app, credential, developer.userId, open),
        placeProject(app, credential, owner.projectId, open),
        setWorkspaceRequired(app, credential, true),
      ]) {
        expect(await refusedWith(placing)).toBe('permission_denied');
      }
    }
    const placed = await placeMember(app, owner.token, developer.userId, open);
    expect(placed.data?.memberWorkspaceSet).toEqual({ id: developer.userId, workspaceId: open });
    const ruled = await placeProject(app, owner.token, owner.projectId, open);
    expect(ruled.data?.projectWorkspaceSet).toEqual({ id: owner.projectId, workspaceId: open });
    await placeProject(app, owner.token, owner.projectId, null);
  });

  it('is never two: a key that would contradict its line or its project is not made', async () => {
    const key = await limited(app, owner.token, { workspace_id: open });
    const made = await limited(app, key.key);
    for (const id of [closed, open]) {
      const changed = await update(app, owner.token, made.id, { workspace_id: id });
      expect(outcome(changed)).toBe(id === open ? '200' : '403 workspace_boundary');
    }
    const document = 'mutation { projectCreate(name: "Ruled") { id } }';
    const { data } = await graphql<Created>(app, document, {}, owner.token);
    const project_id = String(data.projectCreate?.id);
    await placeProject(app, owner.token, project_id, closed);
    const body = { keyType: 'service', workspace_id: open, project_id };
    const answer = await rest(app, 'POST', '/api-keys', { credential: owner.token, body });
    expect(outcome(answer)).toBe('403 workspace_boundary');
    const moved = await update(app, owner.token, made.id, { project_id });
    expect(outcome(moved)).toBe('403 workspace_boundary');
  });
});

describe('a key that is moved into a project of a workspace', () => {
  it('takes what it made before, at any distance, also where that is bound later', async () => {
    const newProject = async (name: string) => {
      const document = 'mutation($name: String!) { projectCreate(name: $name) { id } }';
      const { data } = await graphql<Created>(app, document, { name }, owner.token);
      return data.projectCreate?.id;
    };
    const lines = [];
    for (const isBoundBefore of [true, false]) {
      const project_id = String(await newProject(`Bound ${isBoundBefore ? 'before' : 'later'}`));
      const maker = await limited(app, owner.token);
      const child = await limited(app, maker.key);
      const grandchild = await limited(app, child.key, {}, 'standard');
      const { body } = await issue(app, grandchild.key);
      if (isBoundBefore) await placeProject(app, owner.token, project_id, closed);
      expect(outcome(await update(app, owner.token, maker.id, { project_id }))).toBe('200');
      if (!isBoundBefore) await placeProject(app, owner.token, project_id, closed);
      lines.push([maker.key, child.key, grandchild.key, body.token]);
    }
    const beside = await limited(app, owner.token);
    const asked = (credential: string, workspace: string) =>
      rest(app, 'POST', '/v1/chat/completions', {
        credential,
        headers: { 'x-gw-workspace': workspace },
        body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'x' }] },
      });
    for (const credential of lines.flat()) {
      expect(outcome(await asked(credential, open))).toBe('403 workspace_boundary');
      expect(outcome(await asked(credential, closed))).not.toBe('403 workspace_boundary');
    }
    expect(outcome(await asked(beside.key, open))).not.toBe('403 workspace_boundary');
  });
});

describe('a member of a workspace, an owner too,', () => {
  it('neither leaves it nor moves anybody, and changes nothing outside it', async () => {
    const bound = await boundOwner();
    const by = bound.token;
    for (const [id, workspace] of [
      [bound.userId, null],
      [bound.userId, closed],
      [owner.userId, open],
      [owner.userId, null],
    ] as const) {
      expect(await refusedWith(placeMember(app, by, id, workspace))).toBe(BOUND);
    }
    expect(await refusedWith(placeProject(app, by, owner.projectId, null))).toBe(BOUND);
    expect(await refusedWith(setWorkspaceRequired(app, by, false))).toBe(CONFINED);
    expect(outcome(await newWorkspace(app, { token: by }))).toBe(`403 ${BOUND}`);
    const reset = `mutation($id: ID!) { memberPasswordResetIssue(id: $id) { token } }`;
    const other = await newMember(app, owner.token, 'developer');
    expect(await refusedWith(graphql(app, reset, { id: other.userId }, by))).toBe(BOUND);
    const own = await limited(app, by, {}, 'standard');
    const service = await limited(app, by);
    for (const credential of [own.key, service.key]) {
      expect(await refusedWith(placeMember(app, credential, bound.userId, null))).toMatch(
        /^(workspace_caller_bound|permission_denied)$/,
      );
    }
    expect(outcome(await update(app, by, service.id, { workspace_id: null }))).toBe(
      '403 workspace_boundary',
    );
  });

  it('changes no member and no invite outside it, but those inside', async () => {
    const { token: by } = await boundOwner();
    const member = 'mutation($id: ID!) { change: ';
    const mutations = [
      `${member} memberChangeRole(id: $id, role: developer) { id } }`,
      `${member} memberSecondFactorRemove(id: $id) { id } }`,
      `${member} memberRemove(id: $id) { id } }`,
    ];
    for (const [inviter, wanted] of [
      [owner.token, [BOUND, BOUND, BOUND]],
      [by, [undefined, 'second_factor_missing', undefined]],
    ] as const) {
      const { userId: id } = await newMember(app, inviter, 'admin');
      const codes: unknown[] = [];
      for (const mutation of mutations) {
        const { errors } = await graphql(app, mutation, { id }, by);
        codes.push(errors?.[0]?.extensions.code);
      }
      expect(codes).toEqual(wanted);
      const invited = await invite(app, inviter, 'developer');
      const revoked = await graphql(
        app,
        `${member} inviteRevoke(id: $id) { id } }`,
        { id: invited.id },
        by,
      );
      expect(revoked.errors?.[0]?.extensions.code).toBe(wanted[0]);
    }
  });

  it('invites into its workspace', async () => {
    const bound = await boundOwner();
    const invited = await newMember(app, bound.token, 'developer');
    const query = '{ me { user { workspaceId } } }';
    const { data } = await graphql(app, query, {}, invited.token);
    expect(data).toEqual({ me: { user: { workspaceId: open } } });
  });

  it('is never the last owner: one stays outside, also when roles change', async () => {
    const { token, userId } = await newCustomer(app);
    const { body } = await newWorkspace(app, { token });
    const { errors } = await placeMember(app, token, userId, body.id);
    expect(errors?.[0]?.extensions.code).toBe('invalid_request');
    expect(errors?.[0]?.message).toContain('the last owner outside all workspaces');
    const second = await newMember(app, token, 'owner');
    const placed = await placeMember(app, token, second.userId, body.id);
    expect(placed.errors).toBe(undefined);
    const remove = 'mutation($id: ID!) { memberRemove(id: $id) { id } }';
    const removed = await graphql(app, remove, { id: userId }, token);
    expect(removed.errors?.[0]?.message).toContain('the last owner outside all workspaces');
  });
});

describe('a caller of a workspace', () => {
  it('sees, changes and records what is of its own alone; another one is not found', async () => {
    const key = await limited(app, owner.token, { workspace_id: open });
    const bound = await boundOwner();
    const event = { event: 'first_request', user_id: 'anna' };
    expect(outcome(await adopt(app, owner.key, { ...event, workspace_id: closed }))).toBe('200');
    const there = await rest<{ data: { id: string }[] }>(
      app,
      'GET',
      `/v1/gw/workspaces/${closed}/dashboard`,
      { credential: owner.token },
    );
    expect(there.status).toBe(200);
    const events = '{ adoptionEvents { nodes { id workspaceId } } }';
    const all = await graphql<{
      adoptionEvents: { nodes: { id: string; workspaceId: string }[] };
    }>(app, events, {}, owner.token);
    const outside = all.data.adoptionEvents.nodes.find(({ workspaceId }) => workspaceId === closed);
    for (const credential of [key.key, bound.token]) {
      for (const id of [closed, foreign, UNKNOWN]) {
        const at = `/v1/gw/workspaces/${id}`;
        const user = credential === bound.token ? {} : { user_id: 'anna' };
        const recording = { workspace_id: id, event: 'first_request', ...user };
        const answers = [
          await rest(app, 'GET', at, { credential }),
          await rest(app, 'GET', `${at}/dashboard`, { credential }),
          await rest(app, 'PATCH', at, { credential, body: { name: 'mine' } }),
          await rest(app, 'POST', `${at}/departments`, {
            credential,
            body: { departments: ['hr'] },
          }),
          await adopt(app, credential, recording),
        ];
        expect(answers.map(outcome)).toEqual(answers.map(() => '404 not_found'));
        const node = graphql(app, 'query($id: ID!) { node(id: $id) { id } }', { id }, credential);
        expect(await refusedWith(node)).toBe('not_found');
      }
      const { body } = await rest(app, 'GET', '/v1/gw/workspaces', { credential });
      expect((body as { data?: { id: string }[] }).data?.map(({ id }) => id)).toEqual([open]);
      const seen = await graphql<{ adoptionEvents: { nodes: { workspaceId: string }[] } }>(
        app,
        events,
        {},
        credential,
      );
      expect(seen.data.adoptionEvents.nodes.filter((each) => each.workspaceId !== open)).toEqual(
        [],
      );
      const node = graphql(
        app,
        'query($id: ID!) { node(id: $id) { id } }',
        { id: outside?.id },
        credential,
      );
      expect(await refusedWith(node)).toBe('not_found');
      const mine = await rest(app, 'GET', `/v1/gw/workspaces/${open}/dashboard`, { credential });
      expect(mine.status).toBe(200);
    }
  });

  it('that made keys beyond the rule of its project has handed its workspace on', async () => {
    const document = 'mutation { projectCreate(name: "Bound") { id } }';
    const { data } = await graphql<Created>(app, document, {}, owner.token);
    const project_id = String(data.projectCreate?.id);
    await placeProject(app, owner.token, project_id, open);
    const key = await limited(app, owner.token, { project_id });
    const made = await limited(app, key.key, { project_id: owner.projectId });
    const near = await limited(app, key.key);
    // It may leave the project, and stays in the workspace by the project of its maker.
    const moved = await update(app, key.key, near.id, { project_id: owner.projectId });
    expect(outcome(moved)).toBe('200');
    for (const credential of [made.key, near.key]) {
      expect(await VOICES.chat?.({ at: app, credential, header: closed })).toBe(
        'workspace_boundary',
      );
    }
  });
});
