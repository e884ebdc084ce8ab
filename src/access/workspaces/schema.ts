import { brandWithType } from '@pothos/core';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { loadNodesOf } from '../../graph/node.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, shownFields } from '../../graph/table-types.js';
import { inputValues } from '../../kernel/fields/faults.js';
import { code, object, optional, uuid } from '../../kernel/fields/field.js';
import { Project, User } from '../auth/schema.js';
import { readDashboard, recordEvent, shownEvent } from './adoption.js';
import { setMemberWorkspace, setProjectWorkspace } from './belonging.js';
import { requireWorkspace, workspaceOfCaller } from './boundary.js';
import { boundaryEffect } from './boundary-effect.js';
import { BOUNDARY_EFFECT, BOUNDARY_QUESTION } from './boundary-tables.js';
import './reference.js';
import { changeWorkspace, createWorkspace, enableDepartments, shownWorkspace } from './service.js';
import {
  DASHBOARD,
  DASHBOARD_QUESTION,
  DEPARTMENTS_INPUT,
  EVENT_FIELDS,
  EVENT_INPUT,
  WORKSPACE_CHANGE,
  WORKSPACE_FIELDS,
  WORKSPACE_INPUT,
} from './tables.js';
import { ADOPTION_EVENTS } from './vocabulary.js';

const Workspace = builder.prismaNode('Workspace', {
  id: { field: 'id', description: 'The id of the workspace; requests name it.' },
  description:
    'A workspace of employees. Requests are made under it with the header `x-gw-workspace` or ' +
    'with `metadata.workspace_id`; `metadata.user_id` and `metadata.department` say who asks. ' +
    'Its policy then holds beside those of the project: the strictest wins.',
  fields: (t) => shownFields(t, WORKSPACE_FIELDS, shownWorkspace),
});

const AdoptionEvent = builder.prismaNode('AdoptionEvent', {
  id: { field: 'id', description: 'The id of the event.' },
  description: 'A step of taking a workspace up; it is never changed.',
  fields: (t) => shownFields(t, EVENT_FIELDS, shownEvent),
});

/** What a caller of a workspace sees by `node(id)` is that of its workspace, as in the lists. */
loadNodesOf('Workspace', async (given, ids) => {
  const ctx = authorized(given);
  const where = { AND: [{ id: { in: [...ids] } }, { id: workspaceOfCaller(ctx) }] };
  const rows = await database(ctx).workspace.findMany({ where });
  for (const row of rows) brandWithType(row, 'Workspace' as never);
  return rows;
});
loadNodesOf('AdoptionEvent', async (given, ids) => {
  const ctx = authorized(given);
  const where = { id: { in: [...ids] }, workspaceId: workspaceOfCaller(ctx) };
  const rows = await database(ctx).adoptionEvent.findMany({ where });
  for (const row of rows) brandWithType(row, 'AdoptionEvent' as never);
  return rows;
});

const READ = { can: 'workspaces.read' } as const;
const WRITE = { can: 'workspaces.write' } as const;
const BELONGING = optional(uuid('The id of the workspace; null or left out for none.'));

ownList({
  field: 'workspaces',
  type: Workspace,
  description:
    'The workspaces of the organization, newest first. A caller of a workspace sees only its own.',
  permission: 'workspaces.read',
  within: (ctx) => ({ id: workspaceOfCaller(authorized(ctx)) }),
});

ownList({
  field: 'adoptionEvents',
  type: AdoptionEvent,
  description:
    'Steps of taking workspaces up, the latest recorded first. A caller of a workspace sees ' +
    'only those of its own.',
  permission: 'workspaces.read',
  within: (ctx) => ({ workspaceId: workspaceOfCaller(authorized(ctx)) }),
  by: {
    workspaceId: optional(uuid('Only events of this workspace.')),
    eventType: optional(code(ADOPTION_EVENTS, 'Only events of this kind.')),
  },
});

builder.queryFields((t) => ({
  workspace: t.field({
    type: Workspace,
    description: 'A workspace with its policy.',
    authScopes: READ,
    args: argsOf(t, { id: uuid('The id of the workspace.') }),
    resolve: (_root, { id }, ctx) => requireWorkspace(authorized(ctx), id),
  }),
  workspaceBoundaryEffect: t.field({
    type: outputOf(BOUNDARY_EFFECT),
    description:
      'Which requests of the last seven days would have been refused if every request needed a ' +
      'workspace, or if a key, a member or a project belonged to one. A dry run of ' +
      '`organizationWorkspaceRequiredSet`, `apiKeyUpdate`, `memberWorkspaceSet` and ' +
      '`projectWorkspaceSet`.',
    authScopes: WRITE,
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, BOUNDARY_QUESTION),
    resolve: (_root, question, ctx) =>
      boundaryEffect(authorized(ctx), inputValues(BOUNDARY_QUESTION, question)),
  }),
  workspaceDashboard: t.field({
    type: outputOf(DASHBOARD),
    description: 'How a workspace is taken up in a window, from its events and requests.',
    authScopes: READ,
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, { id: uuid('The id of the workspace.'), ...DASHBOARD_QUESTION }),
    resolve: (_root, { id, from, to }, ctx) =>
      readDashboard(authorized(ctx), id, { from: from ?? null, to: to ?? null }),
  }),
}));

builder.mutationFields((t) => ({
  memberWorkspaceSet: t.field({
    type: User,
    description:
      'Sets the workspace of a member. All requests of the member, and of the keys that the ' +
      'member owns, run under it. Members cannot leave a workspace by themselves, and one owner ' +
      'always stays outside all workspaces.',
    authScopes: WRITE,
    args: argsOf(t, { id: uuid('The id of the member.'), workspaceId: BELONGING }),
    resolve: (_root, { id, workspaceId }, ctx) =>
      setMemberWorkspace(authorized(ctx), id, workspaceId ?? null),
  }),
  projectWorkspaceSet: t.field({
    type: Project,
    description:
      'Sets the workspace of a project: all requests in the project run under it. Requests of ' +
      'members belong to the first project of the organization.',
    authScopes: WRITE,
    args: argsOf(t, { id: uuid('The id of the project.'), workspaceId: BELONGING }),
    resolve: (_root, { id, workspaceId }, ctx) =>
      setProjectWorkspace(authorized(ctx), id, workspaceId ?? null),
  }),
  workspaceCreate: t.field({
    type: Workspace,
    description: 'Creates a workspace; requests can be made under it at once.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(WORKSPACE_INPUT, 'What it allows.') }),
    resolve: (_root, { input }, ctx) => createWorkspace(authorized(ctx), input),
  }),
  workspaceChange: t.field({
    type: Workspace,
    description: 'Changes a workspace; it holds for the next request on every node.',
    authScopes: WRITE,
    args: argsOf(t, {
      id: uuid('The id of the workspace.'),
      input: object(WORKSPACE_CHANGE, 'What changes; what is left out stays.'),
    }),
    resolve: (_root, { id, input }, ctx) => changeWorkspace(authorized(ctx), id, input),
  }),
  workspaceDepartmentsEnable: t.field({
    type: Workspace,
    description: 'Enables departments of a workspace beside those that are enabled.',
    authScopes: WRITE,
    args: argsOf(t, {
      id: uuid('The id of the workspace.'),
      input: object(DEPARTMENTS_INPUT, 'Which departments are enabled.'),
    }),
    resolve: (_root, { id, input }, ctx) => enableDepartments(authorized(ctx), id, input),
  }),
  workspaceAdoptionRecord: t.field({
    type: AdoptionEvent,
    description: 'Records a step of taking a workspace up.',
    authScopes: { can: 'workspaces.record' },
    args: argsOf(t, { input: object(EVENT_INPUT, 'What happened in the workspace.') }),
    resolve: (_root, { input }, ctx) => recordEvent(authorized(ctx), input),
  }),
}));
