import type { ValuesOf } from '../../kernel/fields/field.js';
import { EACH_REF } from '../budgets/vocabulary.js';
import { typeRow } from './judge.rules.js';
import type { RULE_FIELDS } from './tables.js';
import type { AnomalyType } from './vocabulary.js';

/** An anomaly rule as it is judged by. */
export type AnomalyRule = ValuesOf<typeof RULE_FIELDS>;

type Watched = readonly [AnomalyType, AnomalyRule['scope'], number];

const WATCHED: readonly Watched[] = [
  ['retry_loop', 'agent_session', 10],
  ['context_explosion', 'agent_session', 6],
  ['fallback_cost_spike', 'use_case', 20],
  ['cost_spike', 'use_case', 20],
  ['request_spike', 'partner_client', 50],
  ['error_spike', 'route', 20],
];

/** The rules that hold for every organization. They alert and do nothing else. */
export const STANDING_RULES: readonly AnomalyRule[] = WATCHED.map(([type, scope, requestsMin]) => ({
  ruleKey: `gw:${type}`,
  type,
  scope,
  scopeRef: EACH_REF,
  together: null,
  threshold: typeRow(type).threshold,
  windowMinutes: 10,
  requestsMin,
  action: 'alert',
  active: true,
}));
