import type { IncomingMessage } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Place } from '../../rest-compat/arrival.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Services, Transport } from '../graph/ctx.js';
import { finishOf, graphqlContext } from './context.js';
import { unpreparedError } from './graphql-errors.js';
import { fieldsByThemselves } from './graphql-fields.js';
import { behindTheDoor } from './graphql-http.js';
import { keyedRequests } from './graphql-idempotency.js';
import { namesOperations } from './graphql-log.js';
import {
  aliasRule,
  endsWithCredential,
  type OperationCtx,
  pricedAndPresented,
  tokenLimit,
} from './graphql-plugins.js';
import type { GraphqlArrival, LetIn } from './graphql-refusal.js';
import type { LiveCredentials } from './live-credentials.js';

/** Where GraphQL is served, over HTTP, server-sent events and sockets. */
export const GRAPHQL_PATH = '/graphql';

type HttpInit = LetIn;

interface SocketInit {
  readonly arrival: GraphqlArrival;
  readonly socketRequest?: IncomingMessage;
  readonly authorization?: string;
  readonly onFinished?: Transport['onFinished'];
  readonly place?: Place;
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
    // What browsers, methods, sizes and types of bodies ask for is the door's.
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    plugins: [
      behindTheDoor(services),
      namesOperations(),
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
      const { lookedAt } = live;
      try {
        const ctx = await graphqlContext(
          services,
          init.arrival,
          socketRequest ?? init.req,
          socketRequest ? init.authorization : shownCredential(init.req.headers),
          socketRequest ? 'socket' : 'graphql',
          ending.signal,
          {
            onFinished: socketRequest ? init.onFinished : finishOf(init.res),
            idles: () => init.place?.idles(),
          },
        );
        return { ...ctx, lookedAt, end: () => ending.abort() };
      } catch (thrown) {
        // Nobody knows yet who asks: what failed is ours, and is told as over REST.
        services.log.warn({ err: thrown }, 'nobody could be identified');
        throw unpreparedError(thrown, { arrival: init.arrival });
      }
    },
  });
}
