import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { DESK, register } from './world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  await register(app, customer, DESK);
});
afterAll(() => app.stop());

const ACTION = { tool_key: 'desk', verb: 'close', arguments: { id: 'T-1' } };
const MUTATION = `mutation {
  toolCallExecute(input: { toolKey: "desk", verb: "close", arguments: { id: "T-1" } }) { id }
}`;

/** What a node leaves that died after the call and before its answer was kept. */
async function loseAnswer(key: string): Promise<void> {
  const { rowCount } = await app.owner.pool.query(
    `UPDATE idempotency_record SET status = 'running', answer = NULL, http_status = NULL,
       content_type = NULL, renewed_at = renewed_at - interval '10 minutes'
     WHERE tenant_id = $1 AND key = $2`,
    [customer.tenantId, key],
  );
  expect(rowCount).toBe(1);
}

function callCount(): Promise<number> {
  const { prisma } = app.owner;
  return prisma.toolCall.count({ where: { tenantId: customer.tenantId } });
}

describe('a keyed request that is repeated because its node died', () => {
  it.each<[string, () => [path: string, body: object], (body: unknown) => string]>([
    ['REST', () => ['/v1/gw/tools/execute', ACTION], (body) => (body as { id: string }).id],
    [
      'GraphQL',
      () => ['/graphql', { query: MUTATION }],
      (body) => (body as { data: { toolCallExecute: { id: string } } }).data.toolCallExecute.id,
    ],
  ])('finds the call that it made, over %s, and makes no other', async (way, request, idOf) => {
    const [path, body] = request();
    const key = `died-${way}`;
    const headers = { 'idempotency-key': key };
    const ask = () => rest(app, 'POST', path, { credential: customer.token, body, headers });
    const first = idOf((await ask()).body);
    const before = await callCount();
    await loseAnswer(key);
    expect(idOf((await ask()).body)).toBe(first);
    expect(await callCount()).toBe(before);
    // Under another key it is another wish.
    const other = await rest(app, 'POST', path, {
      credential: customer.token,
      body,
      headers: { 'idempotency-key': `${key}-again` },
    });
    expect(idOf(other.body)).not.toBe(first);
    expect(await callCount()).toBe(before + 1);
  });
});
