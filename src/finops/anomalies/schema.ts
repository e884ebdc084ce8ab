import { builder } from '../../graph/builder.js';
import { unconfined } from '../../graph/confined.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, outputOf, storedFields } from '../../graph/table-types.js';
import {
  code,
  instant,
  kept,
  list,
  number,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { feedField } from '../../records/feed-field.js';
import { feedItem } from '../../records/feed-item.js';
import { BUDGET_SCOPES } from '../budgets/vocabulary.js';
import { readDashboard } from './dashboard.js';
import { FEED_PAYLOAD } from './feed-payload.js';
import { requestResume } from './pauses.js';
import { ANOMALY_RULES } from './records.js';
import './reference.js';
import { evaluateRule, publishRule } from './service.js';
import { DASHBOARD, EVALUATION, EVALUATION_INPUT, RULE_INPUT } from './tables.js';
import {
  ANOMALY_ACTIONS,
  ANOMALY_TYPES,
  METHODS,
  PAUSE_STATUSES,
  SEVERITIES,
} from './vocabulary.js';

const Anomaly = builder.prismaNode('Anomaly', {
  id: { field: 'id', description: 'The id of the anomaly.' },
  description: 'What live requests of a scope showed against what was expected of them.',
  fields: (t) =>
    storedFields(t, {
      ruleKey: text('The rule that was triggered; standing ones begin with `gw:`.'),
      type: code(ANOMALY_TYPES, 'What the rule looks for.'),
      scopeKind: code(BUDGET_SCOPES, 'Of what the requests were followed.'),
      scopeRef: text('Which one of the scope.'),
      metric: text('What was compared.'),
      observed: number('What was observed; money in rubles.'),
      expected: number('What was expected; 0 where nothing is. Money in rubles.'),
      threshold: number('What the metric may not reach.'),
      method: code(METHODS, 'What the expected comes from.'),
      severity: code(SEVERITIES, 'How grave it is.'),
      action: code(ANOMALY_ACTIONS, 'What the rule does.'),
      windowStart: instant('When the window begins.'),
      windowEnd: instant('When it was found.'),
      requestIds: list(text('The id of a request.'), 'The requests that drove it, the last 20.'),
      createdAt: instant('When it was found.'),
    }),
});

ownList({
  field: 'anomalies',
  type: Anomaly,
  description: 'Anomalies of live requests, the latest first.',
  permission: 'anomalies.read',
  by: {
    type: optional(code(ANOMALY_TYPES, 'Only anomalies of this type.')),
    severity: optional(code(SEVERITIES, 'Only anomalies of this severity.')),
    scopeKind: optional(code(BUDGET_SCOPES, 'Only anomalies of this scope.')),
    scopeRef: optional(text('Only anomalies of this reference.')),
  },
});

const SpendPause = builder.prismaNode('SpendPause', {
  id: { field: 'id', description: 'The id of the pause.' },
  description: 'What an anomaly did to its scope: paused it, or put it under review.',
  fields: (t) =>
    storedFields(t, {
      anomalyId: uuid('The anomaly that acted on the scope.'),
      scopeKind: code(BUDGET_SCOPES, 'Of what the requests are paused.'),
      scopeRef: text('Which one of the scope.'),
      reason: text('What was observed.'),
      status: code(PAUSE_STATUSES, 'Where the scope stands.'),
      approvalId: optional(uuid('The approval that decides; null for one that joined another.')),
      createdAt: instant('When the anomaly acted.'),
      decidedAt: optional(instant('When a member decided; null while it waits.')),
    }),
});

ownList({
  field: 'spendPauses',
  type: SpendPause,
  description: 'What anomalies did to their scopes, the latest first.',
  permission: 'anomalies.read',
  by: { status: optional(code(PAUSE_STATUSES, 'Only scopes that stand so.')) },
});

feedField({
  name: 'anomalyEvents',
  description:
    'Anomalies of cost and traffic, what they do to their scopes, soft alerts of budgets, keys ' +
    'that work though one that led to them was revoked, and prices of used models that are to ' +
    'change; each event once and in order.',
  permission: 'anomalies.read',
  source: ANOMALY_FEED,
  item: feedItem(
    'AnomalyFeedItem',
    'An event of the feed of anomalies; the subject is the anomaly, pause, alert, key or price.',
    kept(FEED_PAYLOAD, 'What the event tells, by its type.'),
  ),
});

builder.queryFields((t) => ({
  anomalyEvaluation: t.field({
    type: outputOf(EVALUATION),
    description:
      'What a rule says of metrics that the caller states, by the judgement that live requests ' +
      'are under. It pauses nothing.',
    authScopes: { can: 'finops.read' },
    args: argsOf(t, {
      id: uuid('The id of a version of the rule; the latest one is asked.'),
      input: object(EVALUATION_INPUT, 'The metrics of a window.'),
    }),
    resolve: (_root, { id, input }, ctx) => evaluateRule(authorized(ctx), id, input),
  }),
  finopsDashboard: t.field({
    type: outputOf(DASHBOARD),
    description: 'Budgets, receipts, cost, forecasts, rules and what is paused, from the rows.',
    authScopes: { can: 'finops.read' },
    resolve: (_root, _args, ctx) => readDashboard(authorized(ctx)),
  }),
}));

builder.mutationFields((t) => ({
  anomalyRulePublish: t.field({
    type: ANOMALY_RULES.type,
    description:
      'Publishes the next version of an anomaly rule. Live requests are watched by it, and it ' +
      'alerts, pauses the scope, or asks for an approval.',
    authScopes: { can: 'finops.write' },
    args: argsOf(t, { input: object(RULE_INPUT, 'The terms of the version.') }),
    resolve: (_root, { input }, ctx) => publishRule(authorized(ctx), input),
  }),
  spendResumeRequest: t.field({
    type: SpendPause,
    description: 'Asks again that a paused scope goes on, after a rejection or an expiry.',
    authScopes: { can: 'budgets.request' },
    args: argsOf(t, { id: uuid('The id of the pause.') }),
    resolve: (_root, { id }, ctx) => requestResume(unconfined(ctx), id),
  }),
}));
