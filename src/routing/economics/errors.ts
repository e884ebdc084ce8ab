import type { StatedError } from '../../kernel/errors/row.js';

/** What the economics of routing refuse. */
export const ECONOMICS_ERRORS = {
  cannot_certify: {
    status: 409,
    message: 'The quality of {model} cannot be certified: {answers} of {needed} answers are there.',
    cause: 'Too few real answers of this model are recorded for the use case or the evaluation.',
    fix: [
      'Let the model answer more requests with this use case as metadata.feature.',
      'Run a larger evaluation set, or publish a scorecard with the source DECLARED.',
    ],
  },
} as const satisfies Record<string, StatedError>;
