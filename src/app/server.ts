import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedReport } from '../delivery/cockpit/share.js';
import type { Services } from '../graph/ctx.js';
import { toGatewayError } from '../kernel/errors/fail.js';
import { told } from '../kernel/errors/told.js';
import { languageHeaders, preferredLanguage } from '../kernel/language/languages.js';
import { type Config, ConfigError } from '../platform/config.js';
import { baseUrlOf } from './context.js';
import { documents } from './description.js';
import { createGraphql, GRAPHQL_PATH } from './graphql.js';
import { LedgerInvariantMonitor } from './ledger-invariant-monitor.js';
import { LiveCredentials } from './live-credentials.js';
import type { Load } from './load.js';
import { createOperations, registerGauges } from './operations.js';
import { createPages } from './pages/pages.js';
import { createRest, loadRestTable, modulesOfOperations } from './rest.js';
import { openSchema, printedSchema } from './schema.js';
import { startServices } from './services.js';
import { serveSockets } from './sockets.js';

/** A gateway that serves. */
export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly services: Services;
  /** Stops gracefully: no new requests, running ones to their end, books flushed. */
  stop(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 8_000;
const UPLOAD_TIMEOUT_MS = 15_000;
const CHECK_CONNECTIONS_MS = 1_000;
const KEEP_ALIVE_MS = 65_000;
const NOT_READY_FOR_MS = 1_000;
const CLOSE_IDLE_MS = 100;
/** What a settle may take, also when it has to go to the journal. */
const SETTLE_MS_MAX = 5_000;

/** The description of the REST paths as whoever reached this address reads it. */
function describedAt(described: ReturnType<typeof documents>, address: string) {
  return {
    json: described.get('/openapi.json')?.text(address) ?? '',
    yaml: described.get('/openapi.yaml')?.text(address) ?? '',
  };
}

/** Starts a gateway. Wrong REST rows and wrong configuration stop it here. */
export async function startServer(config: Config): Promise<RunningServer> {
  const schema = await openSchema();
  const table = await loadRestTable();
  const running = await startServices(config);
  const { services, load } = running;
  const live = new LiveCredentials(services);
  await live.follow();
  registerGauges(services, load);
  const books = new LedgerInvariantMonitor(services);
  books.start();
  const yoga = createGraphql(schema, services, live);
  const described = documents(table);
  // Kept, because a server that has stopped to listen no longer knows its port.
  let port = config.PORT;
  const address = () => config.GW_PUBLIC_URL ?? `http://localhost:${port}`;
  const rest = createRest(services, table, load, described, address);
  const express = createOperations(services, load);
  const moduleOf = modulesOfOperations(table, schema);
  express.use(
    createPages({
      baseUrlOf: (request) => baseUrlOf(services, request),
      openapi: (at) => describedAt(described, at),
      schemaSdl: () => printedSchema(schema),
      moduleOf,
      sharedReport: (token) => sharedReport(services, token),
      onFailure: (error, requestId) =>
        services.log.error({ err: error, requestId }, 'a page failed'),
    }),
  );
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      // Its next request on this connection would meet a node that is gone.
      if (load.isDraining) response.shouldKeepAlive = false;
      if (rest(request, response)) return;
      if (!isGraphql(request)) express(request, response);
      else if (countIn(request, response, load)) {
        void yoga(request, response, { req: request, res: response });
      }
    },
  );
  const closeSockets = serveSockets(server, yoga, services, live);
  const closeSilent = silentConnections(server);
  await listen(server, config);
  port = (server.address() as AddressInfo).port;
  services.ownAddress.listening(config.HOST, port);
  return {
    port,
    url: address(),
    services,
    async stop() {
      load.drain();
      if (config.NODE_ENV === 'production') await sleep(NOT_READY_FOR_MS);
      live.endFeeds();
      await closeSockets();
      await drain(server, services, closeSilent);
      // An answer may have left while its books are still being written.
      await load.idle(SETTLE_MS_MAX);
      live.close();
      books.stop();
      await running.stop();
    },
  };
}

function isGraphql({ url = '' }: IncomingMessage): boolean {
  return url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`);
}

/** Counts an operation of GraphQL in; feeds are not work. @returns false when it was refused */
function countIn(request: IncomingMessage, response: ServerResponse, load: Load): boolean {
  if (request.headers.accept?.includes('text/event-stream')) return true;
  response.once('close', () => load.done());
  try {
    load.admit();
    return true;
  } catch (error) {
    const failure = toGatewayError(error);
    const { code, status, details } = failure;
    const language = preferredLanguage(request.headers['accept-language']);
    const { message } = told(failure, language);
    const seconds = Math.ceil((details.retryAfterMs ?? 0) / 1_000);
    response.writeHead(status, {
      'content-type': 'application/json',
      'retry-after': String(seconds),
      ...languageHeaders(language),
    });
    response.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
    return false;
  }
}

function listen(server: Server, { PORT, HOST }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(
        isTaken ? new ConfigError(`port ${PORT} is in use by another process; set PORT`) : error,
      );
    };
    server.once('error', failed);
    server.listen(PORT, HOST, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

/**
 * Knows the connections of a server, and closes those that have never sent a byte: for Node they
 * are not idle, and it would wait for their first request.
 */
function silentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

/**
 * Takes no new connection and lets answers end. After the given time streams are ended with an
 * event that says why, and what is left then is cut.
 */
async function drain(server: Server, services: Services, closeSilent: () => void): Promise<void> {
  const timeoutMs = services.config.GW_DRAIN_TIMEOUT_MS;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = () => {
    server.closeIdleConnections();
    closeSilent();
  };
  closeIdle();
  const idle = setInterval(closeIdle, CLOSE_IDLE_MS);
  const end = setTimeout(() => services.runningStreams.endAll(), timeoutMs);
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs + SETTLE_MS_MAX);
  await closed;
  clearInterval(idle);
  clearTimeout(end);
  clearTimeout(cut);
}
