import { formatRub } from '../../kernel/money.js';
import { defineReference } from '../../records/references.js';
import { FIGURE_BASES } from './blast-radius.js';
import { CALL_FAILURES } from './outcome.js';
import { ACTION_GUARDS } from './rules.js';
import {
  type ActionDecision,
  APPROVAL_STATUSES,
  CALL_STATUSES,
  CALLER_LIMITS,
  CONNECTORS,
  DECISIONS,
  RISK_LEVELS,
  VERBS,
} from './vocabulary.js';

/** A row of the decision table, as it is published. */
export interface PublishedGuard {
  readonly code: string;
  readonly outcome: ActionDecision;
  readonly description: string;
}

/** What a kind of caller may do without an approval, as it is published. */
export interface PublishedLimit {
  readonly code: string;
  readonly description: string;
  readonly records_max: number;
  /** Rubles as a decimal. */
  readonly amount_rub_max: string;
}

/** The decision table, in the order in which it decides. */
export const PUBLISHED_GUARDS: readonly PublishedGuard[] = ACTION_GUARDS.map(
  ({ name, outcome, description }) => ({ code: name, outcome, description }),
);

/** The limits of each kind of caller. */
export const PUBLISHED_LIMITS: readonly PublishedLimit[] = Object.entries(CALLER_LIMITS).map(
  ([code, { description, recordsAutoMax, amountMicroAutoMax }]) => ({
    code,
    description,
    records_max: recordsAutoMax,
    amount_rub_max: formatRub(amountMicroAutoMax),
  }),
);

defineReference('tools.verb', VERBS);
defineReference('tools.risk', RISK_LEVELS);
defineReference('tools.connector', CONNECTORS);
defineReference('tools.decision', DECISIONS);
defineReference('tools.decision_rule', PUBLISHED_GUARDS);
defineReference('tools.caller_limit', PUBLISHED_LIMITS);
defineReference('tools.figure_basis', FIGURE_BASES);
defineReference('tools.approval_status', APPROVAL_STATUSES);
defineReference('tools.call_status', CALL_STATUSES);
defineReference('tools.failure', CALL_FAILURES);
