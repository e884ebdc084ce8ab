import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { encodeCursor, FEED_START } from '../../../src/records/feed.rules.js';
import { type Customer, newCustomer } from '../../support/app.js';
import { type BudgetApp, startBudgetApp } from '../budgets/budget-app.js';
import { reachAlert, runAway, STORY } from './runaway.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app?.stop());

const QUERY = `subscription($after: String) {
  anomalyEvents(after: $after) {
    cursor
    type
    subjectId
    payload {
      __typename
      ... on AnomalyPayload { anomalyId kind: type scope scopeRef metric severity action }
      ... on SpendPausePayload { pauseId anomalyId scope scopeRef approvalId }
      ... on BudgetAlertPayload { budgetId budget thresholdPercent spentRub capRub }
    }
  }
}`;

interface Item {
  readonly cursor: string;
  readonly type: string;
  readonly subjectId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Told {
  readonly data: { readonly anomalyEvents: Item };
}

/** Takes so many events from a cursor on, and leaves. */
type Transport = (who: Customer, after: string, count: number) => Promise<Item[]>;

const bySocket: Transport = async ({ token }, after, count) => {
  const client = createClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
  });
  const items: Item[] = [];
  for await (const told of client.iterate({ query: QUERY, variables: { after } })) {
    items.push((told as unknown as Told).data.anomalyEvents);
    if (items.length === count) break;
  }
  await client.dispose();
  return items;
};

const byEvents: Transport = async ({ token }, after, count) => {
  const leaving = new AbortController();
  const { body } = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ query: QUERY, variables: { after } }),
  });
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const lines = [...text.matchAll(/^data: (\{.*\})\n/gm)];
    if (lines.length < count) continue;
    leaving.abort();
    const told = lines.slice(0, count);
    return told.map(([, json = '']) => (JSON.parse(json) as Told).data.anomalyEvents);
  }
  throw new Error('the feed has ended');
};

const START = encodeCursor(FEED_START);

describe('the feed of anomalies', () => {
  it('tells of an anomaly, a pause and an alert live, over both transports', async () => {
    const customer = await newCustomer(app, 100);
    const live = [bySocket, byEvents].map((take) => take(customer, START, STORY.length));
    const { budgetId, pause } = await runAway(app, customer);
    const [socket = [], events = []] = await Promise.all(live);
    expect(events).toEqual(socket);
    const told = new Map(socket.map((item) => [item.type, item]));
    expect([...told.keys()].sort()).toEqual(STORY);
    const whose = { anomalyId: pause.anomaly_id, scope: 'agent_session', scopeRef: 'runaway' };
    expect(told.get('anomaly')).toMatchObject({
      subjectId: pause.anomaly_id,
      payload: {
        __typename: 'AnomalyPayload',
        ...whose,
        kind: 'retry_loop',
        metric: 'retries',
        severity: 'medium',
        action: 'pause',
      },
    });
    const paused = { pauseId: pause.id, approvalId: pause.approval_id };
    for (const type of ['paused', 'resumed']) {
      expect(told.get(type)).toMatchObject({
        subjectId: pause.id,
        payload: { __typename: 'SpendPausePayload', ...whose, ...paused },
      });
    }
    expect(told.get('budget_alert')?.payload).toEqual({
      __typename: 'BudgetAlertPayload',
      budgetId,
      budget: 'Secret name',
      thresholdPercent: 50,
      spentRub: '5.00',
      capRub: '10.00',
    });
  });

  it('goes on after a cursor of either transport, and another tenant sees nothing', async () => {
    const customer = await newCustomer(app, 100);
    const other = await newCustomer(app, 100);
    await runAway(app, customer);
    const whole = await bySocket(customer, START, STORY.length);
    const ways = [
      [bySocket, byEvents],
      [byEvents, bySocket],
    ] as const;
    for (const [before, after] of ways) {
      const first = await before(customer, START, 2);
      const rest = await after(customer, first.at(-1)?.cursor ?? '', 2);
      expect([...first, ...rest]).toEqual(whole);
    }
    // From the begin, and from a cursor of the neighbour: its own event is the first that comes.
    const cursors = [START, whole[0]?.cursor ?? ''];
    const live = cursors.flatMap((cursor) =>
      [bySocket, byEvents].map((take) => take(other, cursor, 1)),
    );
    const budgetId = await reachAlert(app, other);
    for (const items of await Promise.all(live)) {
      expect(items).toMatchObject([{ type: 'budget_alert', payload: { budgetId } }]);
    }
  });
});
