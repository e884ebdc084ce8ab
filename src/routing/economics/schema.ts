import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, inputOf, outputOf } from '../../graph/table-types.js';
import { text } from '../../kernel/fields/field.js';
import { RE_EXECUTION } from '../decision/sealed-decision.js';
import { reexecuteReceipt, sealRouteDecision, simulateRoute } from './decisions.js';
import { publishRoutePolicy } from './policies.js';
import { routingPortfolio } from './portfolio.js';
import { MODEL_SCORECARDS, ROUTE_POLICIES, ROUTING_RECEIPTS } from './records.js';
import './reference.js';
import { publishScorecard } from './scorecards.js';
import {
  DECIDE_INPUT,
  POLICY_INPUT,
  PORTFOLIO,
  PORTFOLIO_QUESTION,
  SCORECARD_INPUT,
  SIMULATE_INPUT,
  SIMULATION,
} from './tables.js';

const MAY_READ = { can: 'routing.read' } as const;
const MAY_WRITE = { can: 'routing.write' } as const;

builder.queryFields((t) => ({
  routeSimulate: t.field({
    type: outputOf(SIMULATION),
    description: 'Decides which model would answer a request, with every reason; nothing is kept.',
    authScopes: MAY_READ,
    args: {
      input: t.arg({
        type: inputOf(SIMULATE_INPUT),
        required: true,
        description: 'What is known of the request.',
      }),
    },
    resolve: (_root, { input }, ctx) => simulateRoute(authorized(ctx), input),
  }),
  routingReceiptReexecution: t.field({
    type: outputOf(RE_EXECUTION),
    description: 'Makes a sealed decision again from its sealed inputs, and compares.',
    authScopes: MAY_READ,
    args: argsOf(t, { id: text('The id of the receipt.') }),
    resolve: (_root, { id }, ctx) => reexecuteReceipt(authorized(ctx), id),
  }),
  routingPortfolio: t.field({
    type: outputOf(PORTFOLIO),
    description: 'What the decisions that were really used have saved in a window.',
    authScopes: MAY_READ,
    args: argsOf(t, PORTFOLIO_QUESTION),
    resolve: (_root, args, ctx) => routingPortfolio(authorized(ctx), args),
  }),
}));

builder.mutationFields((t) => ({
  routePolicyPublish: t.field({
    type: ROUTE_POLICIES.type,
    description: 'Publishes the next version of a route policy; it holds from the next request on.',
    authScopes: MAY_WRITE,
    args: {
      input: t.arg({
        type: inputOf(POLICY_INPUT),
        required: true,
        description: 'What the version says.',
      }),
    },
    resolve: (_root, { input }, ctx) => publishRoutePolicy(authorized(ctx), input),
  }),
  modelScorecardPublish: t.field({
    type: MODEL_SCORECARDS.type,
    description:
      'Publishes the next version of a scorecard, as it is stated or as the gateway measures it.',
    authScopes: MAY_WRITE,
    args: {
      input: t.arg({
        type: inputOf(SCORECARD_INPUT),
        required: true,
        description: 'The model, its use, and where its quality comes from.',
      }),
    },
    resolve: (_root, { input }, ctx) => publishScorecard(authorized(ctx), input),
  }),
  routeDecide: t.field({
    type: ROUTING_RECEIPTS.type,
    description: 'Decides which model answers a request, and seals the decision once for its id.',
    authScopes: MAY_WRITE,
    args: {
      input: t.arg({
        type: inputOf(DECIDE_INPUT),
        required: true,
        description: 'The request, and what is known of it.',
      }),
    },
    resolve: (_root, { input }, ctx) => sealRouteDecision(authorized(ctx), input),
  }),
}));
