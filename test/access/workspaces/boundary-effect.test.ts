import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { issue } from '../abuse/samples.js';
import { limited } from '../keys/limited.js';
import { setWorkspaceRequired } from '../organization/samples.js';
import { newWorkspace, placeMember } from './samples.js';
import { VOICES } from './voices.js';

let app: TestApp;
let owner: Customer;
let stranger: Customer;
let open: string;
let closed: string;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  stranger = await newCustomer(app, 500);
  open = (await newWorkspace(app, owner)).body.id;
  closed = (await newWorkspace(app, owner)).body.id;
});
afterAll(() => app?.stop());

const chat = async (credential: string, header?: string) =>
  expect(await VOICES.chat?.({ at: app, credential, header })).toBe('200');

interface Effect {
  readonly refused: number;
  readonly callers: readonly Readonly<Record<string, unknown>>[];
  readonly [name: string]: unknown;
}

function effect(query: Record<string, string>, credential = owner.token) {
  const asked = new URLSearchParams(query);
  return rest<Effect>(app, 'GET', `/v1/gw/workspaces/boundary-effect?${asked}`, { credential });
}

/** Who would be refused, as `who reason requests`. */
const told = ({ callers }: Effect) =>
  callers.map((each) => `${each.name ?? each.kind} ${each.reason} ${each.requests}`).sort();

describe('a dry run of a boundary', () => {
  it('says whose requests would have been refused, and why, and writes nothing', async () => {
    const maker = await limited(app, owner.token, { name: 'maker' });
    const made = await limited(app, maker.key, { name: 'made' });
    const inside = await limited(app, owner.token, { name: 'inside', workspace_id: open });
    const member = await newMember(app, owner.token, 'developer');
    await placeMember(app, owner.token, member.userId, open);
    const { body: token } = await issue(app, made.key, { name: 'token' });
    await chat(maker.key);
    await chat(maker.key);
    await chat(made.key, closed);
    await chat(made.key, open);
    await chat(token.token);
    await chat(inside.key);
    await chat(member.token);
    await chat(owner.token);
    await chat(stranger.key);
    const asItIs = await effect({});
    expect(asItIs.body).toEqual({
      from: expect.any(String),
      to: expect.any(String),
      complete: true,
      requests: 8,
      refused: 0,
      callers: [],
      provenance: 'live_measured',
    });
    const required = await effect({ required: 'true' });
    expect([required.body.refused, told(required.body)]).toEqual([
      4,
      ['maker workspace_required 2', 'member workspace_required 1', 'token workspace_required 1'],
    ]);
    expect(required.body.callers[0]).toEqual({
      kind: 'key',
      caller_id: maker.id,
      name: 'maker',
      project_id: owner.projectId,
      reason: 'workspace_required',
      contradiction: [],
      requests: 2,
      first_at: expect.any(String),
      last_at: expect.any(String),
    });
    const placed = await effect({ key_id: maker.id, workspace_id: open, required: 'true' });
    expect(told(placed.body)).toEqual(['made workspace_boundary 1', 'member workspace_required 1']);
    expect(placed.body.callers.find(({ name }) => name === 'made')?.contradiction).toEqual([
      { source: 'key maker', workspace_id: open },
      { source: 'request', workspace_id: closed },
    ]);
    const ofMember = await effect({ member_id: member.userId, required: 'true' });
    expect(told(ofMember.body)).toContain('member workspace_required 1');
    expect(ofMember.body.refused).toBe(5);
    const ofProject = await effect({ project_id: owner.projectId, workspace_id: closed });
    expect(told(ofProject.body)).toEqual([
      'inside workspace_boundary 1',
      'made workspace_boundary 1',
      'member workspace_boundary 1',
    ]);
    await chat(maker.key);
    await setWorkspaceRequired(app, owner.token, true);
    const inForce = await effect({});
    expect([inForce.body.requests, inForce.body.refused]).toEqual([9, 5]);
    expect((await effect({ required: 'false' })).body.refused).toBe(0);
    await setWorkspaceRequired(app, owner.token, false);
    expect((await effect({ required: 'true' }, stranger.token)).body.requests).toBe(1);
  });

  it('refuses what it cannot suppose, and what belongs to others is not found', async () => {
    const own = await limited(app, owner.token);
    const { body: foreign } = await newWorkspace(app, stranger);
    const unknown = '01939a3e-0c00-7049-8000-5e1f00000001';
    const unknowns: Record<string, string>[] = [
      { key_id: stranger.keyId },
      { member_id: stranger.userId },
      { project_id: stranger.projectId },
      { key_id: unknown },
      { key_id: own.id, workspace_id: foreign.id },
      { key_id: own.id, workspace_id: unknown },
    ];
    for (const query of unknowns) {
      expect([query, outcome(await effect(query))]).toEqual([query, '404 not_found']);
    }
    const malformed: Record<string, string>[] = [
      { key_id: own.id, member_id: owner.userId },
      { workspace_id: open },
      { required: 'perhaps' },
      { requird: 'true' },
    ];
    for (const query of malformed) {
      expect((await effect(query)).status).toBe(400);
    }
    const bound = await limited(app, owner.token, { workspace_id: open });
    expect(outcome(await effect({}, bound.key))).toBe('403 workspace_caller_bound');
    const auditor = await newMember(app, owner.token, 'finance');
    expect(outcome(await effect({}, auditor.token))).toBe('403 permission_denied');
  });
});
