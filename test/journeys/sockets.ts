import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { TestApp } from '../support/app.js';

/** A socket that a credential opened. */
export interface LiveSocket {
  /** The code that the server closes it with. */
  readonly closed: Promise<number>;
}

/** Opens a socket and resolves when the server has taken it. */
export function openSocket(app: Pick<TestApp, 'url'>, credential: string): Promise<LiveSocket> {
  return new Promise((resolve) => {
    let close: (code: number) => void = () => {};
    const closed = new Promise<number>((resolveClosed) => {
      close = resolveClosed;
    });
    createClient({
      url: `${app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${credential}` },
      retryAttempts: 0,
      lazy: false,
      onNonLazyError: () => {},
      on: {
        connected: () => resolve({ closed }),
        closed: (event) => close((event as { code: number }).code),
      },
    });
  });
}
