import { afterAll, beforeAll, expect, it } from 'vitest';
import { USAGE_FEED } from '../../src/money/feeds/sources.js';
import { readFeed } from '../../src/records/feed.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 100);
  other = await newCustomer(app, 100);
});
afterAll(() => app.stop());

async function ask({ key }: Customer): Promise<void> {
  const body = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'hello' }] };
  const { status } = await rest(app, 'POST', '/v1/chat/completions', { credential: key, body });
  expect(status).toBe(200);
}

const HEADS = ['usageEvents', 'ledgerEvents', 'approvalEvents', 'anomalyEvents'];

it('the head of a feed is before all that comes, of the own organization alone', async () => {
  const query = `{ ${HEADS.map((each) => `${each}Head { cursor }`).join(' ')} }`;
  const { data } = await graphql<Record<string, { cursor: string }>>(
    app,
    query,
    {},
    customer.token,
  );
  const after = data.usageEventsHead?.cursor ?? '';
  const { pool } = app.server.services;
  const seen = async ({ tenantId }: Customer) =>
    (await readFeed(pool, USAGE_FEED, { tenantId, after })).length;
  expect(await seen(customer)).toBe(0);
  await ask(other);
  await ask(customer);
  await expect.poll(() => seen(customer)).toBe(1);
  await expect.poll(() => seen(other)).toBe(1);
});

it('the head of the approval queue is a cursor of its list, behind a credential', async () => {
  const path = '/v1/gw/approvals/events';
  const head = await rest<{ cursor: string }>(app, 'GET', `${path}/head`, {
    credential: customer.token,
  });
  expect([head.status, Object.keys(head.body)]).toEqual([200, ['cursor']]);
  const events = await rest<{ data: unknown[] }>(app, 'GET', `${path}?cursor=${head.body.cursor}`, {
    credential: customer.token,
  });
  expect([events.status, events.body.data]).toEqual([200, []]);
  expect((await rest(app, 'GET', `${path}/head`)).status).toBe(401);
});
