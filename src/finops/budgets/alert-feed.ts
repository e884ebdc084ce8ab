import {
  code,
  day,
  fieldTable,
  money,
  number,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { BUDGET_SCOPES } from './vocabulary.js';

/** What a soft alert says in figures. */
export const ALERT_FACTS = {
  budgetId: uuid('The budget, by its id.'),
  scope: code(BUDGET_SCOPES, 'What the budget caps the spending of.'),
  scopeRef: text('Which one of the scope; `*` is all that name any.'),
  periodStart: day('The first day of the period of the budget.'),
  thresholdPercent: number('The part of the cap that is reached, in percent.'),
  spentMicro: money('What was spent in the period by then, VAT included.'),
  capMicro: money('What may be spent in the period, with what was granted on top of the cap.'),
} as const;

/** A soft alert as the feed tells it. */
export const ALERT_PAYLOAD = fieldTable(
  'BudgetAlertPayload',
  'Spending has reached a soft alert of a budget; the subject of the event is the alert.',
  { ...ALERT_FACTS, budget: text('What the budget is called.') },
);

/** What a soft alert of the feed holds. */
export type AlertTold = ValuesOf<typeof ALERT_PAYLOAD.fields>;
