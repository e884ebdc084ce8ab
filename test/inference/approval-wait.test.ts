import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphqlContext } from '../../src/app/context.js';
import { authorized } from '../../src/graph/database.js';
import { readChatRequest } from '../../src/inference/chat/request.js';
import { chatForCaller } from '../../src/inference/in-process.js';
import { newId } from '../../src/kernel/ids.js';
import {
  cappedCustomer,
  decide,
  type RubleApp,
  spendAll,
  spendRuble,
  startRubleApp,
  waiting,
} from '../access/budgets/ruble-app.js';
import { chat as rawChat } from '../faults/client.js';
import { ONE_RUBLE } from '../faults/two-nodes.js';
import { outcome } from '../journeys/people.js';
import { type Answer, rest, startApp, type TestApp } from '../support/app.js';

let app: RubleApp;
let other: TestApp;
beforeAll(async () => {
  app = await startRubleApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const WAIT = { gw_approval: { wait_seconds: 60, reason: 'The release needs it' } };

/** A customer whose daily ruble is spent. */
async function spentCustomer(more: Readonly<Record<string, unknown>> = {}) {
  const customer = await cappedCustomer(app, { daily_rub: 1 }, more);
  expect(await spendAll(app, customer.key)).toBe(1);
  return customer;
}

/** The one approval that waits, as soon as it is there. */
async function nextApproval(token: string): Promise<string> {
  await expect.poll(() => waiting(app, token), { timeout: 20_000 }).toHaveLength(1);
  return (await waiting(app, token))[0] ?? '';
}

function errorOf(answer: Answer): Record<string, unknown> {
  return (answer.body as { error: Record<string, unknown> }).error;
}

async function heldRub(token: string): Promise<unknown> {
  const { body } = await rest(app, 'GET', '/billing/balance', { credential: token });
  return body.held_rub;
}

async function exceptionsOf(policyId: string, token: string): Promise<object[]> {
  const path = `/v1/gw/policies/${policyId}/budget-exceptions`;
  const { body } = await rest<{ data: object[] }>(app, 'GET', path, { credential: token });
  return body.data;
}

describe('a chat request that waits for an approval', () => {
  it('resumes by itself when it is approved, and no provider sees what it asked', async () => {
    const { key, keyId, token, policyId } = await spentCustomer();
    const calls = app.double.log.length;
    const chat = spendRuble(app, key, WAIT);
    const approvalId = await nextApproval(token);
    expect(app.double.log.length).toBe(calls);
    await decide(app, token, approvalId, 'approve');
    const answer = await chat;
    expect(outcome(answer)).toBe('200');
    expect(answer.headers.get('x-gw-approval-id')).toBe(approvalId);
    const sent = JSON.parse(app.double.log.at(-1)?.body ?? '') as object;
    expect(sent).toEqual({ ...ONE_RUBLE, model: 'own-model' });
    expect(await exceptionsOf(policyId, token)).toMatchObject([
      {
        approval_id: approvalId,
        request_id: answer.headers.get('x-request-id'),
        requested_by: keyId,
        amount_rub: 1,
        reason: 'The release needs it',
        status: 'granted',
      },
    ]);
    expect(outcome(await spendRuble(app, key))).toBe('402 budget_exhausted');
  });

  it('resumes as a stream too, whose headers wait for the decision', async () => {
    const { key, token } = await spentCustomer();
    const chat = rawChat(app.url, {
      credential: key,
      body: { ...ONE_RUBLE, ...WAIT, stream: true },
    });
    const approvalId = await nextApproval(token);
    await decide(app, token, approvalId, 'approve');
    const seen = await chat;
    expect([seen.status, seen.complete, seen.headers['x-gw-approval-id']]).toEqual([
      200,
      true,
      approvalId,
    ]);
    expect(JSON.parse(app.double.log.at(-1)?.body ?? '')).not.toHaveProperty('gw_approval');
  });

  it('resumes when it is approved on another node', async () => {
    const { key, token } = await spentCustomer();
    const chat = spendRuble(app, key, WAIT);
    const approvalId = await nextApproval(token);
    expect(outcome(await decide(other, token, approvalId, 'approve'))).toBe('200');
    expect(outcome(await chat)).toBe('200');
  });

  it('resumes where the gateway itself asks for its caller', async () => {
    const { token } = await spentCustomer();
    const { services } = app.server;
    const request = { headers: {}, socket: {} } as Parameters<typeof graphqlContext>[2];
    const { signal } = new AbortController();
    const arrival = { requestId: newId('Request') };
    const bearer = `Bearer ${token}`;
    const ctx = authorized(
      await graphqlContext(services, arrival, request, bearer, 'graphql', signal, {}),
    );
    const chat = chatForCaller(ctx, 'blueprint', { ...ONE_RUBLE, ...WAIT });
    const approvalId = await nextApproval(token);
    await decide(app, token, approvalId, 'approve');
    const { answer, requestId } = await chat;
    expect(answer.choices).toMatchObject([{ message: { content: 'Да' } }]);
    const { rows } = await app.owner.pool.query(
      'SELECT request_id FROM budget_exception WHERE approval_id = $1',
      [approvalId],
    );
    expect(rows).toEqual([{ request_id: requestId }]);
  });

  it('asks for each exhausted budget in turn', async () => {
    const { key, token } = await cappedCustomer(app, { daily_rub: 1, monthly_rub: 1 });
    expect(await spendAll(app, key)).toBe(1);
    const chat = spendRuble(app, key, WAIT);
    const first = await nextApproval(token);
    await decide(app, token, first, 'approve');
    await expect.poll(() => waiting(app, token)).not.toContain(first);
    const second = await nextApproval(token);
    await decide(app, token, second, 'approve');
    expect(outcome(await chat)).toBe('200');
  });

  it('is enough by its own approval, also when five wait for the same budget', async () => {
    const { key, token } = await spentCustomer();
    const chats = Array.from({ length: 5 }, () => spendRuble(app, key, WAIT));
    await expect.poll(() => waiting(app, token), { timeout: 20_000 }).toHaveLength(5);
    const approvals = await waiting(app, token);
    await Promise.all(approvals.map((id) => decide(app, token, id, 'approve')));
    expect((await Promise.all(chats)).map(outcome)).toEqual(Array(5).fill('200'));
  });

  it('is refused with the reason when it is rejected, and nothing stays held', async () => {
    const { key, token } = await spentCustomer();
    const chat = spendRuble(app, key, WAIT);
    const approvalId = await nextApproval(token);
    await decide(app, token, approvalId, 'reject', { reason: 'wait for Monday' });
    const refused = await chat;
    expect(refused.status).toBe(403);
    expect(errorOf(refused)).toEqual({
      approval_id: approvalId,
      message: 'The approval that this request waited for was rejected: wait for Monday.',
      type: 'permission_error',
      param: null,
      code: 'approval_rejected',
      request_id: refused.headers.get('x-request-id'),
      doc_url: expect.any(String),
    });
    expect(await heldRub(token)).toBe(0);
  });

  it('is refused at its deadline, after which its approval can grant nothing', async () => {
    const { key, token, policyId } = await spentCustomer();
    const refused = await spendRuble(app, key, { gw_approval: { wait_seconds: 1 } });
    expect(outcome(refused)).toBe('402 approval_wait_timeout');
    const approvalId = String(errorOf(refused).approval_id);
    const late = await decide(app, token, approvalId, 'approve');
    expect(errorOf(late).message).toBe('This approval is already expired.');
    expect(await exceptionsOf(policyId, token)).toMatchObject([
      { status: 'expired', reason: 'A chat request waits for it.' },
    ]);
    expect(outcome(await spendRuble(app, key))).toBe('402 budget_exhausted');
  });

  it('takes its approval out of the queue when its client leaves', async () => {
    const { key, token, policyId } = await spentCustomer();
    const controller = new AbortController();
    const chat = fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...ONE_RUBLE, ...WAIT }),
    }).catch((error: Error) => error.name);
    await nextApproval(token);
    controller.abort();
    expect(await chat).toBe('AbortError');
    await expect
      .poll(() => exceptionsOf(policyId, token), { timeout: 20_000 })
      .toMatchObject([{ status: 'expired' }]);
    expect(await waiting(app, token)).toEqual([]);
  });

  it('keeps its place among the concurrent requests while it waits', async () => {
    const { key, token } = await spentCustomer({ limits: { concurrency: 1 } });
    const chat = spendRuble(app, key, WAIT);
    const approvalId = await nextApproval(token);
    expect(outcome(await spendRuble(app, key))).toBe('429 rate_limit_concurrency');
    await decide(app, token, approvalId, 'approve');
    expect(outcome(await chat)).toBe('200');
  });

  it('is not made to wait by a budget that only open requests hold', async () => {
    const { key, token } = await cappedCustomer(app, { daily_rub: 1 });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    app.double.script('own', { text: 'Да', usage, delayMs: 2_000 }, { text: 'Да', usage });
    const calls = app.double.log.length;
    const slow = spendRuble(app, key);
    await expect.poll(() => app.double.log.length).toBe(calls + 1);
    expect(outcome(await spendRuble(app, key, WAIT))).toBe('402 budget_reserved');
    expect(await waiting(app, token)).toEqual([]);
    expect(outcome(await slow)).toBe('200');
  });
});

describe('gw_approval', () => {
  it('is checked with all other members, and null is none', async () => {
    const { key } = await cappedCustomer(app, { daily_rub: 5 });
    const faultsOf = async (gw_approval: unknown) => {
      const answer = await spendRuble(app, key, { temperature: 3, gw_approval });
      const { faults } = errorOf(answer) as { faults: { path: string; code: string }[] };
      return faults.map(({ path, code }) => `${path} ${code}`);
    };
    const rest = 'temperature out_of_range';
    expect(await faultsOf('yes')).toEqual([rest, 'gw_approval wrong_type']);
    expect(await faultsOf({})).toEqual([rest, 'gw_approval.wait_seconds missing']);
    for (const wait_seconds of [0, 301, 1.5, '60', -1]) {
      const wrong = 'gw_approval.wait_seconds out_of_range';
      expect(await faultsOf({ wait_seconds })).toEqual([rest, wrong]);
    }
    const reasons = [' ', 'x'.repeat(501), 7, 'a \ud800 half', 'a \0 zero'];
    const codes = ['out_of_range', 'out_of_range', 'wrong_type', 'invalid', 'invalid'];
    for (const [index, reason] of reasons.entries()) {
      expect(await faultsOf({ wait_seconds: 1, reason })).toEqual([
        rest,
        `gw_approval.reason ${codes[index]}`,
      ]);
    }
    expect(outcome(await spendRuble(app, key, { gw_approval: null }))).toBe('200');
    expect(JSON.parse(app.double.log.at(-1)?.body ?? '')).not.toHaveProperty('gw_approval');
  });

  it('is taken out of the body; a request without it keeps its very object', () => {
    const plain = { model: 'gw:auto', messages: [{ role: 'user', content: 'x' }] };
    expect(readChatRequest(plain, 1).body).toBe(plain);
    const read = readChatRequest({ ...plain, gw_approval: { wait_seconds: 9 } }, 1);
    expect(read).toMatchObject({ stripped: true, approvalWait: { waitSeconds: 9 } });
    expect(read.body).toEqual(plain);
  });

  it('stands in what to do about an exhausted budget', async () => {
    const { key } = await spentCustomer();
    const refused = await spendRuble(app, key);
    expect(outcome(refused)).toBe('402 budget_exhausted');
    const { body } = await rest<{ data: { code: string; fix: string[] }[] }>(
      app,
      'GET',
      '/v1/gw/errors',
    );
    const row = body.data.find(({ code }) => code === 'budget_exhausted');
    expect(row?.fix.join(' ')).toMatch(/budget-exceptions.*gw_approval/);
  });
});
