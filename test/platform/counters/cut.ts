import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut, and held up. */
export interface Cut {
  readonly url: string;
  /** Ends every connection and refuses new ones. */
  down(): Promise<void>;
  /** Lets connections through again, at the same address. */
  up(): Promise<void>;
  /** Keeps back what either side sends, until `go`. */
  hold(): void;
  go(): void;
}

/** Opens a way to the server of a URL such as `redis://127.0.0.1:6379`. */
export async function openCut(target: string): Promise<Cut> {
  const { hostname, port, pathname, protocol } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `${protocol}//127.0.0.1:${address.port}${pathname}`,
    hold() {
      for (const socket of open) socket.pause();
    },
    go() {
      for (const socket of open) socket.resume();
    },
    async down() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    async up() {
      server.listen(address.port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
