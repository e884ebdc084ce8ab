import { chat, newMember } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest, type TestApp } from '../../support/app.js';

/** Two administrators of the platform, in one organization. */
export interface Office {
  readonly first: { readonly token: string; readonly userId: string };
  readonly second: { readonly token: string; readonly userId: string };
  /** A member of theirs who administers nothing but the organization. */
  readonly clerk: { readonly token: string; readonly userId: string };
}

/** Makes administrators of the platform known to an app. */
export async function newOffice(app: TestApp): Promise<Office> {
  const owner = await newCustomer(app);
  const second = await newMember(app, owner.token, 'admin');
  const clerk = await newMember(app, owner.token, 'admin');
  appoint(app, owner.userId, second.userId);
  return { first: owner, second, clerk };
}

/** Lists members as administrators, as the setting of the server would. */
export function appoint(app: TestApp, ...ids: readonly string[]): void {
  const { platformAdmins } = app.server.services.config;
  for (const id of ids) (platformAdmins as Set<string>).add(id);
}

export type Body = Record<string, unknown> & { readonly error?: { readonly code: string } };

/** One operation over REST, such as `refunds`. */
export function operate(
  app: Pick<TestApp, 'url'>,
  what: string,
  credential: string,
  body: Record<string, unknown>,
  headers?: Record<string, string>,
) {
  const path = `/v1/gw/billing/operations/${what}`;
  return rest<Body>(app, 'POST', path, { credential, body, headers });
}

/** A charged request of a customer. @returns its id and what it cost, in rubles */
export async function charged(app: TestApp, { key }: Customer, metadata: object = {}) {
  const { body } = await chat(app, key, 'Здравствуйте', { metadata });
  const { request_id: requestId, cost_rub: costRub } = body.gw_routing;
  return { requestId, costRub };
}

export async function balanceOf(app: Pick<TestApp, 'url'>, { token }: Customer): Promise<number> {
  const { body } = await rest(app, 'GET', '/billing/balance', { credential: token });
  return Number(body.balance_rub);
}

/** The lines of a type, newest first. */
export async function linesOf(app: Pick<TestApp, 'url'>, { token }: Customer, type: string) {
  const path = `/billing/ledger?type=${type}`;
  const { body } = await rest<{ data: Body[] }>(app, 'GET', path, { credential: token });
  return body.data;
}

export async function decide(app: TestApp, id: unknown, credential: string, decision = 'approve') {
  return graphql<{ approvalDecide: { status: string; execution: string } | null }>(
    app,
    `mutation($id: ID!) { approvalDecide(id: $id, decision: ${decision}) { status execution } }`,
    { id },
    credential,
  );
}
