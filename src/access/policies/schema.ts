import type { Policy as PolicyRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { OWN_CLASS_BOUNDS } from '../../kernel/firewall/own-classes.js';
import { FINDING_CLASSES } from '../../kernel/firewall/vocabulary.js';
import {
  FirewallModeEnum,
  type OwnClassArgs,
  OwnClassInput,
  ownClassOf,
  PolicyOwnClass,
} from './own-class-schema.js';
import { readRules } from './rules.js';
import { createPolicy, type PolicyChange, type PolicyDraft, updatePolicy } from './service.js';
import { HYBRID_MODES, LIMIT_BOUNDS, type PolicyRules } from './vocabulary.js';

const HybridModeEnum = builder.enumType('HybridMode', {
  description: 'Which data routes a request may take.',
  values: enumValues(HYBRID_MODES),
});

const BudgetsInput = builder.inputType('PolicyBudgetsInput', {
  description: 'Caps on spending, VAT included. Days and months are those of Moscow.',
  fields: (t) => ({
    dailyRub: t.field({ type: 'Rub', description: 'Most a day may cost.' }),
    monthlyRub: t.field({ type: 'Rub', description: 'Most a month may cost.' }),
  }),
});

const LimitsInput = builder.inputType('PolicyLimitsInput', {
  description: 'Numeric limits.',
  fields: (t) => ({
    rpm: t.int({ description: LIMIT_BOUNDS.rpm.description }),
    tpm: t.int({ description: LIMIT_BOUNDS.tpm.description }),
    concurrency: t.int({ description: LIMIT_BOUNDS.concurrency.description }),
    maxOutputTokens: t.int({ description: LIMIT_BOUNDS.maxOutputTokens.description }),
  }),
});

const FirewallInput = builder.inputType('PolicyFirewallInput', {
  description: 'The mode of each class of finding; a class that is left out keeps its default.',
  fields: (t) =>
    Object.fromEntries(
      FINDING_CLASSES.map(({ code, description }) => [
        code,
        t.field({ type: FirewallModeEnum, description }),
      ]),
    ),
});

interface RulesArgs {
  readonly firewallCustom?: readonly OwnClassArgs[] | null;
  readonly budgets?: {
    readonly dailyRub?: bigint | null;
    readonly monthlyRub?: bigint | null;
  } | null;
  readonly allowedModels?: readonly string[] | null;
  readonly limits?: Readonly<Record<string, number | null | undefined>> | null;
  readonly hybrid?: (typeof HYBRID_MODES)[number]['code'] | null;
  readonly firewall?: Readonly<Record<string, unknown>> | null;
}

/**
 * The parts of a policy that are given. Null means that a part, or a value inside it, does not
 * limit any more; only what is absent is left alone.
 */
function rulesOf(args: RulesArgs): Partial<PolicyRules> {
  const { budgets, allowedModels, limits, hybrid, firewall, firewallCustom } = args;
  const { dailyRub, monthlyRub } = budgets ?? {};
  return {
    ...(budgets === undefined
      ? {}
      : {
          budgets: {
            ...(dailyRub == null ? {} : { dailyMicro: dailyRub }),
            ...(monthlyRub == null ? {} : { monthlyMicro: monthlyRub }),
          },
        }),
    ...(allowedModels === undefined ? {} : { allowedModels: allowedModels ?? undefined }),
    ...(limits === undefined ? {} : { limits: present(limits ?? {}) }),
    ...(hybrid === undefined ? {} : { hybrid: hybrid ?? undefined }),
    ...(firewall === undefined
      ? {}
      : { firewall: present(firewall ?? {}) as Record<string, string> }),
    ...(firewallCustom === undefined
      ? {}
      : { firewallCustom: firewallCustom?.map(ownClassOf) ?? undefined }),
  };
}

function present<T>(values: Readonly<Record<string, T | null | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, T] => entry[1] != null),
  );
}

const PolicyBudgets = builder.objectRef<PolicyRules['budgets']>('PolicyBudgets').implement({
  description: 'Caps on spending, VAT included.',
  fields: (t) => ({
    dailyRub: t.expose('dailyMicro', {
      type: 'Rub',
      nullable: true,
      description: 'Most a day may cost; null when days are not capped.',
    }),
    monthlyRub: t.expose('monthlyMicro', {
      type: 'Rub',
      nullable: true,
      description: 'Most a month may cost; null when months are not capped.',
    }),
  }),
});

const PolicyLimits = builder.objectRef<PolicyRules['limits']>('PolicyLimits').implement({
  description: 'Numeric limits; null where the policy does not limit.',
  fields: (t) => ({
    rpm: t.exposeInt('rpm', { nullable: true, description: LIMIT_BOUNDS.rpm.description }),
    tpm: t.exposeInt('tpm', { nullable: true, description: LIMIT_BOUNDS.tpm.description }),
    concurrency: t.exposeInt('concurrency', {
      nullable: true,
      description: LIMIT_BOUNDS.concurrency.description,
    }),
    maxOutputTokens: t.exposeInt('maxOutputTokens', {
      nullable: true,
      description: LIMIT_BOUNDS.maxOutputTokens.description,
    }),
  }),
});

const Policy = builder.prismaNode('Policy', {
  id: { field: 'id', description: 'The id of the policy.' },
  description:
    'What a project may do. Every enabled policy of a project applies; the strictest value of ' +
    'each part wins.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    projectId: t.expose('projectId', { type: 'UUID', description: 'The project it applies to.' }),
    enabled: t.exposeBoolean('enabled', { description: 'False switches it off.' }),
    version: t.exposeInt('version', { description: 'Raised by each change; receipts name it.' }),
    budgets: t.field({
      type: PolicyBudgets,
      description: 'Caps on spending.',
      resolve: (policy) => readRules(policy.rules).budgets,
    }),
    allowedModels: t.stringList({
      nullable: true,
      description: 'The models that may be used; null allows all.',
      resolve: (policy) => readRules(policy.rules).allowedModels?.slice() ?? null,
    }),
    limits: t.field({
      type: PolicyLimits,
      description: 'Numeric limits.',
      resolve: (policy) => readRules(policy.rules).limits,
    }),
    hybrid: t.field({
      type: HybridModeEnum,
      nullable: true,
      description: 'Which data routes are open; null leaves it to the default, `hybrid`.',
      resolve: (policy) => readRules(policy.rules).hybrid ?? null,
    }),
    firewall: t.field({
      type: 'JSON',
      description: 'The mode of each class that the policy names.',
      resolve: (policy) => readRules(policy.rules).firewall,
    }),
    firewallCustom: t.field({
      type: [PolicyOwnClass],
      description: 'The classes of finding that the policy defines; empty where it has none.',
      resolve: (policy) => readRules(policy.rules).firewallCustom ?? [],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    versions: t.relatedConnection('versions', {
      cursor: 'id',
      description: 'Every version, newest first.',
      complexity: pageComplexity,
      query: { orderBy: NEWEST_FIRST },
    }),
  }),
});

builder.prismaNode('PolicyVersion', {
  id: { field: 'id', description: 'The id of the version.' },
  description: 'A policy as it was; versions are appended and never changed.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Its number.' }),
    name: t.exposeString('name', { description: 'The name it had.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it was on.' }),
    rules: t.expose('rules', { type: 'JSON', description: 'What it said, in micro-rubles.' }),
    createdBy: t.expose('createdBy', { type: 'UUID', description: 'Who wrote it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

builder.queryField('policies', (t) =>
  t.prismaConnection({
    type: Policy,
    cursor: 'id',
    description: 'Policies of the organization, newest first.',
    authScopes: { can: 'policies.read' },
    complexity: pageComplexity,
    args: { projectId: t.arg({ type: 'UUID', description: 'Only policies of this project.' }) },
    resolve: (query, _root, { projectId }, ctx) =>
      database(ctx).policy.findMany({
        ...query,
        where: projectId ? { projectId } : {},
        orderBy: NEWEST_FIRST,
      }),
  }),
);

const RULE_DESCRIPTIONS = {
  budgets: 'Caps on spending.',
  allowedModels: 'Models that may be used; leave out to allow all.',
  limits: 'Numeric limits.',
  hybrid: 'Which data routes are open; default `hybrid`.',
  firewall: 'The mode of each class of finding.',
  firewallCustom:
    `Classes of finding of your own, at most ${OWN_CLASS_BOUNDS.classes}: words and patterns. ` +
    'They hold for requests and answers. Where several policies define one, all its words and ' +
    'patterns count and the strictest mode wins.',
} as const;

/** A new policy, as it is stated. */
export const PolicyCreateInput = builder.inputType('PolicyCreateInput', {
  description: 'A new policy. Parts that are left out do not limit.',
  fields: (t) => ({
    name: t.string({ description: 'What it is called; default `policy`.' }),
    projectId: t.field({ type: 'UUID', description: 'Default: the project of the caller.' }),
    enabled: t.boolean({ description: 'Default true.' }),
    budgets: t.field({ type: BudgetsInput, description: RULE_DESCRIPTIONS.budgets }),
    allowedModels: t.stringList({ description: RULE_DESCRIPTIONS.allowedModels }),
    limits: t.field({ type: LimitsInput, description: RULE_DESCRIPTIONS.limits }),
    hybrid: t.field({ type: HybridModeEnum, description: RULE_DESCRIPTIONS.hybrid }),
    firewall: t.field({ type: FirewallInput, description: RULE_DESCRIPTIONS.firewall }),
    firewallCustom: t.field({
      type: [OwnClassInput],
      description: RULE_DESCRIPTIONS.firewallCustom,
    }),
  }),
});

/** A change of a policy, as it is stated. */
export const PolicyUpdateInput = builder.inputType('PolicyUpdateInput', {
  description:
    'A change: a part that is left out stays, one that is given replaces the old one, and null ' +
    'lifts it.',
  fields: (t) => ({
    name: t.string({ description: 'A new name.' }),
    enabled: t.boolean({ description: 'False switches it off.' }),
    budgets: t.field({ type: BudgetsInput, description: RULE_DESCRIPTIONS.budgets }),
    allowedModels: t.stringList({
      description: 'Models that may be used; null allows all again.',
    }),
    limits: t.field({ type: LimitsInput, description: RULE_DESCRIPTIONS.limits }),
    hybrid: t.field({ type: HybridModeEnum, description: RULE_DESCRIPTIONS.hybrid }),
    firewall: t.field({ type: FirewallInput, description: RULE_DESCRIPTIONS.firewall }),
    firewallCustom: t.field({
      type: [OwnClassInput],
      description: RULE_DESCRIPTIONS.firewallCustom,
    }),
    expectedVersion: t.int({ description: 'Change only this version; another one is refused.' }),
  }),
});

/** The policy that an input states; parts that are left out do not limit. */
export function draftOf(input: typeof PolicyCreateInput.$inferInput): PolicyDraft {
  return {
    projectId: input.projectId,
    name: input.name ?? 'policy',
    enabled: input.enabled ?? true,
    rules: { budgets: {}, limits: {}, firewall: {}, ...rulesOf(input as RulesArgs) },
  };
}

/** The change that an input states. */
export function changeOf(input: typeof PolicyUpdateInput.$inferInput): PolicyChange {
  return {
    name: input.name,
    enabled: input.enabled,
    expectedVersion: input.expectedVersion,
    rules: rulesOf(input as RulesArgs),
  };
}

builder.mutationFields((t) => ({
  policyCreate: t.prismaField({
    type: Policy,
    description: 'Creates a policy; it applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: { input: t.arg({ type: PolicyCreateInput, required: true, description: 'The policy.' }) },
    resolve: (_query, _root, { input }, ctx): Promise<PolicyRow> =>
      createPolicy(authorized(ctx), draftOf(input)),
  }),
  policyUpdate: t.prismaField({
    type: Policy,
    description: 'Changes a policy; the change applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: 'The policy.' }),
      input: t.arg({ type: PolicyUpdateInput, required: true, description: 'The change.' }),
    },
    resolve: (_query, _root, { id, input }, ctx): Promise<PolicyRow> =>
      updatePolicy(authorized(ctx), id, changeOf(input)),
  }),
}));
