import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { argsOf, enumOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { code, instant, object, optional, text, uuid } from '../../kernel/fields/field.js';
import { LADDER } from '../unit-economics/vocabulary.js';
import { budgetEffect } from './effect.js';
import { checkBudget, ladderStepOf, setBudget, shownBudget } from './service.js';
import { BUDGET_CHECK, BUDGET_EFFECT, BUDGET_FIELDS, BUDGET_INPUT, CHECK_INPUT } from './tables.js';
import { BUDGET_SCOPES } from './vocabulary.js';

const Budget = builder.prismaNode('Budget', {
  id: { field: 'id', description: 'The id of the budget.' },
  description:
    'What a scope may spend in a period. The ledger counts it with every request, in the ' +
    'transaction that holds its funds, so that requests at the same time never pass the cap.',
  fields: (t) => ({
    ...shownFields(t, BUDGET_FIELDS, shownBudget),
    ...storedFields(t, {
      createdAt: instant('When it was first set.'),
      updatedAt: instant('When it was last set.'),
    }),
    ladderStep: t.field({
      type: enumOf(LADDER),
      nullable: true,
      description:
        'The highest step of the budget ladder that acts on its requests now; null below the ' +
        'first, and without a ladder.',
      resolve: ({ id }, _args, ctx) => ladderStepOf(authorized(ctx), id),
    }),
  }),
});

ownList({
  field: 'budgets',
  type: Budget,
  description:
    'The budgets of the organization, those of its policies among them, newest first. The caps ' +
    'that a budget has made for each session, client or key are listed by `scopeKind: each` alone.',
  permission: 'finops.read',
  by: {
    scopeKind: optional(code(BUDGET_SCOPES, 'Only budgets of this scope.')),
    scopeRef: optional(text('Only budgets of this reference.')),
  },
  unasked: { scopeKind: { not: 'each' } },
});

builder.queryField('budgetCheck', (t) =>
  t.field({
    type: outputOf(BUDGET_CHECK),
    description:
      'What would happen now to a request within this budget, by the rule of the chat path. It ' +
      'holds nothing and asks nobody.',
    authScopes: { can: 'finops.read' },
    args: argsOf(t, {
      id: uuid('The id of the budget.'),
      input: optional(object(CHECK_INPUT, 'The request; the least of all where it is left out.')),
    }),
    resolve: (_root, { id, input }, ctx) => checkBudget(authorized(ctx), id, input ?? {}),
  }),
);

builder.queryField('budgetSetEffect', (t) =>
  t.field({
    type: outputOf(BUDGET_EFFECT),
    description: 'What a budget would have done in the last seven days: a dry run of `budgetSet`.',
    authScopes: { can: 'finops.write' },
    complexity: { field: 30, multiplier: 1 },
    args: argsOf(t, { input: object(BUDGET_INPUT, 'The terms of the budget.') }),
    resolve: (_root, { input }, ctx) => budgetEffect(authorized(ctx), input),
  }),
);

builder.mutationField('budgetSet', (t) =>
  t.field({
    type: Budget,
    description:
      'Sets what a scope may spend in a period, and what happens at the cap. There is one budget ' +
      'for a scope, reference and period: setting it again changes it and keeps what it counted.',
    authScopes: { can: 'finops.write' },
    args: argsOf(t, { input: object(BUDGET_INPUT, 'The terms of the budget.') }),
    resolve: (_root, { input }, ctx) => setBudget(authorized(ctx), input),
  }),
);
