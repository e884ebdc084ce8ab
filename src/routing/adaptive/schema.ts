import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { connectionOf, forwardArgs, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import { RECEIPT_ID } from '../../records/receipts-schema.js';
import { publishContract } from './contracts.js';
import { decideAndSeal, verifyRoute } from './decide.js';
import { setKillSwitch, standingSwitch } from './kill-switch.js';
import { recordOutcome } from './outcomes.js';
import { adaptivePortfolio } from './portfolio.js';
import { KILL_SWITCHES, ROUTING_CONTRACTS, ROUTING_RECEIPTS } from './records.js';
import './reference.js';
import {
  ADAPTIVE_PORTFOLIO,
  CONTRACT_INPUT,
  DECIDE_INPUT,
  OUTCOME_INPUT,
  PORTFOLIO_QUESTION,
  RECORDED_OUTCOME,
  ROUTE_VERIFICATION,
  SWITCH_INPUT,
  SWITCH_QUESTION,
  SWITCH_STANDING,
} from './tables.js';
import './what-ifs.js';

const READ = { can: 'adaptive_routing.read' } as const;
const WRITE = { can: 'adaptive_routing.write' } as const;

builder.queryFields((t) => ({
  routerKillSwitch: t.field({
    type: outputOf(SWITCH_STANDING),
    description: 'How the kill switch of a scope stands now, and what is in force for it.',
    authScopes: READ,
    args: argsOf(t, SWITCH_QUESTION),
    resolve: (_root, { scopeKey }, ctx) => standingSwitch(authorized(ctx), scopeKey),
  }),
  adaptiveRoutingPortfolio: t.field({
    type: outputOf(ADAPTIVE_PORTFOLIO),
    description: 'How often answers were accepted, from the outcomes of a window.',
    authScopes: READ,
    complexity: { field: 20, multiplier: 1 },
    args: argsOf(t, PORTFOLIO_QUESTION),
    resolve: (_root, question, ctx) => adaptivePortfolio(authorized(ctx), question),
  }),
  adaptiveRoutingReceipt: t.field({
    type: ROUTING_RECEIPTS.type,
    description: 'A sealed decision by the id of its receipt.',
    authScopes: READ,
    args: argsOf(t, RECEIPT_ID),
    resolve: (_root, { id }, ctx) => ROUTING_RECEIPTS.byId(authorized(ctx), id),
  }),
  adaptiveRoutingReceipts: t.field({
    type: connectionOf(ROUTING_RECEIPTS.type),
    description: 'Every sealed decision of the organization, the latest first.',
    authScopes: READ,
    complexity: pageComplexity,
    args: forwardArgs(t),
    resolve: (_root, args, ctx) => ROUTING_RECEIPTS.page(authorized(ctx), args) as never,
  }),
  adaptiveRoutingReceiptVerification: t.field({
    type: outputOf(ROUTE_VERIFICATION),
    description: 'Recomputes the hash and links of a receipt, and decides once more.',
    authScopes: READ,
    args: argsOf(t, RECEIPT_ID),
    resolve: (_root, { id }, ctx) => verifyRoute(authorized(ctx), id),
  }),
}));

builder.mutationFields((t) => ({
  adaptiveRouteDecide: t.field({
    type: ROUTING_RECEIPTS.type,
    description: 'Decides which model would answer a request and seals it, once for the request.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(DECIDE_INPUT, 'The request that is decided about.') }),
    resolve: (_root, { input }, ctx) => decideAndSeal(authorized(ctx), input),
  }),
  routingOutcomeRecord: t.field({
    type: outputOf(RECORDED_OUTCOME),
    description: 'Records what became of an answer, once for its request.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(OUTCOME_INPUT, 'What became of the answer.') }),
    resolve: (_root, { input }, ctx) => recordOutcome(authorized(ctx), input),
  }),
  routingContractPublish: t.field({
    type: ROUTING_CONTRACTS.type,
    description: 'Publishes the next version of a contract; it holds for the next decision.',
    authScopes: WRITE,
    args: argsOf(t, { input: object(CONTRACT_INPUT, 'The terms of the version.') }),
    resolve: (_root, { input }, ctx) => publishContract(authorized(ctx), input),
  }),
  routerKillSwitchSet: t.field({
    type: KILL_SWITCHES.type,
    description: 'Sets what a router may do; it holds for the next decision on every node.',
    authScopes: { can: 'adaptive_routing.switch' },
    args: argsOf(t, { input: object(SWITCH_INPUT, 'The state, and the scope that it is for.') }),
    resolve: (_root, { input }, ctx) => setKillSwitch(authorized(ctx), input),
  }),
}));
