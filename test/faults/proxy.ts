import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Socket,
} from 'node:net';
import type pg from 'pg';

/** A TCP port in front of a service that can go away in more than one way. */
export interface ServiceProxy {
  readonly port: number;
  /** Keeps every connection open, takes new ones, and lets no byte through. */
  freeze(): void;
  /** Cuts every connection and refuses new ones, as when the service was killed. */
  refuse(): void;
  /** Lets through again; what was kept back comes first. */
  pass(): void;
  close(): Promise<void>;
}

/** Where a test database really is: the socket of the embedded server, or a port. */
export function addressOf({ host = '', port = 5432 }: pg.ClientConfig): NetConnectOpts {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** Starts the proxy on a free port of the loopback. */
export async function startProxy(service: NetConnectOpts): Promise<ServiceProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'freeze' | 'refuse' = 'pass';
  const server = createServer((client) => {
    if (mode === 'refuse') {
      client.destroy();
      return;
    }
    const upstream = connect(service);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
      if (mode === 'freeze') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void) => {
    for (const pair of [...pairs]) for (const socket of pair) act(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      mode = 'freeze';
      each((socket) => socket.pause());
    },
    refuse() {
      mode = 'refuse';
      each((socket) => socket.destroy());
    },
    pass() {
      mode = 'pass';
      each((socket) => socket.resume());
    },
    async close() {
      each((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
