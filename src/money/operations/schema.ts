import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, outputOf } from '../../graph/table-types.js';
import { object } from '../../kernel/fields/field.js';
import './records.js';
import './reference.js';
import { adjustBalance, creditBalance, refundRequest, returnBalance } from './service.js';
import { issueSlaCredit, slaMonth } from './sla.js';
import { SLA_CREDIT_INPUT, SLA_MONTH, SLA_QUESTION } from './sla-tables.js';
import { ADJUSTMENT_INPUT, CREDIT_INPUT, OUTCOME, REFUND_INPUT, RETURN_INPUT } from './tables.js';

const OFFICE =
  'For administrators of the platform. Above the limit of the server it waits for another one. ' +
  'The organization sees the line of its ledger, the receipt, and the events.';
/** The service asks for an administrator of the platform, whose role in their own is any. */
const authScopes = { can: 'profile.read' } as const;

builder.mutationFields((t) => ({
  balanceRefund: t.field({
    type: outputOf(OUTCOME),
    description: `Gives the charge of a request back, whole or in part. ${OFFICE}`,
    authScopes,
    args: argsOf(t, { input: object(REFUND_INPUT, 'Which charge is given back.') }),
    resolve: (_root, { input }, ctx) => refundRequest(authorized(ctx), input),
  }),
  balanceCredit: t.field({
    type: outputOf(OUTCOME),
    description: `Gives a bonus, which bears no VAT and is used before what was paid. ${OFFICE}`,
    authScopes,
    args: argsOf(t, { input: object(CREDIT_INPUT, 'What bonus is given.') }),
    resolve: (_root, { input }, ctx) => creditBalance(authorized(ctx), input),
  }),
  balanceAdjust: t.field({
    type: outputOf(OUTCOME),
    description: `Corrects a balance, either way. ${OFFICE}`,
    authScopes,
    args: argsOf(t, { input: object(ADJUSTMENT_INPUT, 'What is corrected.') }),
    resolve: (_root, { input }, ctx) => adjustBalance(authorized(ctx), input),
  }),
  balanceReturn: t.field({
    type: outputOf(OUTCOME),
    description: `Returns unused funds to the customer, never what is held or a bonus. ${OFFICE}`,
    authScopes,
    args: argsOf(t, { input: object(RETURN_INPUT, 'What is returned.') }),
    resolve: (_root, { input }, ctx) => returnBalance(authorized(ctx), input),
  }),
  slaCreditIssue: t.field({
    type: outputOf(OUTCOME),
    description: `Credits a month whose service level was missed, once for it. ${OFFICE}`,
    authScopes,
    args: argsOf(t, { input: object(SLA_CREDIT_INPUT, 'Which month is credited.') }),
    resolve: (_root, { input }, ctx) => issueSlaCredit(authorized(ctx), input),
  }),
}));

builder.queryField('slaMonth', (t) =>
  t.field({
    type: outputOf(SLA_MONTH),
    description:
      'The service level of a month that has ended, by the rule of `gw_slo`, and what the ' +
      'published terms credit for it.',
    authScopes: { can: 'billing.read' },
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, SLA_QUESTION),
    resolve: (_root, question, ctx) => slaMonth(authorized(ctx), question),
  }),
);
