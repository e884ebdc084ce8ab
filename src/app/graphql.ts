import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { shownCredential } from '../access/auth/basic.js';
import type { Services, Transport } from '../graph/ctx.js';
import { finishOf, graphqlContext } from './context.js';
import { fieldsByThemselves } from './graphql-fields.js';
import { keyedRequests } from './graphql-idempotency.js';
import {
  aliasRule,
  endsWithCredential,
  type OperationCtx,
  pricedAndPresented,
  tokenLimit,
} from './graphql-plugins.js';
import type { LiveCredentials } from './live-credentials.js';

/** Where GraphQL is served, over HTTP, server-sent events and sockets. */
export const GRAPHQL_PATH = '/graphql';

interface HttpInit {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface SocketInit {
  readonly socketRequest?: IncomingMessage;
  readonly authorization?: string;
  readonly onFinished?: Transport['onFinished'];
}

/** The engine that HTTP and sockets share. */
export type Yoga = YogaServerInstance<HttpInit & SocketInit, OperationCtx>;

/** GraphQL of this process. */
export function createGraphql(
  schema: GraphQLSchema,
  services: Services,
  live: LiveCredentials,
): Yoga {
  const keyed = keyedRequests(services);
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
      allowedHeaders: ['authorization', 'content-type', 'x-gw-workspace'],
      methods: ['GET', 'POST', 'OPTIONS'],
    },
    plugins: [
      keyed.plugin,
      tokenLimit(),
      aliasRule(),
      endsWithCredential(live),
      pricedAndPresented(),
      fieldsByThemselves(keyed.documentOf),
    ],
    async context(init) {
      const { socketRequest } = init;
      const ending = new AbortController();
      const http = init as { request?: Request };
      const left = http.request?.signal;
      // A client may have left before there is a context, and is not told of again.
      if (left?.aborted) ending.abort();
      left?.addEventListener('abort', () => ending.abort(), { once: true });
      const ctx = await graphqlContext(
        services,
        socketRequest ?? init.req,
        socketRequest ? init.authorization : shownCredential(init.req.headers),
        socketRequest ? 'socket' : 'graphql',
        ending.signal,
        socketRequest ? init.onFinished : finishOf(init.res),
      );
      return { ...ctx, end: () => ending.abort() };
    },
  });
}
