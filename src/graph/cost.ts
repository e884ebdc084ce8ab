import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type DocumentNode, type GraphQLSchema, getOperationAST, Kind, visit } from 'graphql';
import { GatewayError } from '../kernel/errors/fail.js';
import type { Admission, Counters } from '../platform/counters/counters.js';
import { limitedAddress } from '../platform/network/client-address.js';
import type { Ctx } from './ctx.js';
import { COMPLEXITY_MAX, DEPTH_MAX, POINTS_PER_MINUTE } from './limits.js';

declare module './ctx.js' {
  interface Services {
    readonly counters: Counters;
  }
}

/** What an operation asks for. */
export interface Cost {
  /** The price in points, at least one. */
  readonly points: number;
  /** Levels of selection; questions about the schema itself do not count. */
  readonly depth: number;
}

/**
 * The cost of the operation that a document runs, by its variables with their defaults.
 * @throws what the library says about a document that cannot be executed either
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Record<string, unknown>,
  ctx: Ctx,
): Cost {
  const query = documentOf(document, operationName);
  const { complexity, depth } = complexityFromQuery(query, { schema, ctx, variables });
  return { points: Math.max(1, complexity), depth };
}

/**
 * The chosen operation and the fragments: the library prices the first operation that it finds.
 * What is asked about the schema itself, as the name of a type that clients add to every selection,
 * costs nothing.
 */
function documentOf(document: DocumentNode, name: string | null | undefined): DocumentNode {
  const operation = getOperationAST(document, name);
  if (!operation) return document;
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return visit(
    { ...document, definitions: [operation, ...fragments] },
    { Field: ({ name: asked }) => (asked.value.startsWith('__') ? null : undefined) },
  );
}

/** The refusal of an operation past the limits; undefined for one within them. */
export function tooComplex({ points, depth }: Cost): GatewayError | undefined {
  if (depth <= DEPTH_MAX && points <= COMPLEXITY_MAX) return undefined;
  const reason =
    depth > DEPTH_MAX
      ? `The operation is ${depth} levels deep; ${DEPTH_MAX} are allowed.`
      : `The operation costs ${points} points; ${COMPLEXITY_MAX} are allowed.`;
  return new GatewayError('query_too_complex', { values: { reason } });
}

/** Takes points from the caller's minute, or only looks when there are none to take. */
export async function takePoints(ctx: Ctx, points: number): Promise<Admission> {
  const caller = ctx.who ? ctx.who.id : `address:${limitedAddress(ctx.transport.address)}`;
  const key = `points:${caller}`;
  return ctx.services.counters.take([{ kind: 'rate', key, perMinute: POINTS_PER_MINUTE, points }]);
}
