import { type AttemptSpan, newSpanId, type RequestSpans, type Stage } from './request-spans.js';

/** How a request ended. */
export interface EndedRequest {
  /** As the metrics name it. */
  readonly operation: string;
  /** The method and the path of the row, with the names of its parameters in place of values. */
  readonly method: string;
  readonly route: string;
  readonly requestId: string;
  readonly tenantId: string | undefined;
  readonly status: number;
  /** The code of the catalogue; undefined where nothing failed. */
  readonly code: string | undefined;
  /** When it arrived, by performance.now(). */
  readonly startedMs: number;
}

type Value = string | number | boolean | readonly string[];

/** A span as it is told. */
export interface ToldSpan extends Stage {
  readonly kind: 'internal' | 'server' | 'client';
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** True where the parent is of the caller. */
  readonly isRemote?: boolean;
  readonly attributes: Readonly<Record<string, Value | undefined>>;
  readonly failed: boolean;
}

/** Providers say whatever they like: what is none of these is `other`. */
const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'function_call', 'content_filter'];

/**
 * The spans of a request that is over: the request itself, its stages, the call of a model with all
 * its repeats and fallbacks, and each attempt. Names of attributes are those of the semantic
 * conventions of HTTP and GenAI; ours begin with `gw.`. No value is a text of a caller.
 */
export function spansOf(spans: RequestSpans, end: EndedRequest): readonly ToldSpan[] {
  const endMs = performance.now();
  const { spanId, caller, stages } = spans;
  const request: ToldSpan = {
    name: `${end.method} ${end.route}`,
    kind: 'server',
    spanId,
    parentId: caller?.parentId,
    isRemote: true,
    startMs: end.startedMs,
    endMs,
    attributes: {
      'http.request.method': end.method,
      'http.route': end.route,
      'http.response.status_code': end.status,
      'error.type': end.code,
      'gw.operation': end.operation,
      'gw.request.id': end.requestId,
      'gw.tenant.id': end.tenantId,
    },
    failed: end.status >= 500 || (end.code !== undefined && end.status < 400),
  };
  const passed = stages.map((stage) => stageSpan(stage, spanId));
  return [request, ...passed, ...callSpans(spans, passed, end, endMs)];
}

function stageSpan({ name, startMs, endMs }: Stage, parentId: string): ToldSpan {
  const rest = { kind: 'internal', parentId, attributes: {}, failed: false } as const;
  return { ...rest, name: `gw.${name}`, spanId: newSpanId(), startMs, endMs };
}

/** The call of a model, and the attempts below it; none where nobody was called. */
function callSpans(
  { attempts, answer, stages, spanId: requestSpanId }: RequestSpans,
  passed: readonly ToldSpan[],
  { code }: EndedRequest,
  requestEndMs: number,
): readonly ToldSpan[] {
  const [first] = attempts;
  const last = attempts.at(-1);
  if (!first || !last) return [];
  const callStage = passed.find(({ name }) => name === 'gw.call');
  const read = stages.findLast(({ name }) => name === 'stream' || name === 'call');
  const spanId = newSpanId();
  const endMs = read?.endMs ?? (last.error === null ? requestEndMs : last.endMs);
  const model: ToldSpan = {
    name: `${last.operation} ${last.upstreamName}`,
    kind: 'client',
    spanId,
    parentId: callStage?.spanId ?? requestSpanId,
    startMs: first.startMs,
    endMs,
    attributes: {
      'gen_ai.operation.name': last.operation,
      'gen_ai.provider.name': last.provider,
      'gen_ai.request.model': last.upstreamName,
      'gen_ai.response.model': answer && last.model,
      'gen_ai.request.stream': last.streamed,
      ...(answer && {
        'gen_ai.usage.input_tokens': answer.inputTokens,
        'gen_ai.usage.cache_read.input_tokens': answer.cachedTokens,
        'gen_ai.usage.output_tokens': answer.outputTokens,
        'gen_ai.usage.reasoning.output_tokens': answer.reasoningTokens,
        'gen_ai.response.finish_reasons': reasonsOf(answer.finishReason),
        'gen_ai.response.time_to_first_chunk': secondsBetween(first.startMs, answer.firstTokenAtMs),
      }),
      ...serverOf(last),
      'error.type': last.error ?? (answer ? undefined : code),
    },
    failed: last.error !== null || answer === undefined,
  };
  const sent = attempts.map((attempt, index) => ({ attempt, index }));
  const overSockets = sent.filter(({ attempt }) => attempt.origin !== '');
  return [model, ...overSockets.map(({ attempt, index }) => attemptSpan(attempt, index, model))];
}

function attemptSpan(attempt: AttemptSpan, index: number, model: ToldSpan): ToldSpan {
  const { spanId, startMs, error, status } = attempt;
  return {
    name: 'POST',
    kind: 'client',
    spanId,
    parentId: model.spanId,
    startMs,
    // An answer that began is read until the call is over.
    endMs: error === null ? Math.max(model.endMs, attempt.endMs) : attempt.endMs,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': index === 0 ? undefined : index,
      'http.response.status_code': status ?? undefined,
      'gw.provider': attempt.provider,
      'gw.model': attempt.model,
      ...serverOf(attempt),
      'error.type': error ?? undefined,
    },
    failed: error !== null,
  };
}

function serverOf({ origin }: AttemptSpan): ToldSpan['attributes'] {
  if (!URL.canParse(origin)) return {};
  const { hostname, port, protocol } = new URL(origin);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  };
}

function reasonsOf(reason: string | undefined): readonly string[] | undefined {
  if (reason === undefined) return undefined;
  return [FINISH_REASONS.includes(reason) ? reason : 'other'];
}

function secondsBetween(startMs: number, endMs: number | undefined): number | undefined {
  return endMs === undefined ? undefined : Math.max(0, endMs - startMs) / 1_000;
}
