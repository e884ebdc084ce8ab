import type { Role } from '../../src/graph/permissions.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  type TestApp,
} from '../support/app.js';

/** Another member of a customer's organization, joined by an invite. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** The password of everybody in tests. */
export const PASSWORD = 'correct horse battery';

let emails = 0;

/** An e-mail that nobody has. */
export function freshEmail(): string {
  emails += 1;
  return `invited-${process.pid}-${emails}@example.test`;
}

/** Invites an e-mail to a role. @returns the token and the id of the invite */
export async function invite(
  app: Pick<TestApp, 'url'>,
  inviter: string,
  role: Role,
  email = freshEmail(),
): Promise<{ readonly token: string; readonly id: string; readonly email: string }> {
  const { data } = await graphql<{ inviteCreate: { token: string; invite: { id: string } } }>(
    app,
    `mutation($email: String!, $role: Role!) {
      inviteCreate(email: $email, role: $role) { token invite { id } }
    }`,
    { email, role },
    inviter,
  );
  return { token: data.inviteCreate.token, id: data.inviteCreate.invite.id, email };
}

/** A new member of a role. */
export async function newMember(
  app: Pick<TestApp, 'url'>,
  inviter: string,
  role: Role,
): Promise<Member> {
  const { token, email } = await invite(app, inviter, role);
  const { body } = await rest<{ accessToken: string; refreshToken: string; user: { id: string } }>(
    app,
    'POST',
    '/auth/accept-invite',
    { body: { token, password: PASSWORD } },
  );
  const { accessToken, refreshToken, user } = body;
  return { userId: user.id, email, token: accessToken, refreshToken };
}

/** A key of a type, made by a member. @returns its id and value */
export async function newKey(
  app: Pick<TestApp, 'url'>,
  creator: string,
  keyType: string,
  projectId?: string,
): Promise<{ readonly id: string; readonly key: string }> {
  const { body } = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
    credential: creator,
    body: { keyType, name: `a ${keyType} key`, project_id: projectId },
  });
  return { id: body.id, key: body.key };
}

/** The body of a failure. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly param: string | null;
    readonly faults?: readonly { readonly path: string; readonly code: string }[];
    readonly [more: string]: unknown;
  };
}

/** Status and code of an answer; the code is undefined where it is no failure. */
export function outcome(answer: Answer): string {
  const code = (answer.body as Partial<ErrorBody>).error?.code;
  return code === undefined ? String(answer.status) : `${answer.status} ${code}`;
}

/** A chat request with a text. */
export function chat(
  app: Pick<TestApp, 'url'>,
  credential: string,
  content = 'Здравствуйте',
  more: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Promise<Answer<ChatAnswer & ErrorBody>> {
  return rest(app, 'POST', '/v1/chat/completions', {
    credential,
    headers,
    body: { model: 'gw:auto', messages: [{ role: 'user', content }], ...more },
  });
}

/** What tests read of a chat answer. */
export interface ChatAnswer {
  readonly model: string;
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly gw_routing: {
    readonly request_id: string;
    readonly model: string;
    readonly cost_rub: number;
    readonly policies: readonly { readonly id: string; readonly version: number }[];
    readonly candidates: readonly { readonly model: string; readonly rejected?: string }[];
    readonly data_class: string;
  };
  readonly gw_firewall: {
    readonly verdict: string;
    readonly data_class: string;
    readonly data_class_sources: readonly Record<string, string>[];
    readonly findings: readonly { readonly class: string; readonly count: number }[];
  };
}

/** A policy over REST. */
export async function newPolicy(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly id: string; readonly version: number }> {
  const { body: policy } = await rest<{ id: string; version: number }>(
    app,
    'POST',
    '/v1/gw/policies',
    { credential, body },
  );
  return policy;
}

/** A customer whose only policy is the one given. */
export async function customerUnder(
  app: Pick<TestApp, 'url'>,
  policy: Readonly<Record<string, unknown>>,
  fundsRub = 500,
): Promise<Customer & { readonly policyId: string }> {
  const customer = await newCustomer(app, fundsRub);
  const { id } = await newPolicy(app, customer.token, policy);
  return { ...customer, policyId: id };
}
