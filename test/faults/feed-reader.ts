import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** An event of the approval feed as a subscriber gets it. */
export interface FeedItem {
  readonly id: string;
  readonly cursor: string;
  readonly payload: { readonly kind: string };
}

/** A subscription that somebody can cut. */
export interface Subscription {
  /** Cuts it: by a proper end of the connection, or by dropping it. */
  cut(way: 'goodbye' | 'drop'): void;
}

/** Where and from where on to subscribe; every event goes to `take`. */
export interface Subscribing {
  readonly url: string;
  readonly credential: string;
  readonly after: string;
  readonly take: (item: FeedItem) => void;
}

interface Result {
  readonly data?: { readonly approvalEvents: FeedItem };
}

const QUERY =
  'subscription($after: String) { approvalEvents(after: $after) { id cursor payload { kind } } }';

/** Subscribes over a socket; what comes after the cut is not taken. */
export function subscribeBySocket(subscribing: Subscribing): Subscription {
  const { url, credential, after, take } = subscribing;
  const address = `${url.replace('http', 'ws')}/graphql`;
  const socket = new WebSocket(address, 'graphql-transport-ws');
  let isCut = false;
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on('error', () => {});
  socket.on('open', () => {
    send({ type: 'connection_init', payload: { authorization: `Bearer ${credential}` } });
  });
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { type: string; payload?: Result };
    if (message.type === 'connection_ack') {
      send({ id: '1', type: 'subscribe', payload: { query: QUERY, variables: { after } } });
    }
    const item = message.payload?.data?.approvalEvents;
    if (item && !isCut) take(item);
  });
  return {
    cut(way) {
      isCut = true;
      const isOpen = socket.readyState === WebSocket.OPEN;
      if (isOpen && way === 'goodbye') send({ id: '1', type: 'complete' });
      if (isOpen && way === 'goodbye') socket.close(1_000);
      else socket.terminate();
    },
  };
}

/** Subscribes by server-sent events; what comes after the cut is not taken. */
export function subscribeByEvents(subscribing: Subscribing): Subscription {
  const { url, credential, after, take } = subscribing;
  let isCut = false;
  let rest = '';
  // A connection of its own, so that a cut closes it and nothing keeps it for later.
  const request = httpRequest(`${url}/graphql`, {
    method: 'POST',
    agent: false,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
    },
  });
  request.on('error', () => {});
  request.on('response', (response) => {
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (part: string) => {
      const events = (rest + part).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: {'));
        const result = data && (JSON.parse(data.slice('data: '.length)) as Result);
        const item = result ? result.data?.approvalEvents : undefined;
        if (item && !isCut) take(item);
      }
    });
  });
  request.end(JSON.stringify({ query: QUERY, variables: { after } }));
  return {
    cut(way) {
      isCut = true;
      if (way === 'drop') request.socket?.resetAndDestroy();
      request.destroy();
    },
  };
}

/** How a reader lives: its way to subscribe, its nodes, and how often it is cut. */
export interface ReaderLife {
  readonly subscribe: (subscribing: Subscribing) => Subscription;
  readonly urls: readonly string[];
  readonly credential: string;
  /** The cursor before the first event. */
  readonly start: string;
  readonly cuts: number;
}

const LIFE_MS_MAX = 60;
/** A reader that gets nothing for 20 s has lost what it waits for. */
const IDLE_LOOKS_MAX = 400;

/**
 * Follows the feed through so many cuts, each time going on after the last event that it took, on
 * whatever node, and then without a cut until `isComplete`.
 * @returns every event that it took, in the order in which it took them
 */
export async function readThroughCuts(
  life: ReaderLife,
  isComplete: (taken: readonly FeedItem[]) => Promise<boolean>,
): Promise<FeedItem[]> {
  const { subscribe, urls, credential, start, cuts } = life;
  const taken: FeedItem[] = [];
  const open = (index: number) =>
    subscribe({
      url: urls[index % urls.length] ?? '',
      credential,
      after: taken.at(-1)?.cursor ?? start,
      take: (item) => taken.push(item),
    });
  for (let cut = 0; cut < cuts; cut += 1) {
    const subscription = open(Math.floor(Math.random() * urls.length));
    // Every tenth is cut before it can have got anything.
    await sleep(cut % 10 === 0 ? 0 : Math.random() * LIFE_MS_MAX);
    subscription.cut(cut % 2 === 0 ? 'drop' : 'goodbye');
  }
  const last = open(0);
  let known = taken.length;
  for (let idle = 0; idle < IDLE_LOOKS_MAX && !(await isComplete(taken)); idle += 1) {
    if (taken.length > known) idle = 0;
    known = taken.length;
    await sleep(50);
  }
  // Whatever came twice would come now.
  await sleep(300);
  last.cut('goodbye');
  return taken;
}
