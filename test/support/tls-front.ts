import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';

/** A TLS server that hands the bytes on to a server without TLS. */
export interface TlsFront {
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts it on a free port of the loopback, in front of the server at `origin`. */
export async function startTlsFront(origin: string, options: TlsOptions): Promise<TlsFront> {
  const { port: behind } = new URL(origin);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer(options, (socket) => {
    const inner = connect(Number(behind), '127.0.0.1');
    for (const each of [socket, inner]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    socket.on('close', () => inner.destroy());
    inner.on('close', () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://localhost:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
