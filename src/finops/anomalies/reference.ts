import { code, fieldTable, money, number, optional, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { BUDGET_SCOPES, ON_CAP_ACTIONS } from '../budgets/vocabulary.js';
import { COST_DIMENSIONS, RISK_FLAGS } from '../costs/vocabulary.js';
import {
  ANOMALY_ACTIONS,
  ANOMALY_EVENTS,
  ANOMALY_TYPES,
  METHODS,
  PAUSE_STATUSES,
  SEVERITIES,
  THRESHOLD_UNITS,
} from './vocabulary.js';

const DIMENSION = fieldTable('CostDimensionPrice', 'What a cost is made of, with unit prices.', {
  unit: text('What is counted.'),
  unitPriceMicro: optional(
    money('What the gateway charges for one; null where the price row of the model decides.'),
  ),
});

const TYPE = fieldTable('AnomalyTypeRow', 'What a rule can look for, and what it compares.', {
  observed: text('The metric that is judged.'),
  expected: optional(text('The metric that it is compared with; null where there is none.')),
  threshold: number('The limit, or how many times the expected, unless a rule states another.'),
  unit: code(THRESHOLD_UNITS, 'What the threshold counts.'),
});

const UNIT = fieldTable('AnomalyThresholdUnitRow', 'What a threshold of a rule may be.', {
  min: number('The least that it may be.'),
  max: number('The most that it may be.'),
});

publishReference({
  module: 'finops',
  type: 'FinopsReference',
  description: 'Scopes, actions at caps, types of anomalies and dimensions of cost.',
  lists: {
    budgetScopes: codes('budget_scope', BUDGET_SCOPES),
    onCapActions: codes('on_cap_action', ON_CAP_ACTIONS),
    anomalyTypes: rows('anomaly_type', ANOMALY_TYPES.rows, TYPE),
    thresholdUnits: rows('threshold_unit', THRESHOLD_UNITS.rows, UNIT),
    anomalyActions: codes('anomaly_action', ANOMALY_ACTIONS),
    anomalyMethods: codes('anomaly_method', METHODS),
    anomalyEvents: codes('anomaly_event', ANOMALY_EVENTS),
    severities: codes('severity', SEVERITIES),
    pauseStatuses: codes('pause_status', PAUSE_STATUSES),
    costDimensions: rows('cost_dimension', COST_DIMENSIONS.rows, DIMENSION),
    riskFlags: codes('risk_flag', RISK_FLAGS),
  },
});
