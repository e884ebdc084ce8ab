import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import './reference.js';
import { readDashboard, sendBeacon } from './service.js';
import { BEACON, BEACON_INPUT, DASHBOARD, DASHBOARD_QUESTION } from './tables.js';

builder.queryField('analyticsDashboard', (t) =>
  t.field({
    type: outputOf(DASHBOARD),
    description:
      'What pages have told: events, sessions, paths and referrers. For administrators of the ' +
      'platform alone.',
    authScopes: { can: 'profile.read' },
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, DASHBOARD_QUESTION),
    resolve: (_root, days, ctx) => readDashboard(authorized(ctx), days),
  }),
);

builder.mutationField('analyticsBeaconSend', (t) =>
  t.field({
    type: outputOf(BEACON),
    description:
      'Counts what a page tells of its use, without cookies, addresses and personal data. The ' +
      'answer is all that is kept.',
    args: argsOf(t, { input: object(BEACON_INPUT, 'What the page tells.') }),
    resolve: (_root, { input }, ctx) => sendBeacon(ctx, input),
  }),
);
