import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPROVAL_KINDS } from '../../src/records/approvals/vocabulary.js';
import {
  askException,
  cappedCustomer,
  decide,
  type RubleApp,
  startRubleApp,
} from '../access/budgets/ruble-app.js';
import { type ErrorBody, newMember, outcome } from '../journeys/people.js';
import { graphql, rest } from '../support/app.js';

let app: RubleApp;
beforeAll(async () => {
  app = await startRubleApp();
});
afterAll(() => app.stop());

interface List {
  readonly data: readonly { readonly id: string; readonly type?: string }[];
  readonly has_more: boolean;
}

/** A customer with so many approvals that wait, oldest first. */
async function withApprovals(count: number) {
  const customer = await cappedCustomer(app, { daily_rub: 1 });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { body } = await askException(app, customer.token, customer.policyId);
    ids.push(body.approval_id);
  }
  return { ...customer, ids };
}

async function listed(token: string, query = ''): Promise<string[]> {
  const path = `/v1/gw/approvals${query}`;
  const { body } = await rest<List>(app, 'GET', path, { credential: token });
  return body.data.map(({ id }) => id);
}

describe('the approval queue', () => {
  it("is narrowed by status and kind, newest first; others' approvals are not in it", async () => {
    const { token, ids } = await withApprovals(3);
    const [first = '', second = '', third = ''] = ids;
    await decide(app, token, first, 'approve');
    await decide(app, token, second, 'reject');
    expect(await listed(token)).toEqual([third, second, first]);
    expect(await listed(token, '?status=pending')).toEqual([third]);
    expect(await listed(token, '?status=approved&kind=budget_exception')).toEqual([first]);
    expect(await listed(token, '?status=rejected')).toEqual([second]);
    for (const { code } of APPROVAL_KINDS.rows) {
      const expected = code === 'budget_exception' ? [third, second, first] : [];
      expect(await listed(token, `?kind=${code}`)).toEqual(expected);
    }
    const { token: stranger } = await withApprovals(0);
    expect(await listed(stranger)).toEqual([]);
  });

  it('refuses an unknown status or kind, and names those that there are', async () => {
    const { token } = await withApprovals(0);
    const faultOf = async (query: string) => {
      const { status, body } = await rest<ErrorBody>(app, 'GET', `/v1/gw/approvals?${query}`, {
        credential: token,
      });
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      return body.error;
    };
    const { param, message } = await faultOf('status=open');
    expect([param, message]).toEqual([
      'status',
      '`status` must be one of pending, approved, rejected, expired.',
    ]);
    const { faults } = await faultOf('kind=tool');
    expect(faults?.map(({ path }) => path)).toEqual(['kind']);
    expect(JSON.stringify(faults)).toContain('tool_call');
  });

  it('publishes the lists that it decides by', async () => {
    const { data } = await graphql<{ references: { name: string; entries: { code: string }[] }[] }>(
      app,
      '{ references(module: "approvals") { name entries { code } } }',
    );
    const codes = Object.fromEntries(
      data.references.map(({ name, entries }) => [name, entries.map(({ code }) => code)]),
    );
    expect(codes).toEqual({
      'approvals.decision': ['approve', 'reject'],
      'approvals.event': [
        'requested',
        'approved',
        'rejected',
        'expired',
        'executed',
        'execution_failed',
      ],
      'approvals.execution': ['none', 'waiting', 'running', 'done', 'failed'],
      'approvals.kind': [
        'tool_call',
        'integration_action',
        'migration_cutover',
        'budget_exception',
        'spend_pause',
        'balance_operation',
      ],
      'approvals.status': ['pending', 'approved', 'rejected', 'expired'],
    });
  });
});

describe('a decision over REST', () => {
  it('is made once, with its reason, by a member, and says who approved themselves', async () => {
    const { token, userId, key, ids } = await withApprovals(2);
    const [first = '', second = ''] = ids;
    expect(outcome(await decide(app, key, first, 'approve'))).toBe('403 permission_denied');
    const approved = await decide(app, token, first, 'approve', { reason: 'agreed' });
    const alone = { decided_by: userId, reason: 'agreed', self_approved: true };
    expect(approved.body).toMatchObject({ id: first, status: 'approved', ...alone });
    expect(outcome(await decide(app, token, first, 'reject'))).toBe('422 approval_already_decided');
    const security = await newMember(app, token, 'security');
    expect(outcome(await decide(app, token, second, 'approve'))).toBe(
      '403 approval_self_forbidden',
    );
    const rejected = await decide(app, security.token, second, 'reject');
    expect(rejected.body).toMatchObject({
      status: 'rejected',
      decided_by: security.userId,
      self_approved: false,
      reason: null,
    });
  });

  it('holds for what was shown, and refuses a reason that cannot be kept', async () => {
    const { token, ids } = await withApprovals(1);
    const [id = ''] = ids;
    for (const body of [
      { shown_hash: 'a'.repeat(64) },
      { reason: 'x'.repeat(1_001) },
      { reason: '\ud800' },
    ]) {
      expect(outcome(await decide(app, token, id, 'approve', body))).toBe('400 invalid_request');
    }
    const path = `/v1/gw/approvals/${id}`;
    const { body } = await rest<{ shown_hash: string }>(app, 'GET', path, { credential: token });
    const decided = await decide(app, token, id, 'approve', { shown_hash: body.shown_hash });
    expect(outcome(decided)).toBe('200');
  });

  it("takes another organization's approval for one that does not exist", async () => {
    const [own, other] = await Promise.all([withApprovals(0), withApprovals(1)]);
    const [foreign = ''] = other.ids;
    const unknown = own.userId;
    const text = (body: unknown) =>
      JSON.stringify({ ...(body as { error: object }).error, request_id: '' });
    for (const [method, way] of [
      ['GET', ''],
      ['POST', '/approve'],
      ['POST', '/reject'],
    ] as const) {
      const [one, two] = await Promise.all(
        [foreign, unknown].map((id) =>
          rest(app, method, `/v1/gw/approvals/${id}${way}`, {
            credential: own.token,
            body: method === 'POST' ? {} : undefined,
          }),
        ),
      );
      expect(one && outcome(one)).toBe('404 not_found');
      expect(text(one?.body).replaceAll(foreign, unknown)).toBe(text(two?.body));
    }
    expect(await listed(other.token, '?status=pending')).toEqual([foreign]);
  });
});

describe('the feed over REST', () => {
  it('tells each event once, oldest first, page by page', async () => {
    const { token, ids } = await withApprovals(2);
    const [first = '', second = ''] = ids;
    await decide(app, token, first, 'approve');
    await decide(app, token, second, 'reject');
    const read = async (query: string) => {
      const path = `/v1/gw/approvals/events?${query}`;
      const { body } = await rest<
        List & { next_cursor: string; data: { type: string; approval_id: string }[] }
      >(app, 'GET', path, { credential: token });
      return body;
    };
    const visible = async () => (await read('limit=200')).data.length;
    await expect.poll(visible, { timeout: 10_000 }).toBe(4);
    const page = await read('limit=3');
    const rest3 = await read(`limit=3&cursor=${page.next_cursor}`);
    const told = [...page.data, ...rest3.data].map((row) => `${row.type} ${row.approval_id}`);
    expect(told).toEqual([
      `requested ${first}`,
      `requested ${second}`,
      `approved ${first}`,
      `rejected ${second}`,
    ]);
    expect([page.has_more, rest3.has_more]).toEqual([true, false]);
    const forged = await rest(app, 'GET', '/v1/gw/approvals/events?cursor=x', {
      credential: token,
    });
    expect(outcome(forged)).toBe('400 invalid_cursor');
    const { token: stranger } = await withApprovals(0);
    const foreign = await rest<List>(app, 'GET', '/v1/gw/approvals/events', {
      credential: stranger,
    });
    expect(foreign.body.data).toEqual([]);
  });

  it('is not read backwards', async () => {
    const { token } = await withApprovals(0);
    const { errors } = await graphql(
      app,
      '{ approvalEventHistory(last: 2) { nodes { id } } }',
      {},
      token,
    );
    expect(errors?.[0]?.extensions.code).toBe('graphql_invalid');
  });
});
