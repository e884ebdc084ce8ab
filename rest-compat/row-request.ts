import type { Ctx } from '../src/graph/ctx.js';
import type { Arrival } from './arrival.js';
import type { QueryParameters } from './query-text.js';
import { type Headers, ignoredFieldsHeader } from './reply.js';
import type { CompiledRow } from './row.js';

/** A request of a row, understood and ready to run. */
export interface RowRequest {
  readonly row: CompiledRow;
  readonly ctx: Ctx;
  readonly arrival: Arrival;
  readonly query: QueryParameters;
  readonly variables: Record<string, unknown>;
  readonly ignored: readonly string[];
}

/** What was written, for the idempotency store; `body` is undefined when it cannot be replayed. */
export interface Written {
  readonly status: number;
  readonly headers: Readonly<Headers>;
  readonly body: Buffer | undefined;
  /** Lets the last bytes of a stream go that is kept. */
  readonly close?: () => void;
}

/** Headers that the operation set, and the names of the fields that it did not read. */
export function operationHeaders(request: RowRequest): Readonly<Headers> {
  const { headers } = request.ctx.transport;
  if (request.ignored.length === 0) return headers;
  return { ...headers, 'x-gw-ignored-fields': ignoredFieldsHeader(request.ignored) };
}
