import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedReport } from '../delivery/cockpit/share.js';
import type { Services } from '../graph/ctx.js';
import type { Config } from '../platform/config.js';
import { beginServices } from './begun-services.js';
import { Connections } from './connections.js';
import { baseUrlOf } from './context.js';
import { documents } from './description.js';
import { createGraphql } from './graphql.js';
import { graphqlDoor } from './graphql-door.js';
import { isGraphqlPath } from './graphql-refusal.js';
import { isWellAddressed, refuseHost } from './host-door.js';
import { listeningFailure } from './listening-failure.js';
import { LiveCredentials } from './live-credentials.js';
import { createOperations } from './operations.js';
import { createPages } from './pages/pages.js';
import { registerMetrics } from './process-metrics.js';
import { createRest, loadRestTable, modulesOfOperations } from './rest.js';
import { openSchema, printedSchema } from './schema.js';
import { startServices } from './services.js';
import { serveSockets } from './sockets.js';
import { versionOf } from './version.js';
import type { WorkerSeat } from './workers/seat.js';

/** A gateway that serves. */
export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly services: Services;
  readonly connections: Connections;
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

/** What takes no settings is built while the database starts in processes of its own. */
async function beginAll(config: Config, seat: WorkerSeat | undefined) {
  const begun = beginServices(config, seat);
  try {
    const schema = await openSchema();
    return { begun, schema, table: await loadRestTable() };
  } catch (error) {
    await begun.abandon();
    throw error;
  }
}

/**
 * Starts a gateway. Wrong REST rows and wrong configuration stop it here.
 * @param seat of one of several workers
 */
export async function startServer(config: Config, seat?: WorkerSeat): Promise<RunningServer> {
  const { begun, schema, table } = await beginAll(config, seat);
  const running = await startServices(begun);
  const { services, load } = running;
  const live = new LiveCredentials(services);
  await live.follow();
  registerMetrics(services, load);
  services.booksMonitor.start(services);
  services.months.start(services);
  const yoga = createGraphql(schema, services, live);
  const door = graphqlDoor(services, load, yoga);
  const described = documents(table);
  // Kept, because a server that has stopped to listen no longer knows its port.
  let port = config.PORT;
  const address = () => config.GW_PUBLIC_URL ?? `http://localhost:${port}`;
  const rest = createRest(services, table, load, described);
  const schemaSdl = () => printedSchema(schema);
  const express = createOperations(services, load, versionOf(schemaSdl), seat?.figures);
  const moduleOf = modulesOfOperations(table, schema);
  express.use(
    createPages({
      baseUrlOf: (request) => baseUrlOf(services, request),
      openapi: (at) => describedAt(described, at),
      schemaSdl,
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
      if (!isWellAddressed(request)) return refuseHost(services, request, response);
      if (rest(request, response)) return;
      if (isGraphqlPath(request)) void door(request, response);
      else express(request, response);
    },
  );
  const connections = connectionsOf(server, services);
  await listen(server, config);
  // Not before: of a taken port the server of sockets prints a stack.
  const closeSockets = serveSockets(server, yoga, services, live, load);
  port = (server.address() as AddressInfo).port;
  services.ownAddress.listening(config.HOST, port);
  return {
    port,
    url: address(),
    services,
    connections,
    async stop() {
      load.drain();
      if (config.NODE_ENV === 'production') await sleep(NOT_READY_FOR_MS);
      live.endFeeds();
      await closeSockets();
      await drain(server, services, connections);
      // An answer may have left while its books are still being written.
      await load.idle(SETTLE_MS_MAX);
      live.close();
      await running.stop();
    },
  };
}

function connectionsOf(server: Server, { metrics }: Services): Connections {
  const connections = new Connections(server);
  const name = 'gw_connections';
  metrics.gauge({ name, help: 'Open connections.', read: () => connections.size });
  const help = 'Connections whose readers have something to take.';
  metrics.gauge({ name: `${name}_unread`, help, read: () => connections.unread });
  return connections;
}

function listen(server: Server, { PORT, HOST }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      reject(listeningFailure(error, { PORT, HOST }) ?? error);
    };
    server.once('error', failed);
    server.listen(PORT, HOST, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

/**
 * Takes no new connection and lets answers end. After the given time streams are ended with an
 * event that says why, and what is left then is cut.
 */
async function drain(server: Server, services: Services, connections: Connections): Promise<void> {
  const timeoutMs = services.config.GW_DRAIN_TIMEOUT_MS;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeIdle = () => {
    server.closeIdleConnections();
    connections.closeSilent();
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
