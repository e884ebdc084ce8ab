import { vocabulary } from '../../kernel/vocabulary.js';

/** The states of a circuit breaker. */
export const BREAKER_STATES = vocabulary(
  'BreakerState',
  'Whether a circuit breaker lets calls in.',
  [
    { code: 'closed', description: 'Calls are let in.' },
    { code: 'open', description: 'No call is let in until a probe may go.' },
    { code: 'half_open', description: 'One call is under way to see whether it may close.' },
  ],
);

/** Why a deployment is asked after all others. */
export const ASIDE_REASONS = vocabulary('AsideReason', 'Why a deployment is asked last.', [
  { code: 'silent', description: 'Several calls in a row got no answer in the usual time.' },
  { code: 'failing', description: 'A fifth of its calls failed.' },
  { code: 'slow', description: 'It is far slower than its own history.' },
  { code: 'credentials_refused', description: 'It refuses the credentials of this server.' },
]);
