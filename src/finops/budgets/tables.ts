import { BUDGET_PERIODS } from '../../access/budgets/vocabulary.js';
import {
  code,
  day,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import {
  BUDGET_SCOPES,
  CAP_MICRO_MAX,
  EVERY_REF,
  ON_CAP_ACTIONS,
  SCOPE_REF_MAX,
  SOFT_ALERTS_MAX,
} from './vocabulary.js';

const AMOUNT = { min: 0n, max: CAP_MICRO_MAX };

/** A budget that is set. */
export const BUDGET_INPUT = fieldTable('BudgetInput', 'What a scope may spend, and what then.', {
  scope: code(BUDGET_SCOPES, 'What the budget caps the spending of.'),
  scopeRef: defaulting(
    text(
      'Which one of the scope. `*`, as it is where it is left out, is one cap for all requests ' +
        'that name any of the scope, taken together; requests that name none are not concerned. ' +
        '`each` is one cap for each session, client or key by itself.',
      { max: SCOPE_REF_MAX },
    ),
    EVERY_REF,
  ),
  hardCapMicro: money('What may be spent in a period, VAT included.', AMOUNT),
  softAlerts: defaulting(
    list(
      number('A part of the cap in percent, from 1 to 100: 80 is 80 %, and 1 is 1 %.', {
        max: 100,
      }),
      'Where an alert reaches the feed, in percent of the cap, once for each in a period; none ' +
        'unless stated. A value below 1 is refused, since it may be meant as a share.',
      { max: SOFT_ALERTS_MAX },
    ),
    [],
  ),
  onCapReached: defaulting(
    code(ON_CAP_ACTIONS, 'What happens to a request that would pass the cap.'),
    'block',
  ),
  degradeTo: optional(
    text(
      'The cheaper route of `degrade`: a model, `gw:auto` or `gw:route/` and a key. The model ' +
        'with the lowest price unless stated.',
      { max: 256 },
    ),
  ),
  period: optional(
    code(BUDGET_PERIODS, 'How long it counts: `total` for agent sessions, else `month`.'),
  ),
  name: optional(
    text('What it is called; scope, reference and period unless stated.', { max: 160 }),
  ),
  active: defaulting(flag('False switches the budget off; what was spent stays counted.'), true),
  ladder: defaulting(
    flag(
      'True lets the six steps of the budget ladder act as the cap is used up: the reference of ' +
        'unit economics lists them. A step acts on every node within two seconds, and ends with ' +
        'the period or when the cap is raised.',
    ),
    false,
  ),
});

/** What a check may be told. */
export const CHECK_INPUT = fieldTable('BudgetCheckInput', 'A request that might be made.', {
  estimateMicro: optional(
    money('The most that it can cost; the least that is billed where it is left out.', AMOUNT),
  ),
  currentSpendMicro: optional(
    money('What is taken to be spent instead of what the ledger has counted.', AMOUNT),
  ),
});

/** The answer of the guard. */
export const BUDGET_CHECK = fieldTable('BudgetCheck', 'What the guard of a budget decides.', {
  decision: code(ON_CAP_ACTIONS, 'What would happen to the request now.'),
  capReached: flag('Whether the request would pass the cap.'),
  reason: text('Why, in a sentence.'),
  spentMicro: money('What the period has spent.'),
  heldMicro: money('What open requests hold of it.'),
  hardCapMicro: money('What may be spent in a period, as it was set.'),
  grantedMicro: money('What approved exceptions have added to it for this period alone.'),
  leftMicro: money('What is free of both together; 0 where nothing is.'),
  usedPercent: number('What is spent and held, in percent of both; 100 for a cap of zero.'),
  alertsReached: list(
    number('A percentage.'),
    'The soft alerts that spending has reached, of the cap with what was granted.',
  ),
  degradeTo: optional(text('The route that the request would take; null unless it degrades.')),
  periodStart: day('The first day of the period; 1970-01-01 for a budget in total.'),
  active: flag('False for a budget that is switched off, which decides nothing.'),
  provenance: code(PROVENANCES, 'Spending counted by the ledger, or stated by the caller.'),
});

/** The answer of a dry run. */
export const BUDGET_EFFECT = fieldTable(
  'BudgetEffect',
  'What a budget would have done to the recorded requests of its scope in the last seven days, ' +
    'by the rule of its cap. Nothing is written. Requests count by what they were charged, and ' +
    'those that are refused are taken as not asked again.',
  {
    from: instant('Begin of the window.'),
    to: instant('End of the window.'),
    complete: flag('False where the window has more requests than are replayed.'),
    openingMicro: money('What the scope had spent before the window in the period it begins in.'),
    requests: integer('Requests of the scope that were replayed.'),
    blocked: integer('Those that would have been refused.'),
    waiting: integer('Those that would have needed an approval.'),
    degraded: integer('Those that would have taken the cheaper route; they count as they were.'),
    beyond: integer('Those that would have passed the cap of a budget that only counts.'),
    blockedMicro: money('What the refused, and those that needed an approval, had cost.'),
    passedMicro: money('What all others had cost.'),
    firstAt: optional(instant('When the cap was first passed; null where it never was.')),
    alertsReached: list(number('A percentage.'), 'The soft alerts that were reached.'),
    provenance: code(PROVENANCES, 'From the recorded usage of the organization.'),
  },
);

/** A budget as it is listed, besides its id. */
export const BUDGET_FIELDS = {
  scope: code(BUDGET_SCOPES, 'What the budget caps the spending of.'),
  scopeRef: text('Which one of the scope; `*` is all together, `each` each of them by itself.'),
  concerns: text('Which requests count towards the cap and are held to it, in a sentence.'),
  name: text('What the budget is called; refusals name it.'),
  hardCapMicro: money('What may be spent in a period, VAT included.'),
  softAlerts: list(number('A percentage of the cap.'), 'Where an alert reaches the feed.'),
  onCapReached: code(ON_CAP_ACTIONS, 'What happens to a request that would pass the cap.'),
  degradeTo: optional(text('The cheaper route; null unless the budget degrades.')),
  period: code(BUDGET_PERIODS, 'How long it counts. Days and months are those of Moscow.'),
  active: flag('False for a budget that is switched off.'),
  ladder: flag('Whether the steps of the budget ladder act on its requests.'),
} as const;
