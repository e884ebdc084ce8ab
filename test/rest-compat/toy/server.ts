import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { RestHooks } from '../../../rest-compat/hooks.js';
import { mountRest } from '../../../rest-compat/mount.js';
import { loadTable } from '../../../rest-compat/table.js';
import type { Ctx } from '../../../src/graph/ctx.js';
import { type Thing, type ToyCalls, toySchema, toyThings } from './schema.js';

/** The folder of the REST layer. */
export const REST = fileURLToPath(new URL('../../../rest-compat', import.meta.url));
/** The folder of the toy's rows. */
export const TOY_ROUTES = fileURLToPath(new URL('routes', import.meta.url));

export function toyTable(things: readonly Thing[] = toyThings(3), calls: ToyCalls = newCalls()) {
  const schema = toySchema(things, calls);
  return loadTable({ schema, directory: REST, routesDirectory: TOY_ROUTES });
}

export function newCalls(): ToyCalls {
  return { created: [], signal: undefined, closed: 0 };
}

export interface Toy {
  readonly url: string;
  readonly calls: ToyCalls;
  readonly done: { name: string; status: number }[];
  readonly failures: string[];
  close(): Promise<void>;
}

/** The toy behind a real socket. A bearer of any text is a caller; `/other` is someone else's. */
export async function startToy(
  hooks: Partial<RestHooks> = {},
  things: readonly Thing[] = toyThings(3),
): Promise<Toy> {
  const calls = newCalls();
  const done: Toy['done'] = [];
  const failures: string[] = [];
  let requests = 0;
  const handler = mountRest(toyTable(things, calls), {
    newRequestId() {
      requests += 1;
      return `request-${requests}`;
    },
    docUrl: (code) => `https://docs.test/errors#${code}`,
    contextFor(request, arrival) {
      if (request.headers['x-watch']) calls.signal = arrival.signal;
      const who = request.headers.authorization ? { id: 'caller' } : undefined;
      const transport = { headers: { 'x-ratelimit-limit-requests': '60' } };
      return { who, transport } as unknown as Ctx;
    },
    onDone: (row, _ctx, { status }) => done.push({ name: row.name, status }),
    onFailure: (error) => failures.push(String(error.cause)),
    ...hooks,
  });
  const server: Server = createServer((request, response) => {
    if (!handler(request, response)) response.writeHead(418).end('other');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    done,
    failures,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
