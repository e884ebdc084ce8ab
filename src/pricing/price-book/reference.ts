import { fieldTable } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { CANONICAL_PLANS, PLAN_FIELDS } from './plans.js';
import {
  COMPONENTS,
  DEAL_VERDICTS,
  FLOOR_VERDICTS,
  GIVES,
  HARD_RULES,
  PLAN_STATUSES,
  QUOTE_VERDICTS,
  REBATE_BASES,
  SCENARIOS,
} from './vocabulary.js';

const PLAN = fieldTable('CanonicalPlan', 'The canonical plans.', PLAN_FIELDS);
const PLANS = CANONICAL_PLANS.map((plan) => ({ code: plan.plan, description: plan.name, ...plan }));

publishReference({
  module: 'price-book',
  type: 'PriceBookReference',
  description: 'The canonical plans and the hard rules: quotes and gates decide by these lists.',
  lists: {
    plans: rows('plan', PLANS, PLAN),
    hardRules: codes('hard_rule', HARD_RULES),
    planStatuses: codes('plan_status', PLAN_STATUSES),
    scenarios: codes('scenario', SCENARIOS),
    quoteVerdicts: codes('quote_verdict', QUOTE_VERDICTS),
    floorVerdicts: codes('floor_verdict', FLOOR_VERDICTS),
    dealVerdicts: codes('deal_verdict', DEAL_VERDICTS),
    components: codes('component', COMPONENTS),
    gives: codes('give', GIVES),
    rebateBases: codes('rebate_basis', REBATE_BASES),
  },
});
