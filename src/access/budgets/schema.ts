import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf } from '../../graph/table-types.js';
import { requestBudgetException } from './service.js';
import { BUDGET_PERIODS, EXCEPTION_STATUSES } from './vocabulary.js';

const BudgetException = builder.prismaNode('BudgetException', {
  id: { field: 'id', description: 'The id of the exception.' },
  description:
    'A request to spend more than the cap of a budget in one period. What is granted is added to ' +
    'the cap of that period only; the policy does not change.',
  fields: (t) => ({
    policyId: t.expose('policyId', { type: 'ID', description: 'The policy with the budget.' }),
    period: t.field({
      type: enumOf(BUDGET_PERIODS),
      description: 'Which budget of the policy.',
      resolve: ({ period }) => BUDGET_PERIODS.parse(period),
    }),
    periodStart: t.string({
      description: 'The first day of the period that it holds for, `YYYY-MM-DD`, in Moscow.',
      resolve: ({ periodStart }) => periodStart.toISOString().slice(0, 10),
    }),
    amountRub: t.expose('amountMicro', {
      type: 'Rub',
      description: 'What is added to the cap when it is granted, VAT included.',
    }),
    reason: t.exposeString('reason', { description: 'Why it was asked for.' }),
    status: t.field({
      type: enumOf(EXCEPTION_STATUSES),
      description: 'Whether it waits, and how it was decided.',
      resolve: ({ status }) => EXCEPTION_STATUSES.parse(status),
    }),
    approvalId: t.expose('approvalId', {
      type: 'ID',
      description: 'The approval that decides about it.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The chat request that waits for it; null where a person or a script asked.',
    }),
    requestedBy: t.expose('requestedBy', {
      type: 'ID',
      description: 'The member or key that asked for the exception.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided or expired; null while it waits.',
    }),
  }),
});

builder.queryField('budgetExceptions', (t) =>
  t.prismaConnection({
    type: BudgetException,
    cursor: 'id',
    description: 'Exceptions from budgets that were asked for, newest first.',
    authScopes: { can: 'policies.read' },
    complexity: pageComplexity,
    args: {
      policyId: t.arg({ type: 'ID', description: 'Only from budgets of this policy.' }),
      status: t.arg({
        type: enumOf(EXCEPTION_STATUSES),
        description: 'Only exceptions of this status.',
      }),
    },
    resolve: (query, _root, { policyId, status }, ctx) =>
      database(ctx).budgetException.findMany({
        ...query,
        where: { policyId: policyId ?? undefined, status: status ?? undefined },
        orderBy: NEWEST_FIRST,
      }),
  }),
);

builder.mutationField('budgetExceptionRequest', (t) =>
  t.prismaField({
    type: BudgetException,
    description:
      'Asks for more than the cap of a budget in its current period. It waits in the approval ' +
      'queue until a member decides, at most seven days and never beyond the end of the period.',
    authScopes: { can: 'budgets.request' },
    args: {
      policyId: t.arg({
        type: 'ID',
        required: true,
        description: 'The id of the policy whose budget is exhausted.',
      }),
      period: t.arg({
        type: enumOf(BUDGET_PERIODS),
        required: true,
        description: 'Which of its budgets.',
      }),
      amountRub: t.arg({
        type: 'Rub',
        required: true,
        description: 'How much beyond the cap, VAT included.',
      }),
      reason: t.arg.string({
        required: true,
        description: 'Why; the decider reads it. At most 500 characters.',
      }),
    },
    resolve: (_query, _root, { policyId, period, amountRub, reason }, ctx) =>
      requestBudgetException(authorized(ctx), { policyId, period, amountMicro: amountRub, reason }),
  }),
);
