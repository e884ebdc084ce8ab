import type { IncomingMessage } from 'node:http';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Place } from '../../rest-compat/arrival.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Services, Transport } from '../graph/ctx.js';
import { finishOf, graphqlContext } from './context.js';
import { eventsAreTaken } from './graphql-accept.js';
import { unpreparedError } from './graphql-errors.js';
import { fieldsByThemselves } from './graphql-fields.js';
import { behindTheDoor } from './graphql-http.js';
import { keyedRequests } from './graphql-idempotency.js';
import { namesOperations } from './graphql-log.js';
import {
  aliasRule,
  documentLimits,
  endsWithCredential,
  type OperationCtx,
  pricedAndPresented,
} from './graphql-plugins.js';
import { GRAPHQL_PATH, type GraphqlArrival, type LetIn } from './graphql-refusal.js';
import type { LiveCredentials } from './live-credentials.js';

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

/** Texts of documents that are kept with what was parsed of them, in characters. */
const KEPT_CHARACTERS_MAX = 8 * 1_048_576;
const KEPT_DOCUMENTS_MAX = 1_000;

/** What was parsed, or refused, is kept for the next request with it, within bounds of memory. */
function documentCaches() {
  const bounds = {
    max: KEPT_DOCUMENTS_MAX,
    maxSize: KEPT_CHARACTERS_MAX,
    sizeCalculation: (_: unknown, { length }: string) => length + 1,
  };
  return {
    documentCache: new LRUCache<string, DocumentNode>(bounds),
    errorCache: new LRUCache<string, Error>(bounds),
  };
}

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
    parserAndValidationCache: documentCaches(),
    maskedErrors: false,
    // What browsers, methods, sizes and types of bodies ask for is the door's.
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    plugins: [
      behindTheDoor(services),
      namesOperations(),
      eventsAreTaken(),
      keyed.plugin,
      documentLimits(),
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
