import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { inputOf, outputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { instant, text, uuid } from '../../kernel/fields/field.js';
import { readContextRules } from './input.rules.js';
import { createContextPolicy, evaluateContextPolicy } from './service.js';
import { EVALUATION, ITEM_INPUT, PACK_INPUT, POLICY_INPUT, RULE_FIELDS } from './tables.js';

const STORED_FIELDS = {
  name: text('What it is called.'),
  createdBy: uuid('Who created it.'),
  createdAt: instant('When it was created.'),
} as const;

const ContextPolicyType = builder.prismaNode('ContextPolicy', {
  id: { field: 'id', description: 'The id of the context policy.' },
  description:
    'What context may be given to a prompt. It never changes; a changed policy is a new one.',
  fields: (t) => ({
    ...(storedFields(t, STORED_FIELDS) as object),
    ...(shownFields(t, RULE_FIELDS, ({ rules }) => readContextRules(rules)) as object),
  }),
});

builder.queryFields((t) => ({
  contextPolicies: t.prismaConnection({
    type: ContextPolicyType,
    cursor: 'id',
    description: 'Context policies of the organization, newest first.',
    authScopes: { can: 'prompts.read' },
    complexity: pageComplexity,
    resolve: (query, _root, _args, ctx) =>
      database(ctx).contextPolicy.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
  contextPolicyEvaluate: t.field({
    type: outputOf(EVALUATION),
    description:
      'A dry run of a context pack against a context policy: each violating item with its rule ' +
      'and its fix. Give `items`, or the same in `contextPack`.',
    authScopes: { can: 'prompts.read' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: 'The context policy.' }),
      items: t.arg({ type: [inputOf(ITEM_INPUT)], description: 'The items of the pack.' }),
      asOf: t.arg({ type: 'DateTime', description: EVALUATION.fields.asOf.description }),
      contextPack: t.arg({
        type: inputOf(PACK_INPUT),
        description: 'The pack in one object.',
      }),
    },
    resolve: (_root, args, ctx) => evaluateContextPolicy(authorized(ctx), args),
  }),
}));

builder.mutationField('contextPolicyCreate', (t) =>
  t.prismaField({
    type: ContextPolicyType,
    description: 'Creates a context policy.',
    authScopes: { can: 'prompts.write' },
    args: {
      input: t.arg({
        type: inputOf(POLICY_INPUT),
        required: true,
        description: 'The context policy.',
      }),
    },
    resolve: (_query, _root, { input }, ctx) => createContextPolicy(authorized(ctx), input),
  }),
);
