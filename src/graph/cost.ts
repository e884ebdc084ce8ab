import { complexityFromQuery } from '@pothos/plugin-complexity';
import type { GraphQLSchema } from 'graphql';
import type { Admission, Counters } from '../platform/counters/counters.js';
import type { Ctx } from './ctx.js';
import { POINTS_PER_MINUTE } from './limits.js';

declare module './ctx.js' {
  interface Services {
    readonly counters: Counters;
  }
}

/** The price of an operation in points, at least one. */
export function costOf(
  schema: GraphQLSchema,
  query: string,
  variables: Record<string, unknown>,
  ctx: Ctx,
): number {
  const { complexity } = complexityFromQuery(query, { schema, ctx, variables });
  return Math.max(1, complexity);
}

/** Takes points from the caller's minute, or only looks when there are none to take. */
export async function takePoints(ctx: Ctx, points: number): Promise<Admission> {
  const caller = ctx.who ? ctx.who.id : `address:${ctx.transport.address}`;
  const key = `points:${caller}`;
  return ctx.services.counters.take([{ kind: 'rate', key, perMinute: POINTS_PER_MINUTE, points }]);
}
