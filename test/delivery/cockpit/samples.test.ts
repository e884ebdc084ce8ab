import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { belongingsOf, callsOf } from './samples.js';

let app: TestApp;
let customer: Customer;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
});
afterAll(() => app.stop());

it('a run leaves one audit event by the member', async () => {
  await callsOf(app).migrationCheckRun?.(customer);
  const query =
    '{ auditEvents(filter: { action: { eq: "migrationCheckRun" } }) ' +
    '{ nodes { actorKind actorId subject } } }';
  const { data } = await graphql(app, query, {}, customer.token);
  const event = { actorKind: 'user', actorId: customer.userId, subject: 'MigrationCheckRun' };
  expect(data).toEqual({ auditEvents: { nodes: [event] } });
});

it('a run is a node to its own organization alone', async () => {
  const { MigrationCheckRun: id } = await belongingsOf(app, customer);
  const query = 'query($id: ID!) { node(id: $id) { id } }';
  const own = await graphql(app, query, { id }, customer.token);
  const stranger = await graphql(app, query, { id }, (await newCustomer(app)).token);
  expect(own.data).toEqual({ node: { id } });
  expect(stranger.errors?.[0]?.extensions.code).toBe('not_found');
});
