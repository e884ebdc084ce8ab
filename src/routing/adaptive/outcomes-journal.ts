import { judgeWorkBy } from '../../finops/unit-economics/work-judgements.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import type { Journal } from '../../records/journals.js';

/** What became of an answer. */
export const OUTCOMES = vocabulary('RoutingOutcomeValue', 'What became of an answer.', [
  { code: 'accepted', description: 'It was used as it was.' },
  { code: 'corrected', description: 'It was used after somebody had corrected it.' },
  { code: 'rejected', description: 'It was not used.' },
]);

/** What became of an answer. */
export type OutcomeValue = CodeOf<typeof OUTCOMES>;

/** Outcomes that were reported: the subject is the id of the request. */
export const ROUTING_OUTCOMES: Journal<OutcomeValue> = {
  kind: 'routing_outcome',
  values: OUTCOMES.codes,
};

// What was not used was paid for all the same: reports of cost say so.
judgeWorkBy<OutcomeValue>(ROUTING_OUTCOMES.kind, {
  accepted: 'accepted',
  corrected: 'accepted',
  rejected: 'wasted',
});

/** Outcomes count for so many days. */
export const OUTCOME_DAYS = 30;
