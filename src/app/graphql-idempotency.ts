import { createHash } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import { fromAddress } from '../access/auth/allowed-address.js';
import { shownCredential } from '../access/auth/basic.js';
import type { Services } from '../graph/ctx.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import type { KeyedRequest } from '../records/idempotency.js';
import { endAttempt } from '../records/keyed-attempt.js';
import { addressOf } from './context.js';
import type { OperationCtx } from './graphql-plugins.js';
import { type GraphqlArrival, type LetIn, refusalOf } from './graphql-refusal.js';
import { KeyedDocument } from './keyed-document.js';

const HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json; charset=utf-8';

/** The keyed requests of one server that are under way. */
export interface KeyedRequests {
  readonly plugin: Plugin<OperationCtx>;
  /** The document of a context that runs under a key. */
  documentOf(ctx: OperationCtx): KeyedDocument | undefined;
}

/**
 * An Idempotency-Key on an authenticated POST of GraphQL: the first answer without errors is kept
 * and given again, as REST does. Each root field is an effect of its own; one that stands is
 * answered and not made again, also where another one of its document failed.
 */
export function keyedRequests(services: Services): KeyedRequests {
  const running = new WeakMap<object, KeyedDocument>();
  const documentOf = ({ request }: { readonly request?: object }) =>
    request && running.get(request);
  const plugin: Plugin<OperationCtx> = {
    async onRequest({ request, endResponse, serverContext }) {
      const { arrival, rawBody: body, req } = serverContext as unknown as LetIn;
      const key = request.headers.get(HEADER);
      if (key === null || request.method !== 'POST') return;
      const shown = shownCredential(Object.fromEntries(request.headers));
      const found = await services.authenticator.identify(shown, true);
      const { who, whoFailure } = fromAddress(found, addressOf(services, req));
      // Who asks is not known for now: a moment later the request could run without its key.
      if (whoFailure && whoFailure.status >= 500) {
        return endResponse(refusal(whoFailure, arrival));
      }
      if (!who) return;
      // What came of the body of a client that has left must not stand for its key.
      if (request.signal.aborted) return endResponse(new Response(null, { status: 499 }));
      const keyed: KeyedRequest = {
        tenantId: who.tenantId,
        actorId: who.id,
        key,
        bodyHash: createHash('sha256').update('POST /graphql ').update(body).digest(),
        requestId: arrival.requestId,
      };
      try {
        const begun = await begin(services, keyed);
        if (begun instanceof Response) return endResponse(begun);
        running.set(request, begun);
        // Nobody answers a client that has left, so nothing else would end its attempt.
        const left = async () => {
          await begun.idle();
          begun.markUnknown();
          await endUnanswered(services, running, request);
        };
        if (request.signal.aborted) await left();
        else request.signal.addEventListener('abort', () => void left(), { once: true });
      } catch (error) {
        endResponse(refusal(error, arrival));
      }
    },
    onContextBuilding({ context, extendContext }) {
      const document = documentOf(context);
      // The attempt is known by this id, also to a later one.
      if (document) extendContext({ requestId: document.request.requestId });
    },
    async onResponse({ request, response }) {
      const document = running.get(request);
      if (!document) return;
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const body = isJson ? Buffer.from(await response.clone().arrayBuffer()) : undefined;
      if (!body || hasErrors(body)) return endUnanswered(services, running, request);
      running.delete(request);
      const contentType = response.headers.get('content-type') ?? JSON_TYPE;
      const answer = { status: response.status, contentType, body };
      await services.idempotency.finish(document.request, answer);
    },
  };
  return { plugin, documentOf: (ctx) => documentOf(ctx as { readonly request?: object }) };
}

/** Ends an attempt without an answer that settles it, a stream when its last event is written. */
async function endUnanswered(
  services: Services,
  running: WeakMap<object, KeyedDocument>,
  request: object,
): Promise<void> {
  const document = running.get(request);
  if (!document) return;
  running.delete(request);
  const end = () => endAttempt(services, document.request, document.evidence, document.repeated);
  if (document.streams) document.onStreamed = () => void end();
  else await end();
}

async function begin(
  { idempotency }: Services,
  keyed: KeyedRequest,
): Promise<Response | KeyedDocument> {
  const begun = await idempotency.begin(keyed);
  if (begun.kind === 'run') return new KeyedDocument(keyed, begun.firstRequestId);
  if (begun.kind === 'answer_not_kept') throw new GatewayError('idempotency_answer_not_kept');
  const { status, contentType, body } = begun.answer;
  const headers = { 'content-type': contentType, 'idempotent-replayed': 'true' };
  return new Response(new Uint8Array(body), { status, headers });
}

function hasErrors(body: Buffer): boolean {
  const answer = JSON.parse(body.toString('utf8')) as { errors?: unknown };
  return answer.errors !== undefined;
}

function refusal(error: unknown, arrival: GraphqlArrival): Response {
  const { status, headers, body } = refusalOf(toGatewayError(error), arrival);
  return new Response(body, { status, headers });
}
