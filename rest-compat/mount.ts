import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx } from '../src/graph/ctx.js';
import { GatewayError } from '../src/kernel/errors/fail.js';
import { answerRow } from './answer.js';
import { Arrival } from './arrival.js';
import { parseBody, readBody, unreadHeaders } from './body.js';
import { cureFor, isMeantForApi } from './cures.js';
import { toFailure } from './failure.js';
import type { RestHooks } from './hooks.js';
import { errorAnswer, errorBody, writeAnswer, writePreflight } from './reply.js';
import { buildRouter, chooseRow, type Match, type RestRouter } from './router.js';
import type { CompiledRow, RestTable } from './row.js';
import { asWritten, type WirePaths } from './wire-paths.js';

/** Takes a request and says so, or leaves it to the next handler. */
export type RestHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Status that is reported, never sent, when the client left first. */
const CLIENT_LEFT = 499;

/** Makes the handler that stands in front of every other one. */
export function mountRest(table: RestTable, hooks: RestHooks): RestHandler {
  const router = buildRouter(table);
  return (request, response) => {
    const method = request.method ?? 'GET';
    const url = request.url ?? '/';
    const match = router.find(method === 'HEAD' ? 'GET' : method, url);
    if (match) {
      const arrival = new Arrival(hooks.newRequestId(), request, response, hooks.site);
      serve(match, arrival, hooks).catch((error: unknown) => {
        hooks.onFailure?.(toFailure(error), arrival, undefined);
        response.destroy();
      });
      return true;
    }
    return serveOther(method, url, request, response, router, hooks);
  };
}

async function serve(match: Match, arrival: Arrival, hooks: RestHooks): Promise<void> {
  const { group, path, query } = match;
  const { request } = arrival;
  let row = group.fallback;
  let ctx: Ctx | undefined;
  let status: number;
  // What the binder refuses is named as the caller wrote it; resolvers name arguments.
  let wirePaths: WirePaths | undefined;
  try {
    const admitted = hooks.admit?.(request, row);
    arrival.place = admitted instanceof Promise ? await admitted : admitted;
    if (group.readsBody) arrival.rawBody = await readBody(request, group.bodyBytesMax);
    const context = hooks.contextFor(request, arrival, group.credential);
    ctx = context instanceof Promise ? await context : context;
    if (group.needsCredential && !ctx.who) {
      throw ctx.whoFailure ?? new GatewayError('missing_credential');
    }
    const body = arrival.rawBody && parseBody(arrival.rawBody);
    row = chooseRow(group, query, body, request.headers.accept);
    const bound = row.bind({ path, query, body, rawBody: arrival.rawBody });
    wirePaths = asWritten(row.wirePaths, bound.written);
    status = await answerRow({ row, ctx, arrival, query, ...bound }, hooks);
  } catch (error) {
    status = answerFailure({ error: toFailure(error), arrival, row, ctx, wirePaths }, hooks);
  }
  arrival.place?.leave();
  const elapsedMs = performance.now() - arrival.startedMs;
  const code = arrival.failureCode;
  hooks.onDone?.(row, ctx, { status: arrival.gone ? CLIENT_LEFT : status, code, elapsedMs });
}

interface Refusal {
  readonly error: GatewayError;
  readonly arrival: Arrival;
  readonly row: CompiledRow;
  readonly ctx: Ctx | undefined;
  readonly wirePaths: WirePaths | undefined;
}

function answerFailure(refusal: Refusal, hooks: RestHooks): number {
  const { error, arrival, row, ctx, wirePaths } = refusal;
  arrival.failureCode = error.code;
  if (error.code === 'internal_error' && !arrival.gone) hooks.onFailure?.(error, arrival, row);
  const body = errorBody(error, arrival, hooks.docUrl(error.code, arrival.request), wirePaths);
  const answer = errorAnswer(error, body, arrival.language);
  const unread = error.code === 'overloaded' ? unreadHeaders(arrival.request) : {};
  const headers = { ...ctx?.transport.headers, ...answer.headers, ...unread };
  writeAnswer(arrival, { ...answer, headers });
  return answer.status;
}

function serveOther(
  method: string,
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  router: RestRouter,
  hooks: RestHooks,
): boolean {
  const path = url.split('?', 1)[0] ?? '/';
  const document = hooks.documents?.get(path);
  const methods = document ? (['GET'] as const) : router.methodsOf(url);
  if (methods.length === 0 && !isMeantForApi(path)) return false;
  const arrival = new Arrival(hooks.newRequestId(), request, response, hooks.site);
  if (method === 'OPTIONS') {
    writePreflight(arrival, methods.length > 0 ? methods : ['GET', 'POST']);
  } else if (document && (method === 'GET' || method === 'HEAD')) {
    const headers = { 'content-type': document.contentType };
    const address = hooks.addressOf?.(request) ?? '';
    writeAnswer(arrival, { status: 200, headers, body: document.text(address) });
  } else refuse(method, path, methods, arrival, router, hooks);
  return true;
}

function refuse(
  method: string,
  path: string,
  methods: readonly string[],
  arrival: Arrival,
  router: RestRouter,
  hooks: RestHooks,
): void {
  const shown = path.slice(0, 200);
  const allowed = methods.join(', ');
  const error =
    methods.length > 0
      ? new GatewayError('method_not_allowed', { values: { path: shown, method, allowed } })
      : new GatewayError('unknown_url', {
          values: { method, path: shown, cure: cureFor(path, router.paths) },
        });
  const body = errorBody(error, arrival, hooks.docUrl(error.code, arrival.request));
  const answer = errorAnswer(error, body, arrival.language);
  const allow = methods.includes('GET') ? `${allowed}, HEAD, OPTIONS` : `${allowed}, OPTIONS`;
  const headers = methods.length > 0 ? { ...answer.headers, allow } : answer.headers;
  writeAnswer(arrival, { ...answer, headers });
}
