import { vocabulary } from '../../kernel/vocabulary.js';
import type { RoutingMode } from '../decision/vocabulary.js';

/** What a route policy seeks; each objective is a mode of the one router. */
export const OBJECTIVES = vocabulary(
  'RouteObjective',
  'What a route policy seeks among the models that pass.',
  [
    {
      code: 'LOWEST_COST',
      description: 'The cheapest that passes.',
      mode: 'COST_CONTROLLED' as RoutingMode,
    },
    {
      code: 'BALANCED',
      description: 'The best of quality 40, cost 40 and latency 20 of 100.',
      mode: 'BALANCED' as RoutingMode,
    },
    {
      code: 'HIGHEST_QUALITY',
      description: 'The best quality that passes.',
      mode: 'QUALITY_FIRST' as RoutingMode,
    },
    {
      code: 'BATCH',
      description: 'The cheapest that passes, however long it takes.',
      mode: 'BATCH' as RoutingMode,
    },
  ],
);
