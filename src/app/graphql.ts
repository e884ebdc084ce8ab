import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { useServer } from 'graphql-ws/use/ws';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { WebSocketServer } from 'ws';
import type { Services } from '../graph/ctx.js';
import { graphqlContext } from './context.js';
import {
  aliasRule,
  endsWithCredential,
  type OperationCtx,
  pricedAndPresented,
  tokenLimit,
} from './graphql-plugins.js';
import type { LiveCredentials } from './live-credentials.js';
import { schema } from './schema.js';

/** Where GraphQL is served, over HTTP, server-sent events and sockets. */
export const GRAPHQL_PATH = '/graphql';

interface HttpInit {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface SocketInit {
  readonly socketRequest?: IncomingMessage;
  readonly authorization?: string;
}

type Yoga = YogaServerInstance<HttpInit & SocketInit, OperationCtx>;

/** GraphQL of this process. */
export function createGraphql(services: Services, live: LiveCredentials): Yoga {
  return createYoga<HttpInit & SocketInit, OperationCtx>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    logging: false,
    batching: false,
    maskedErrors: false,
    cors: {
      origin: '*',
      allowedHeaders: ['authorization', 'content-type'],
      methods: ['GET', 'POST', 'OPTIONS'],
    },
    plugins: [tokenLimit(), aliasRule(), endsWithCredential(live), pricedAndPresented()],
    async context(init) {
      const { socketRequest } = init;
      const ending = new AbortController();
      const http = init as { request?: Request };
      http.request?.signal.addEventListener('abort', () => ending.abort(), { once: true });
      const ctx = await graphqlContext(
        services,
        socketRequest ?? init.req,
        socketRequest ? init.authorization : init.req.headers.authorization,
        socketRequest ? 'socket' : 'graphql',
        ending.signal,
      );
      return { ...ctx, end: () => ending.abort() };
    },
  });
}

const INIT_WITHIN_MS = 3_000;
const PAYLOAD_BYTES_MAX = 64 * 1024;
const OPERATIONS_MAX = 20;
const CLOSED_BY_CREDENTIAL = 4403;
const TOO_MANY_OPERATIONS = 4429;

interface SocketState {
  forget?: () => void;
  operations: number;
  authorization: string | undefined;
}

/** Serves graphql-ws on the same port. @returns a function that closes every socket */
export function serveSockets(
  server: Server,
  yoga: Yoga,
  services: Services,
  live: LiveCredentials,
): () => Promise<void> {
  const sockets = new WebSocketServer({
    server,
    path: GRAPHQL_PATH,
    maxPayload: PAYLOAD_BYTES_MAX,
  });
  const states = new WeakMap<object, SocketState>();
  const disposable = useServer(
    {
      connectionInitWaitTimeout: INIT_WITHIN_MS,
      execute: (args) => executorOf(args).execute(args),
      subscribe: (args) => executorOf(args).subscribe(args),
      async onConnect({ connectionParams, extra }) {
        const shown = connectionParams?.authorization ?? connectionParams?.Authorization;
        const authorization =
          typeof shown === 'string' ? shown : extra.request.headers.authorization;
        const { who, expiresAtMs } = await services.authenticator.identify(authorization, true);
        const state: SocketState = { operations: 0, authorization };
        states.set(extra.socket, state);
        if (!who || authorization === undefined) return authorization === undefined;
        state.forget = live.add({
          authorization,
          tenantId: who.tenantId,
          expiresAtMs,
          end: () => extra.socket.close(CLOSED_BY_CREDENTIAL, 'Forbidden'),
        });
        return true;
      },
      async onSubscribe({ extra }, _id, params) {
        const state = states.get(extra.socket);
        if (state) state.operations += 1;
        if (!state || state.operations > OPERATIONS_MAX) {
          extra.socket.close(TOO_MANY_OPERATIONS, 'Too many operations');
          return [];
        }
        const enveloped = yoga.getEnveloped({
          socketRequest: extra.request,
          authorization: state.authorization,
          params,
        } as never);
        const contextValue = await enveloped.contextFactory();
        let document: ReturnType<typeof enveloped.parse>;
        try {
          document = enveloped.parse(params.query);
        } catch (error) {
          return [error as never];
        }
        const errors = enveloped.validate(enveloped.schema, document);
        if (errors.length > 0) return errors as never;
        const { execute, subscribe } = enveloped;
        return {
          schema: enveloped.schema,
          operationName: params.operationName,
          document,
          variableValues: params.variables,
          contextValue,
          rootValue: { execute, subscribe },
        };
      },
      onComplete({ extra }) {
        const state = states.get(extra.socket);
        if (state) state.operations -= 1;
      },
      onDisconnect({ extra }) {
        states.get(extra.socket)?.forget?.();
      },
    },
    sockets,
  );
  return async () => {
    await disposable.dispose();
  };
}

interface Executor {
  // biome-ignore lint/suspicious/noExplicitAny: the envelope's own functions are typed so.
  execute(args: unknown): any;
  // biome-ignore lint/suspicious/noExplicitAny: the envelope's own functions are typed so.
  subscribe(args: unknown): any;
}

function executorOf(args: { rootValue?: unknown }): Executor {
  return args.rootValue as Executor;
}
