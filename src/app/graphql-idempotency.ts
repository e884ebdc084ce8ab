import { createHash } from 'node:crypto';
import type { Plugin } from 'graphql-yoga';
import type { Services } from '../graph/ctx.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { newId } from '../kernel/ids.js';
import type { IdempotencyKeys, KeyedRequest } from '../records/idempotency.js';
import type { OperationCtx } from './graphql-plugins.js';

const HEADER = 'idempotency-key';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * An Idempotency-Key on an authenticated POST of GraphQL: the first answer without errors is kept
 * and given again, as REST does. Operations that answer as a stream are not kept.
 */
export function keyedRequests(services: Services): Plugin<OperationCtx> {
  const running = new WeakMap<Request, Running>();
  return {
    async onRequest({ request, endResponse }) {
      const key = request.headers.get(HEADER);
      if (key === null || request.method !== 'POST') return;
      const shown = request.headers.get('authorization') ?? undefined;
      const { who } = await services.authenticator.identify(shown, true);
      if (!who) return;
      const body = Buffer.from(await request.clone().arrayBuffer());
      const keyed: KeyedRequest = {
        tenantId: who.tenantId,
        actorId: who.id,
        key,
        bodyHash: createHash('sha256').update('POST /graphql ').update(body).digest(),
        requestId: newId('Request'),
      };
      try {
        const begun = await begin(services.idempotency, keyed);
        if (begun instanceof Response) endResponse(begun);
        else running.set(request, begun);
      } catch (error) {
        endResponse(refusal(error, keyed.requestId));
      }
    },
    onContextBuilding({ context, extendContext }) {
      const begun = context.request && running.get(context.request);
      if (!begun) return;
      const { keyed, firstRequestId } = begun;
      const { requestId } = keyed;
      // Effects stand under the id that the key knows, so that a repetition finds them.
      extendContext(
        firstRequestId === requestId ? { requestId } : { requestId, repeats: firstRequestId },
      );
    },
    async onResponse({ request, response }) {
      const keyed = running.get(request)?.keyed;
      if (!keyed) return;
      running.delete(request);
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      const body = isJson ? Buffer.from(await response.clone().arrayBuffer()) : undefined;
      if (!body || hasErrors(body)) await services.idempotency.release(keyed);
      else {
        const contentType = response.headers.get('content-type') ?? JSON_TYPE;
        await services.idempotency.finish(keyed, { status: response.status, contentType, body });
      }
    },
  };
}

/** A keyed request that runs, with the id of its first attempt. */
interface Running {
  readonly keyed: KeyedRequest;
  readonly firstRequestId: string;
}

async function begin(keys: IdempotencyKeys, keyed: KeyedRequest): Promise<Response | Running> {
  const begun = await keys.begin(keyed);
  if (begun.kind === 'run') return { keyed, firstRequestId: begun.firstRequestId };
  if (begun.kind === 'answer_not_kept') throw new GatewayError('idempotency_answer_not_kept');
  const { status, contentType, body } = begun.answer;
  const headers = { 'content-type': contentType, 'idempotent-replayed': 'true' };
  return new Response(new Uint8Array(body), { status, headers });
}

function hasErrors(body: Buffer): boolean {
  const answer = JSON.parse(body.toString('utf8')) as { errors?: unknown };
  return answer.errors !== undefined;
}

function refusal(error: unknown, requestId: string): Response {
  const failure = toGatewayError(error);
  const extensions = { code: failure.code, requestId };
  const body = JSON.stringify({ errors: [{ message: failure.message, extensions }] });
  const headers = { 'content-type': JSON_TYPE };
  return new Response(body, { status: failure.status, headers });
}
