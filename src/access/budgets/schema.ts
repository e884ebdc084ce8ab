import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { requestBudgetException } from './service.js';
import {
  BUDGET_PERIODS,
  type BudgetPeriod,
  EXCEPTION_STATUSES,
  type ExceptionStatus,
} from './vocabulary.js';

const BudgetPeriodEnum = builder.enumType('BudgetPeriod', {
  description: 'The period of a budget of a policy.',
  values: enumValues(BUDGET_PERIODS),
});

const ExceptionStatusEnum = builder.enumType('BudgetExceptionStatus', {
  description: 'The state of an exception from a budget. All but `pending` are final.',
  values: enumValues(EXCEPTION_STATUSES),
});

const BudgetException = builder.prismaNode('BudgetException', {
  id: { field: 'id', description: 'The id of the exception.' },
  description:
    'A request to spend more than the cap of a budget in one period. What is granted is added to ' +
    'the cap of that period only; the policy does not change.',
  fields: (t) => ({
    policyId: t.expose('policyId', { type: 'UUID', description: 'The policy with the budget.' }),
    period: t.field({
      type: BudgetPeriodEnum,
      description: 'Which budget of the policy.',
      resolve: ({ period }) => period as BudgetPeriod,
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
      type: ExceptionStatusEnum,
      description: 'Whether it waits, and how it was decided.',
      resolve: ({ status }) => status as ExceptionStatus,
    }),
    approvalId: t.expose('approvalId', {
      type: 'UUID',
      description: 'The approval that decides about it.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The chat request that waits for it; null where a person or a script asked.',
    }),
    requestedBy: t.expose('requestedBy', { type: 'UUID', description: 'Who asked.' }),
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
      policyId: t.arg({ type: 'UUID', description: 'Only from budgets of this policy.' }),
      status: t.arg({ type: ExceptionStatusEnum, description: 'Only exceptions of this status.' }),
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
      policyId: t.arg({ type: 'UUID', required: true, description: 'The policy.' }),
      period: t.arg({
        type: BudgetPeriodEnum,
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
