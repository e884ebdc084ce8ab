import { code, flag, instant, integer, money, text } from '../../kernel/fields/field.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

const KINDS = vocabulary('PolicyEffectKind', 'What a policy does to a request that it concerns.', [
  { code: 'blocked', description: 'The request is refused.' },
  {
    code: 'degraded',
    description: 'It is served by another model or route, or with a shorter answer.',
  },
]);

/** What a policy does to a request that it concerns. */
export type EffectKind = CodeOf<typeof KINDS>;

/** How often a reason applied, besides what the requests had cost. */
export const REASON_FIELDS = {
  reason: text('The error code, or what would differ.'),
  kind: code(KINDS, 'What the reason would have done.'),
  requests: integer('How many requests.'),
} as const;

/** What is replayed. */
export const WINDOW_FIELDS = {
  from: instant('Begin of the window.'),
  to: instant('End of the window.'),
  complete: flag('False where the window holds more requests than are replayed.'),
} as const;

/** The sums of a replay. */
export const TOTAL_FIELDS = {
  requests: integer('Requests that were replayed.'),
  blocked: integer('Requests that would have been refused.'),
  degraded: integer('Requests with another model, another route or a shorter answer.'),
  blockedMicro: money('What the refused requests had cost.'),
} as const;
