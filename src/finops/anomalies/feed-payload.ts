import { KEY_OUTLIVING } from '../../access/keys/outliving.js';
import {
  code,
  fieldTable,
  list,
  number,
  optional,
  tableUnion,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { ALERT_PAYLOAD } from '../budgets/alert-feed.js';
import { BUDGET_SCOPES } from '../budgets/vocabulary.js';
import { PRICE_CHANGE_TOLD } from '../costs/price-notice-payload.js';
import { ANOMALY_ACTIONS, ANOMALY_TYPES, METHODS, SEVERITIES } from './vocabulary.js';

const WHOSE = {
  anomalyId: uuid('The anomaly, by its id.'),
  scope: code(BUDGET_SCOPES, 'Of what the requests were followed.'),
  scopeRef: text('Which one of the scope.'),
} as const;

/** An anomaly as the feed tells it. */
export const ANOMALY_TOLD = fieldTable(
  'AnomalyPayload',
  'Live requests have triggered a rule; the subject of the event is the anomaly.',
  {
    ...WHOSE,
    ruleKey: text('The rule that was triggered; standing ones begin with `gw:`.'),
    type: code(ANOMALY_TYPES, 'What the rule looks for.'),
    metric: text('What was compared.'),
    observed: number('What was observed; money in rubles.'),
    expected: number('What was expected; 0 where nothing is. Money in rubles.'),
    limit: number('What the metric may not reach; money in rubles.'),
    method: code(METHODS, 'What the expected comes from.'),
    severity: code(SEVERITIES, 'How grave it is.'),
    action: code(ANOMALY_ACTIONS, 'What the rule does.'),
    requestIds: list(uuid('The id of a request.'), 'The requests that drove it, the last 20.'),
  },
);

/** What an anomaly did to its scope, and what a member decided, as the feed tells it. */
export const PAUSE_TOLD = fieldTable(
  'SpendPausePayload',
  'A scope was paused or put under review, or goes on; the subject of the event is the pause.',
  {
    ...WHOSE,
    pauseId: uuid('The pause, by its id; `spendPauses` shows where it stands.'),
    reason: text('What was observed, and what was expected of it.'),
    approvalId: optional(uuid('The approval that decides; null where there is none.')),
  },
);

/** What the feed of anomalies tells, by the type of the event. */
export const FEED_PAYLOAD = tableUnion(
  'AnomalyFeedPayload',
  'What an event of the feed of anomalies tells: an anomaly, what became of its scope, a soft ' +
    'alert of a budget, a key that outlives a revoked one, or a price that is to change.',
  [ANOMALY_TOLD, PAUSE_TOLD, ALERT_PAYLOAD, KEY_OUTLIVING, PRICE_CHANGE_TOLD],
);
