import type { StatedError } from '../../kernel/errors/row.js';

/** Why a run is not forecast. */
export const COST_ERRORS = {
  cannot_forecast: {
    status: 422,
    message: 'Nothing says what a unit costs: the model {model} has no price today.',
    cause:
      'No cost of a unit was stated, the scope has no recorded request in 30 days, and there is ' +
      'no list price.',
    fix: ['State cost_per_unit_rub.', 'Name a model with a price in GET /v1/models.'],
  },
} as const satisfies Record<string, StatedError>;
