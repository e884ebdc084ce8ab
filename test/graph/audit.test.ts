import { auditServer } from 'graphql-http';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { encodeCursor, FEED_START } from '../../src/records/feed.rules.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

it('passes every audit of GraphQL over HTTP', async () => {
  const results = await auditServer({ url: `${app.url}/graphql` });
  expect(
    results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`),
  ).toEqual([]);
  expect(results).toHaveLength(61);
});

const LEDGER = `subscription Ledger($after: String) {
  ledgerEvents(after: $after) { cursor entry { type amountRub requestId } }
}`;

/** Stands before the first event, so that a test need not know when a subscription has begun. */
const BEGINNING = encodeCursor(FEED_START);

interface LedgerEvent {
  readonly ledgerEvents: {
    readonly cursor: string;
    readonly entry: { readonly type: string; readonly amountRub: string };
  };
}

/** A client of subscriptions on one transport. */
interface Subscriber {
  events(after?: string): AsyncIterableIterator<{ data?: LedgerEvent | null; errors?: unknown }>;
  dispose(): void;
  /** Resolves with the reason when the server has closed the connection. */
  readonly closed: Promise<unknown>;
}

const TRANSPORTS: Readonly<Record<string, (key: string) => Subscriber>> = {
  'a socket': overSocket,
  'server-sent events': overEvents,
};

function overSocket(key: string): Subscriber {
  let close: (reason: unknown) => void;
  const closed = new Promise<unknown>((resolve) => {
    close = resolve;
  });
  const client = createSocketClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
    on: { closed: (event) => close((event as { code?: number }).code) },
  });
  return {
    events: (after) => client.iterate<LedgerEvent>({ query: LEDGER, variables: { after } }),
    dispose: () => void client.dispose(),
    closed,
  };
}

function overEvents(key: string): Subscriber {
  const client = createSseClient({
    url: `${app.url}/graphql`,
    headers: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  });
  return {
    events: (after) => client.iterate<LedgerEvent>({ query: LEDGER, variables: { after } }),
    dispose: () => client.dispose(),
    closed: Promise.resolve('ended'),
  };
}

async function topUp(customer: Customer, rubles: number): Promise<void> {
  const answer = await rest(app, 'POST', '/billing/top-up/manual', {
    credential: customer.token,
    body: { amount_rub: rubles },
  });
  expect(answer.status).toBe(200);
}

/** The next event; fails where the stream ended or said an error. */
async function next(events: ReturnType<Subscriber['events']>) {
  const { value, done } = await events.next();
  expect(done ?? false).toBe(false);
  expect(value.errors).toBeUndefined();
  if (!value.data) throw new Error('the event has no data');
  return value.data.ledgerEvents;
}

for (const [transport, subscriberWith] of Object.entries(TRANSPORTS)) {
  describe(`ledger events over ${transport}`, () => {
    it('arrive as they are written, and resume after a cursor without gap or double', async () => {
      const customer = await newCustomer(app, 1);
      const subscriber = subscriberWith(customer.key);
      const events = subscriber.events(BEGINNING);
      const first = await next(events);
      expect(first.entry).toMatchObject({ type: 'top_up', amountRub: '1.00' });
      const received = next(events);
      await topUp(customer, 2);
      const second = await received;
      expect(second.entry).toMatchObject({ type: 'top_up', amountRub: '2.00' });
      await topUp(customer, 3);
      await topUp(customer, 4);
      const third = await next(events);
      expect(third.entry.amountRub).toBe('3.00');
      await events.return?.();
      subscriber.dispose();
      const again = subscriberWith(customer.key);
      const resumed = again.events(second.cursor);
      expect((await next(resumed)).entry.amountRub).toBe('3.00');
      expect((await next(resumed)).entry.amountRub).toBe('4.00');
      await resumed.return?.();
      again.dispose();
    });

    it('end when the key is revoked', async () => {
      const customer = await newCustomer(app, 1);
      const subscriber = subscriberWith(customer.key);
      const events = subscriber.events(BEGINNING);
      await next(events);
      const ended = events.next().then(
        ({ done }) => done,
        () => true,
      );
      await rest(app, 'DELETE', `/api-keys/${customer.keyId}`, { credential: customer.token });
      expect(await ended).toBe(true);
      expect(await subscriber.closed).toBe(transport === 'a socket' ? 4403 : 'ended');
      subscriber.dispose();
      const refused = subscriberWith(customer.key);
      const said = await refused
        .events()
        .next()
        .then(
          ({ value }) => value?.errors ?? 'nothing',
          () => 'refused',
        );
      expect(said).not.toBe('nothing');
      refused.dispose();
    });
  });
}
