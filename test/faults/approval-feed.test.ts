import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthorizedCtx, Services } from '../../src/graph/ctx.js';
import { requestApproval } from '../../src/records/approvals/queue.js';
import { APPROVAL_KINDS, type ApprovalKindCode } from '../../src/records/approvals/vocabulary.js';
import { encodeCursor, FEED_START } from '../../src/records/feed.rules.js';
import { inTransaction } from '../../src/records/scope.js';
import { askException, decide } from '../access/budgets/ruble-app.js';
import { newPolicy } from '../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';
import {
  type FeedItem,
  readThroughCuts,
  subscribeByEvents,
  subscribeBySocket,
} from './feed-reader.js';

const TEST_MS_MAX = 120_000;
const CUTS_EACH = 250;
const START = encodeCursor(FEED_START);

let first: TestApp;
let second: TestApp;
beforeAll(async () => {
  first = await startApp();
  second = await startApp({ ...first.environment, GW_NODE_ID: 'second' });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const UNDONE = new Error('undone');

/** How long a transaction of a kind stays open at most: short ones pass long ones. */
const OPEN_MS_MAX: Readonly<Record<ApprovalKindCode, number>> = {
  tool_call: 1,
  integration_action: 300,
  migration_cutover: 10,
  budget_exception: 100,
  spend_pause: 30,
  balance_operation: 60,
};

/** Requests approvals of a kind in transactions that overlap; every seventh is undone. */
async function writeUntil(
  over: () => boolean,
  services: Services,
  customer: Customer,
  kind: ApprovalKindCode,
): Promise<void> {
  const { tenantId, userId } = customer;
  const ctx = { services, who: { kind: 'user', id: userId, tenantId } } as AuthorizedCtx;
  for (let round = 0; !over(); round += 1) {
    const writing = inTransaction(ctx, {}, async (tx) => {
      for (const part of ['a', 'b']) {
        const subject = { kind, subjectId: `${kind}-${round}-${part}`, summary: 'S', shown: {} };
        await requestApproval(ctx, { ...subject, expiresInSeconds: 3_600 }, { tx });
        await sleep(Math.random() * OPEN_MS_MAX[kind]);
      }
      if (round % 7 === 3) throw UNDONE;
    });
    await writing.catch((error) => {
      if (error !== UNDONE) throw error;
    });
    await sleep(Math.random() * 30);
  }
}

/** Asks for exceptions and decides about them, over REST, on both nodes. */
async function decideUntil(over: () => boolean, { token }: Customer): Promise<void> {
  const { id } = await newPolicy(first, token, { budgets: { daily_rub: 100 } });
  for (let round = 0; !over(); round += 1) {
    const asked = await askException(first, token, id, { amount_rub: 0.01 });
    await decide(second, token, asked.body.approval_id, round % 2 ? 'approve' : 'reject');
    await sleep(Math.random() * 200);
  }
}

describe('a subscriber of the approval feed', () => {
  it(
    'of four that are cut 1,000 times, over sockets and events and two nodes, sees each event once',
    async () => {
      const customer = await newCustomer(first);
      const foreign = await newCustomer(first);
      let finished = 0;
      const over = () => finished === 4;
      const kinds = APPROVAL_KINDS.codes;
      const nodes = [first.server.services, second.server.services] as const;
      const writers = [
        ...kinds.map((kind, n) => writeUntil(over, nodes[n % 2 ? 1 : 0], customer, kind)),
        writeUntil(over, nodes[1], foreign, 'tool_call'),
        decideUntil(over, customer),
      ];
      const written = async (): Promise<string[]> => {
        const sql = `SELECT id FROM feed_event WHERE tenant_id = $1 AND feed = 'approvals'
          ORDER BY txid, seq`;
        const { rows } = await first.owner.pool.query<{ id: string }>(sql, [customer.tenantId]);
        return rows.map(({ id }) => id);
      };
      let expected: string[] | undefined;
      const isComplete = async (taken: readonly FeedItem[]) =>
        expected !== undefined && taken.length >= expected.length;
      const ways = [subscribeBySocket, subscribeByEvents, subscribeBySocket, subscribeByEvents];
      const readers = ways.map((subscribe) => {
        const urls = [first.url, second.url];
        const life = { subscribe, urls, credential: customer.token, start: START, cuts: CUTS_EACH };
        let counted = false;
        return readThroughCuts(life, (taken) => {
          if (!counted) finished += 1;
          counted = true;
          return isComplete(taken);
        });
      });
      await Promise.all(writers);
      expected = await written();
      for (const taken of await Promise.all(readers)) {
        expect(taken.map(({ id }) => id)).toEqual(expected);
        expect(new Set(taken.map(({ payload }) => payload.kind))).toEqual(new Set(kinds));
      }
      expect(expected.length).toBeGreaterThan(100);
    },
    TEST_MS_MAX,
  );

  it(
    'that polls over REST by cursor sees the same events, and its cursors serve both',
    async () => {
      const customer = await newCustomer(first);
      let polled = 0;
      const over = () => polled > 40;
      const { services } = second.server;
      const writers = Promise.all([
        writeUntil(over, services, customer, 'tool_call'),
        writeUntil(over, services, customer, 'migration_cutover'),
      ]);
      const seen: FeedItem[] = [];
      const poll = async () => {
        const cursor = seen.at(-1)?.cursor;
        const path = `/v1/gw/approvals/events?limit=3${cursor ? `&cursor=${cursor}` : ''}`;
        const { body } = await rest<{ data: FeedItem[]; has_more: boolean }>(first, 'GET', path, {
          credential: customer.token,
        });
        polled += 1;
        seen.push(...body.data);
        return body;
      };
      while (!over()) await poll();
      await writers;
      const sql = 'SELECT id FROM feed_event WHERE tenant_id = $1 ORDER BY txid, seq';
      const { rows } = await second.owner.pool.query<{ id: string }>(sql, [customer.tenantId]);
      while (seen.length < rows.length) await poll();
      expect(seen.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      expect(await poll()).toEqual({
        object: 'list',
        data: [],
        has_more: false,
        next_cursor: null,
      });
      const taken: FeedItem[] = [];
      const subscription = subscribeBySocket({
        url: second.url,
        credential: customer.token,
        after: seen.at(-4)?.cursor ?? '',
        take: (item) => taken.push(item),
      });
      await expect
        .poll(() => taken.map(({ id }) => id))
        .toEqual(seen.slice(-3).map(({ id }) => id));
      subscription.cut('goodbye');
    },
    TEST_MS_MAX,
  );
});
