import { contractKind } from '../../records/contract-kinds.js';
import { RULE_FIELDS } from './tables.js';

/** The anomaly rules of an organization: versions only grow, the latest of a key holds. */
export const ANOMALY_RULES = contractKind({
  kind: 'anomaly_rule',
  type: 'AnomalyRule',
  description: 'A version of what live requests are watched for, and what happens then.',
  body: RULE_FIELDS,
  key: 'ruleKey',
  list: {
    field: 'anomalyRuleVersions',
    permission: 'finops.read',
    by: ['ruleKey', 'type'],
    inForce: 'anomalyRules',
  },
});
