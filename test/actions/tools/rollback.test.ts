import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { type Receiver, startReceiver } from './receiver.js';
import { DESK, decide, execute, REFUND, receiptOf, register } from './world.js';

let app: TestApp;
let endpoint: Receiver;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ GW_WEBHOOK_ALLOW: '127.0.0.1' });
  endpoint = await startReceiver();
  customer = await newCustomer(app);
  await register(app, customer, { ...DESK, endpoint_url: endpoint.url });
});
afterAll(async () => {
  await app?.stop();
  await endpoint?.close();
});

const CLOSE = { tool_key: 'desk', verb: 'close', arguments: { id: 'T-1' } };

async function closed(): Promise<string> {
  return (await execute(app, customer.token, CLOSE)).body.id;
}

function rollback(id: string, body: object = {}, credential = customer.token) {
  return decide(app, credential, id, 'rollback', body);
}

describe('a rollback', () => {
  it('calls the compensating verb with arguments and answer of what it undoes', async () => {
    const id = await closed();
    const { status, body } = await rollback(id, { reason: 'Closed by mistake.' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      verb: 'open',
      arguments: { id: 'T-1' },
      rollback_of: id,
      status: 'executed',
      reason: 'Closed by mistake.',
    });
    const message = JSON.parse(endpoint.received.at(-1)?.text ?? '') as Record<string, unknown>;
    expect(message).toMatchObject({
      id: body.id,
      verb: 'open',
      rollback_of: {
        id,
        verb: 'close',
        arguments: { id: 'T-1' },
        result: { status_code: 200, text: '{"ok":true}' },
      },
    });
    const { body: undone } = await receiptOf(app, customer.token, id);
    expect(undone.rollback).toEqual({
      available: true,
      verb: 'open',
      reason: null,
      call_id: body.id,
    });
    const { body: undoing } = await receiptOf(app, customer.token, body.id);
    expect(undoing).toMatchObject({ rollback_of: id, rollback: { available: false, verb: null } });
  });

  it('may take arguments of its own', async () => {
    const { body } = await rollback(await closed(), { arguments: { id: 'T-2' } });
    expect(body.arguments).toEqual({ id: 'T-2' });
  });

  it('goes through the same action policy: it may wait for an approval or be blocked', async () => {
    const { body: refund } = await execute(app, customer.token, REFUND);
    await decide(app, customer.token, refund.id, 'approve');
    const { body } = await rollback(refund.id, { arguments: { amount_rub: '50000.00' } });
    expect(body).toMatchObject({ status: 'pending', guard: 'amount_above_limit' });
  });

  it('is made once, however many ask at the same time', async () => {
    const id = await closed();
    const before = endpoint.received.length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => rollback(id)));
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1);
    expect(outcomes.filter((answer) => answer === '409 tool_rollback_exists')).toHaveLength(9);
    expect(endpoint.received).toHaveLength(before + 1);
  });

  it('can be asked for again only when it was rejected', async () => {
    const id = await closed();
    await register(app, customer, {
      ...DESK,
      endpoint_url: endpoint.url,
      verbs: [...DESK.verbs.slice(0, 2), { verb: 'open', requires_approval: true }],
    });
    const { body: first } = await rollback(id);
    expect(first.status).toBe('pending');
    expect(outcome(await rollback(id))).toBe('409 tool_rollback_exists');
    await decide(app, customer.token, first.id, 'reject');
    const { body: second } = await rollback(id);
    expect(second).toMatchObject({ status: 'pending', rollback_of: id });
    await register(app, customer, { ...DESK, endpoint_url: endpoint.url });
  });

  it('is offered only for executed calls whose contract names the verb', async () => {
    const read = (await execute(app, customer.token, { ...CLOSE, verb: 'read' })).body.id;
    const pending = (await execute(app, customer.token, REFUND)).body.id;
    const blocked = (await execute(app, customer.token, { ...CLOSE, verb: 'send' })).body.id;
    const reasons = [];
    for (const id of [read, pending, blocked]) {
      const answer = await rollback(id);
      expect(outcome(answer)).toBe('422 tool_rollback_unavailable');
      const { message } = (answer.body as unknown as { error: { message: string } }).error;
      reasons.push(message.replace(id, '<id>'));
    }
    expect(reasons).toEqual([
      'The call <id> cannot be undone: the contract names no verb that undoes read.',
      'The call <id> cannot be undone: it is pending.',
      'The call <id> cannot be undone: it is blocked.',
    ]);
  });

  it('is refused where the contract in force does not name the verb any more', async () => {
    const id = await closed();
    await register(app, customer, { ...DESK, verbs: ['read', 'close', 'open'] });
    expect(outcome(await rollback(id))).toBe('422 tool_rollback_unavailable');
    await register(app, customer, { ...DESK, endpoint_url: endpoint.url });
  });
});
