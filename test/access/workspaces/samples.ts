import { type Answer, type Customer, graphql, rest, type TestApp } from '../../support/app.js';

/** A workspace over REST, as tests read it. */
export interface WorkspaceBody {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** Creates a workspace. */
export function newWorkspace(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<WorkspaceBody>> {
  return rest<WorkspaceBody>(app, 'POST', '/v1/gw/workspaces', { credential: token, body });
}

/** Records an adoption event. */
export function adopt(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer<WorkspaceBody>> {
  const path = '/v1/gw/workspaces/adoption-events';
  return rest<WorkspaceBody>(app, 'POST', path, { credential, body });
}

const MEMBER = `mutation($id: ID!, $workspaceId: ID) {
  memberWorkspaceSet(id: $id, workspaceId: $workspaceId) { id workspaceId }
}`;

/** Says which workspace a member belongs to. */
export function placeMember(
  app: Pick<TestApp, 'url'>,
  credential: string,
  id: string,
  workspaceId: string | null,
) {
  return graphql<{ memberWorkspaceSet: { id: string; workspaceId: string | null } } | null>(
    app,
    MEMBER,
    { id, workspaceId },
    credential,
  );
}

const PROJECT = `mutation($id: ID!, $workspaceId: ID) {
  projectWorkspaceSet(id: $id, workspaceId: $workspaceId) { id workspaceId }
}`;

/** Says under which workspace requests in a project are made. */
export function placeProject(
  app: Pick<TestApp, 'url'>,
  credential: string,
  id: string,
  workspaceId: string | null,
) {
  return graphql<{ projectWorkspaceSet: { id: string; workspaceId: string | null } } | null>(
    app,
    PROJECT,
    { id, workspaceId },
    credential,
  );
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const onOne = (query: string) => async (customer: Customer) => {
    const { body } = await newWorkspace(app, customer);
    return graphql(app, query, { id: body.id }, customer.token);
  };
  return {
    workspaceCreate: ({ token }) =>
      graphql(app, 'mutation { workspaceCreate(input: {}) { id } }', {}, token),
    workspaceChange: onOne(
      'mutation($id: ID!) { workspaceChange(id: $id, input: { name: "Other" }) { id } }',
    ),
    workspaceDepartmentsEnable: onOne(`mutation($id: ID!) {
      workspaceDepartmentsEnable(id: $id, input: { departments: [hr] }) { id } }`),
    memberWorkspaceSet: async ({ token, userId }) => placeMember(app, token, userId, null),
    projectWorkspaceSet: async ({ token, projectId }) => placeProject(app, token, projectId, null),
    workspaceAdoptionRecord: onOne(`mutation($id: ID!) {
      workspaceAdoptionRecord(input: { workspaceId: $id, event: first_request }) { id } }`),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { body } = await newWorkspace(app, customer);
  const event = { workspace_id: body.id, event: 'employee_invited' };
  const adopted = await adopt(app, customer.token, event);
  return { Workspace: body.id, AdoptionEvent: adopted.body.id };
}
