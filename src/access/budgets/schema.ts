import { builder } from '../../graph/builder.js';
import { unconfined } from '../../graph/confined.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, storedFields } from '../../graph/table-types.js';
import { code, instant, money, optional, text, uuid } from '../../kernel/fields/field.js';
import { requestBudgetException } from './service.js';
import { BUDGET_PERIODS, EXCEPTION_STATUSES } from './vocabulary.js';

const BudgetException = builder.prismaNode('BudgetException', {
  id: { field: 'id', description: 'The id of the exception.' },
  description:
    'A request to spend more than the cap of a budget in one period. What is granted is added to ' +
    'the cap of that period only; the policy does not change.',
  fields: (t) => ({
    ...storedFields(t, {
      policyId: optional(uuid('The policy with the budget; null for a budget by scope.')),
      budgetId: uuid('The budget that it is an exception from.'),
      period: code(BUDGET_PERIODS, 'The period of the budget.'),
      amountMicro: money('What is added to the cap when it is granted, VAT included.'),
      reason: text('Why it was asked for.'),
      status: code(EXCEPTION_STATUSES, 'Whether it waits, and how it was decided.'),
      approvalId: uuid('The approval that decides about it.'),
      requestId: optional(
        text('The chat request that waits for it; null where a person or a script asked.'),
      ),
      requestedBy: uuid('The member or key that asked for the exception.'),
      createdAt: instant('When it was asked for.'),
      decidedAt: optional(instant('When it was decided or expired; null while it waits.')),
    }),
    periodStart: t.string({
      description: 'The first day of the period that it holds for, `YYYY-MM-DD`, in Moscow.',
      resolve: ({ periodStart }) => periodStart.toISOString().slice(0, 10),
    }),
  }),
});

ownList({
  field: 'budgetExceptions',
  type: BudgetException,
  description: 'Exceptions from budgets that were asked for, newest first.',
  permission: 'policies.read',
  by: {
    policyId: optional(uuid('Only from budgets of this policy.')),
    status: optional(code(EXCEPTION_STATUSES, 'Only exceptions of this status.')),
  },
});

builder.mutationField('budgetExceptionRequest', (t) =>
  t.field({
    type: BudgetException,
    description:
      'Asks for more than the cap of a budget in its current period. It waits in the approval ' +
      'queue until a member decides, at most seven days and never beyond the end of the period.',
    authScopes: { can: 'budgets.request' },
    args: argsOf(t, {
      policyId: uuid('The id of the policy whose budget is exhausted.'),
      period: code(BUDGET_PERIODS, 'Which of its budgets.'),
      amountMicro: money('How much beyond the cap, VAT included.'),
      reason: text('Why; the decider reads it. At most 500 characters.'),
    }),
    resolve: (_root, { amountRub, ...wish }, ctx) =>
      requestBudgetException(unconfined(ctx), { ...wish, amountMicro: amountRub }),
  }),
);
