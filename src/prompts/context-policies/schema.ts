import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { readContextRules } from './input.rules.js';
import type { ContextTokens, ContextViolation } from './rules.js';
import { createContextPolicy, type DatedEvaluation, evaluateContextPolicy } from './service.js';
import { CONTEXT_DECISIONS, CONTEXT_RULES, TOKEN_SOURCES } from './vocabulary.js';

const DataClassEnum = builder.enumType('ContextDataClass', {
  description: 'How sensitive data is, by the classes of the firewall.',
  values: enumValues(DATA_CLASSES),
});

const RuleEnum = builder.enumType('ContextRule', {
  description: 'A rule of context policies.',
  values: enumValues(CONTEXT_RULES),
});

const DecisionEnum = builder.enumType('ContextDecision', {
  description: 'Whether a pack may be used.',
  values: enumValues(CONTEXT_DECISIONS),
});

const TokenSourceEnum = builder.enumType('ContextTokenSource', {
  description: 'Where tokens come from.',
  values: enumValues(TOKEN_SOURCES),
});

const RULES = {
  allowSources:
    'Patterns of sources that are allowed; `*` stands for any characters, case is ignored. Left ' +
    'out, every source is allowed; an empty list allows none.',
  blockSources: 'Patterns of sources that are blocked; a block wins over an allowance.',
  dataClasses: 'The data classes that are allowed, each by name. Left out, all are.',
  tokenBudget: 'Tokens that all items together may have.',
  freshnessDays: 'Days since an item was updated, at most.',
  citationRequired: 'Whether each item needs a citation.',
  provenanceRequired: 'Whether each item needs its provenance.',
} as const;

const ContextPolicyType = builder.prismaNode('ContextPolicy', {
  id: { field: 'id', description: 'The id of the context policy.' },
  description:
    'What context may be given to a prompt. It never changes; a changed policy is a new one.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    allowSources: t.stringList({
      nullable: true,
      description: RULES.allowSources,
      resolve: ({ rules }) => readContextRules(rules).allowSources?.slice() ?? null,
    }),
    blockSources: t.stringList({
      description: RULES.blockSources,
      resolve: ({ rules }) => [...readContextRules(rules).blockSources],
    }),
    dataClasses: t.field({
      type: [DataClassEnum],
      nullable: true,
      description: 'The data classes that are allowed; null allows all.',
      resolve: ({ rules }): DataClass[] | null =>
        readContextRules(rules).dataClasses?.slice() ?? null,
    }),
    tokenBudget: t.int({
      nullable: true,
      description: 'Tokens that all items together may have; null sets no budget.',
      resolve: ({ rules }) => readContextRules(rules).tokenBudget,
    }),
    freshnessDays: t.int({
      nullable: true,
      description: 'Days since an item was updated, at most; null asks for no date.',
      resolve: ({ rules }) => readContextRules(rules).freshnessDays,
    }),
    citationRequired: t.boolean({
      description: RULES.citationRequired,
      resolve: ({ rules }) => readContextRules(rules).citationRequired,
    }),
    provenanceRequired: t.boolean({
      description: RULES.provenanceRequired,
      resolve: ({ rules }) => readContextRules(rules).provenanceRequired,
    }),
    createdBy: t.expose('createdBy', { type: 'UUID', description: 'Who created it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});

const PolicyInputType = builder.inputType('ContextPolicyCreateInput', {
  description: 'A new context policy. What is left out asks for nothing.',
  fields: (t) => ({
    name: t.string({ description: 'What it is called; default `context policy`.' }),
    allowSources: t.stringList({ description: RULES.allowSources }),
    blockSources: t.stringList({ description: RULES.blockSources }),
    dataClasses: t.field({ type: [DataClassEnum], description: RULES.dataClasses }),
    tokenBudget: t.int({ description: RULES.tokenBudget }),
    freshnessDays: t.int({ description: RULES.freshnessDays }),
    citationRequired: t.boolean({ description: `${RULES.citationRequired} Default false.` }),
    provenanceRequired: t.boolean({ description: `${RULES.provenanceRequired} Default false.` }),
  }),
});

const ItemInputType = builder.inputType('ContextItemInput', {
  description: 'A piece of context. What it does not say violates each rule that asks for it.',
  fields: (t) => ({
    id: t.string({ description: 'How violations name it; default `item` and its place, from 1.' }),
    source: t.string({ description: 'Where it comes from.' }),
    dataClass: t.field({ type: DataClassEnum, description: 'How sensitive it is.' }),
    tokens: t.int({ description: 'Its tokens, where the text is not given.' }),
    text: t.string({ description: 'Its text; tokens are then counted from it. It is not kept.' }),
    updatedAt: t.field({ type: 'DateTime', description: 'When it was last updated.' }),
    citation: t.string({ description: 'Where a reader finds it.' }),
    provenance: t.string({ description: 'How it came into the pack.' }),
  }),
});

const AS_OF = 'The moment that ages are counted from; default the present.';

const PackInputType = builder.inputType('ContextPackInput', {
  description: 'The context that a prompt would be given.',
  fields: (t) => ({
    items: t.field({ type: [ItemInputType], required: true, description: 'Its items.' }),
    asOf: t.field({ type: 'DateTime', description: AS_OF }),
  }),
});

const ViolationType = builder.objectRef<ContextViolation>('ContextViolation').implement({
  description: 'A rule that an item, or the pack as a whole, violates.',
  fields: (t) => ({
    itemId: t.exposeString('itemId', {
      nullable: true,
      description: 'The item; null where the pack as a whole violates the rule.',
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'The place of the item in the pack, from 0; null like the id.',
    }),
    rule: t.field({
      type: RuleEnum,
      description: 'The rule.',
      resolve: ({ rule }) => rule,
    }),
    message: t.exposeString('message', { description: 'What violates it.' }),
    fix: t.exposeString('fix', { description: 'What would mend it.' }),
  }),
});

const TokensType = builder.objectRef<ContextTokens>('ContextTokens').implement({
  description: 'The tokens of a pack.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'Of all items whose tokens are known.' }),
    unknownItems: t.exposeInt('unknownItems', {
      description: 'Items with neither a text nor tokens.',
    }),
    source: t.field({
      type: TokenSourceEnum,
      description: 'Whether they were counted or stated.',
      resolve: ({ source }) => source,
    }),
  }),
});

const EvaluationType = builder.objectRef<DatedEvaluation>('ContextEvaluation').implement({
  description: 'What a context policy says about a pack. Nothing is written.',
  fields: (t) => ({
    policyId: t.field({
      type: 'UUID',
      description: 'The policy.',
      resolve: ({ policy }) => policy.id,
    }),
    decision: t.field({
      type: DecisionEnum,
      description: 'Whether the pack may be used.',
      resolve: ({ decision }) => decision,
    }),
    violations: t.field({
      type: [ViolationType],
      description: 'Every violation, by the order of items, then those of the pack as a whole.',
      resolve: ({ violations }) => [...violations],
    }),
    items: t.exposeInt('items', { description: 'Items of the pack.' }),
    violatingItems: t.exposeInt('violatingItems', { description: 'Items with a violation.' }),
    tokens: t.field({
      type: TokensType,
      description: 'The tokens of the pack.',
      resolve: ({ tokens }) => tokens,
    }),
    asOf: t.expose('asOf', { type: 'DateTime', description: AS_OF }),
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
    type: EvaluationType,
    description:
      'A dry run of a context pack against a context policy: each violating item with its rule ' +
      'and its fix. Give `items`, or the same in `contextPack`.',
    authScopes: { can: 'prompts.read' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The context policy.' }),
      items: t.arg({ type: [ItemInputType], description: 'The items of the pack.' }),
      asOf: t.arg({ type: 'DateTime', description: AS_OF }),
      contextPack: t.arg({ type: PackInputType, description: 'The pack in one object.' }),
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
      input: t.arg({ type: PolicyInputType, required: true, description: 'The context policy.' }),
    },
    resolve: (_query, _root, { input }, ctx) => createContextPolicy(authorized(ctx), input),
  }),
);
