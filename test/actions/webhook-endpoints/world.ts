import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';
import { requestApproval } from '../../../src/records/approvals/queue.js';
import { type Customer, rest, type TestApp } from '../../support/app.js';
import { type Canary, type Hit, type Reply, startCanary } from '../webhook/canary.js';

/** An endpoint as REST shows it. */
export interface Endpoint {
  readonly id: string;
  readonly status: string;
  readonly secret: string;
  readonly [name: string]: unknown;
}

/** A delivery as REST shows it. */
export interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly response_status: number | null;
  readonly failure: string | null;
  readonly response: string | null;
  readonly payload: Message;
  readonly attempt_log: readonly { readonly number: number; readonly failure: string | null }[];
  readonly [name: string]: unknown;
}

/** A message as receivers read it. */
export interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Lets receivers of this machine be called, and tries again soon. */
export const SETTINGS = {
  GW_WEBHOOK_ALLOW: '127.0.0.1',
  GW_WEBHOOK_RETRY_SECONDS: '1,1',
  GW_WEBHOOK_TIMEOUT_MS: '1000',
};

/** Receivers that end with their test. */
export class Receivers {
  private readonly running: Canary[] = [];

  async start(reply?: Reply): Promise<Canary> {
    const canary = await startCanary(reply);
    this.running.push(canary);
    return canary;
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.splice(0).map((canary) => canary.stop()));
  }
}

/** Calls a path of webhooks. */
export function webhooks<T = Endpoint>(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  method: string,
  path = '',
  body?: unknown,
) {
  const given = body === undefined && method !== 'GET' && method !== 'DELETE' ? {} : body;
  return rest<T>(app, method, `/v1/gw/webhooks${path}`, { credential: token, body: given });
}

/** Makes an endpoint at a receiver. */
export async function endpointAt(
  app: Pick<TestApp, 'url'>,
  customer: Pick<Customer, 'token'>,
  { port }: Pick<Canary, 'port'>,
  eventTypes?: readonly string[],
): Promise<Endpoint> {
  const body = { url: `http://127.0.0.1:${port}/hook`, event_types: eventTypes };
  const created = await webhooks(app, customer, 'POST', '', body);
  expect(created.status).toBe(200);
  return created.body;
}

/** The deliveries to an endpoint, newest first. */
export async function deliveriesOf(
  app: Pick<TestApp, 'url'>,
  customer: Pick<Customer, 'token'>,
  { id }: Pick<Endpoint, 'id'>,
  query = '',
): Promise<readonly Delivery[]> {
  const path = `/${id}/deliveries${query}`;
  const { body } = await webhooks<{ data: Delivery[] }>(app, customer, 'GET', path);
  return body.data;
}

/** Asks for something that waits for an approval, which tells the feed. @returns its id */
export async function ask(app: TestApp, customer: Customer, subjectId = 'a'): Promise<string> {
  const { tenantId, userId } = customer;
  const { services } = app.server;
  const ctx = { services, who: { kind: 'user', id: userId, tenantId } } as AuthorizedCtx;
  const subject = { kind: 'tool_call', subjectId, summary: 'A secret summary', shown: {} } as const;
  return (await requestApproval(ctx, { ...subject, expiresInSeconds: 3_600 })).id;
}

/** Asks so many times, in one transaction each of the database's own making. */
export async function plantEvents(
  { owner }: TestApp,
  { tenantId, userId }: Customer,
  count: number,
): Promise<void> {
  await owner.pool.query(
    `INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
     SELECT gen_random_uuid(), $1, 'approvals', 'requested', n::text, jsonb_build_object(
       'approvalId', gen_random_uuid(), 'kind', 'tool_call', 'subjectId', n::text, 'status',
       'pending', 'execution', 'none', 'requestedBy', $2::text, 'decidedBy', NULL,
       'selfApproved', false)
     FROM generate_series(1, $3::int) n`,
    [tenantId, userId, count],
  );
}

/** The message of this number that has arrived, from 0. */
export function arrived({ hits }: Pick<Canary, 'hits'>, index = 0): Hit {
  const hit = hits[index];
  if (!hit) throw new Error(`message ${index} has not arrived`);
  return hit;
}

/** What a receiver does with a message: the signature is checked, then the body is read. */
export function verified({ body, headers }: Hit, secret: string): Message {
  return new Webhook(secret).verify(body, headers) as Message;
}
