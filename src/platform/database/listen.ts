import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { opened } from './connection.js';
import { oneAtATime } from './one-at-a-time.js';

/** Takes the payload of one notification; it must not throw. */
export type NotificationHandler = (payload: string) => void;

/** Undoes what the call that returned it has done. */
export type Unsubscribe = () => void;

/**
 * Notifications of PostgreSQL over one connection of its own that comes back by itself. What is
 * sent while the connection is down is lost, so whoever keeps a cache drops it in `onConnected`,
 * after which no change can be missed, and may stop to rely on it from `onDisconnected`.
 */
export interface Listener {
  /** Handles the notifications of a channel. Resolves when the server has the subscription. */
  listen(channel: string, handler: NotificationHandler): Promise<Unsubscribe>;
  /** Hands a notification to the handlers of this process, as if the server had sent it. */
  tell(channel: string, payload: string): void;
  /** Called each time that the connection is lost. */
  onDisconnected(callback: () => void): Unsubscribe;
  /** Called each time that the connection is there again with every channel subscribed. */
  onConnected(callback: () => void): Unsubscribe;
  /** Ends the connection for good. */
  close(): Promise<void>;
}

/** Waits in milliseconds; the defaults are for production. */
export interface ListenerTimes {
  readonly retryMsMin?: number;
  readonly retryMsMax?: number;
  /** How often a silent connection is asked whether it is still there. */
  readonly heartbeatMs?: number;
}

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5_000;
const HEARTBEAT_MS = 5_000;
const ANSWER_MS_MAX = 2_000;

/** Opens the connection. @throws Error when the first attempt fails */
export async function createListener(
  connection: pg.ClientConfig,
  times: ListenerTimes = {},
): Promise<Listener> {
  const listener = new ReconnectingListener(connection, times);
  await listener.open();
  return listener;
}

class ReconnectingListener implements Listener {
  private readonly channels = new Map<string, Set<NotificationHandler>>();
  private readonly disconnected = new Set<() => void>();
  private readonly connected = new Set<() => void>();
  private readonly closing = new AbortController();
  private client: pg.Client | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: pg.ClientConfig,
    private readonly times: ListenerTimes,
  ) {}

  async open(): Promise<void> {
    const client = await opened({
      ...this.connection,
      application_name: 'gw-listener',
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      keepAlive: true,
    });
    oneAtATime(client);
    client.on('notification', ({ channel, payload }) => this.dispatch(channel, payload ?? ''));
    try {
      for (const channel of this.channels.keys()) await subscribe(client, channel);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.client = client;
    client.once('end', () => this.lost(client));
    this.heartbeat = setInterval(() => beat(client), this.times.heartbeatMs ?? HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  async listen(channel: string, handler: NotificationHandler): Promise<Unsubscribe> {
    const handlers = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, handlers.add(handler));
    const { client } = this;
    try {
      if (client) await subscribe(client, channel);
    } catch (error) {
      // Without a connection the channel is subscribed by the next one that opens.
      if (client === this.client) throw error;
    }
    return () => this.leave(channel, handler);
  }

  tell(channel: string, payload: string): void {
    this.dispatch(channel, payload);
  }

  onDisconnected(callback: () => void): Unsubscribe {
    this.disconnected.add(callback);
    return () => this.disconnected.delete(callback);
  }

  onConnected(callback: () => void): Unsubscribe {
    this.connected.add(callback);
    return () => this.connected.delete(callback);
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.heartbeat);
    await this.client?.end().catch(() => {});
  }

  private dispatch(channel: string, payload: string): void {
    for (const handler of this.channels.get(channel) ?? []) handler(payload);
  }

  private leave(channel: string, handler: NotificationHandler): void {
    const handlers = this.channels.get(channel);
    if (!handlers?.delete(handler) || handlers.size > 0) return;
    this.channels.delete(channel);
    // A connection that breaks meanwhile has no subscriptions anyway.
    const { client } = this;
    if (client) client.query(`UNLISTEN ${pg.escapeIdentifier(channel)}`).catch(() => {});
  }

  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearInterval(this.heartbeat);
    if (this.closing.signal.aborted) return;
    for (const callback of this.disconnected) callback();
    void this.reopen();
  }

  private async reopen(): Promise<void> {
    const { signal } = this.closing;
    const longest = this.times.retryMsMax ?? RETRY_MS_MAX;
    let wait = this.times.retryMsMin ?? RETRY_MS_MIN;
    while (!signal.aborted) {
      const opened = await this.open().then(
        () => true,
        () => false,
      );
      if (opened) return this.announce();
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      wait = Math.min(wait * 2, longest);
    }
  }

  private announce(): void {
    // The gateway was closed while the connection was being made.
    if (this.closing.signal.aborted) void this.close();
    else for (const callback of this.connected) callback();
  }
}

async function subscribe(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}

/** A server that is frozen or gone without a word is found by its silence. */
function beat(client: pg.Client): void {
  client.query('SELECT 1').catch(() => {
    void client.end().catch(() => {});
  });
}
