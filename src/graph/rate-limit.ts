import { sharedNowMs } from '../kernel/clock.js';
import type { LimitState } from '../platform/counters/counters.js';
import { builder } from './builder.js';
import { takePoints } from './cost.js';
import { POINTS_PER_MINUTE } from './limits.js';

const RateLimit = builder.objectRef<LimitState>('RateLimit').implement({
  description: 'What the caller may still spend on GraphQL operations this minute.',
  fields: (t) => ({
    limit: t.exposeInt('limit', { description: 'Points a minute.' }),
    remaining: t.exposeInt('remaining', { description: 'Points left now.' }),
    resetAt: t.field({
      type: 'DateTime',
      description: 'When all points are there again.',
      resolve: (state) => new Date(sharedNowMs() + state.resetMs),
    }),
  }),
});

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    description:
      'The points of the caller. The price of an operation is in `extensions.cost` of its answer.',
    resolve: async (_root, _args, ctx) => {
      const { states } = await takePoints(ctx, 0);
      return states[0] ?? { limit: POINTS_PER_MINUTE, remaining: POINTS_PER_MINUTE, resetMs: 0 };
    },
  }),
);
