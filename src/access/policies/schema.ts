import type { Policy as PolicyRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { enumOf, inputOf, outputOf } from '../../graph/table-types.js';
import { type GivenValues, inputValues, statedValues } from '../../kernel/fields/faults.js';
import { readRules } from './rules.js';
import { createPolicy, type PolicyChange, type PolicyDraft, updatePolicy } from './service.js';
import {
  BUDGETS,
  CREATE_INPUT,
  FIREWALL,
  HYBRIDS,
  LIMITS,
  OWN_CLASS,
  UPDATE_INPUT,
} from './tables.js';
import type { PolicyRules } from './vocabulary.js';

/**
 * The parts of a policy that are given. Null means that a part, or a value inside it, does not
 * limit any more; only what is absent is left alone.
 */
function rulesOf(given: GivenValues): Partial<PolicyRules> {
  const names = ['budgets', 'allowedModels', 'limits', 'hybrid', 'firewall', 'firewallCustom'];
  const stated = names.filter((name) => given[name] !== undefined);
  const parts = stated.map((name) => [name, READ[name]?.(given[name] ?? null)]);
  return Object.fromEntries(parts) as Partial<PolicyRules>;
}

const whole = (part: unknown) => part ?? undefined;
const inside = (part: unknown) => present((part ?? {}) as GivenValues);

/** How a part is read; null is what does not limit. */
const READ: Readonly<Record<string, (part: unknown) => unknown>> = {
  budgets: (part) => present(inputValues(BUDGETS.fields, (part ?? {}) as GivenValues)),
  allowedModels: whole,
  limits: inside,
  hybrid: whole,
  firewall: inside,
  firewallCustom: (part) =>
    (part as readonly GivenValues[] | null)?.map((each) => inputValues(OWN_CLASS.fields, each)),
};

function present(values: GivenValues): GivenValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}

const NO_BUDGETS = inputValues(BUDGETS.fields, {});
const NO_LIMITS = inputValues(LIMITS.fields, {});

const Policy = builder.prismaNode('Policy', {
  id: { field: 'id', description: 'The id of the policy.' },
  description:
    'What a project may do. Every enabled policy of a project applies; the strictest value of ' +
    'each part wins.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    projectId: t.expose('projectId', { type: 'ID', description: 'The project it applies to.' }),
    enabled: t.exposeBoolean('enabled', { description: 'False switches it off.' }),
    version: t.exposeInt('version', { description: 'Raised by each change; receipts name it.' }),
    budgets: t.field({
      type: outputOf(BUDGETS),
      description: 'Caps on spending.',
      resolve: (policy) => ({ ...NO_BUDGETS, ...readRules(policy.rules).budgets }),
    }),
    allowedModels: t.stringList({
      nullable: true,
      description: 'The models that may be used; null allows all.',
      resolve: (policy) => readRules(policy.rules).allowedModels?.slice() ?? null,
    }),
    limits: t.field({
      type: outputOf(LIMITS),
      description:
        'How many requests and tokens a minute, and how much at once, the policy ' + 'allows.',
      resolve: (policy) => ({ ...NO_LIMITS, ...readRules(policy.rules).limits }),
    }),
    hybrid: t.field({
      type: enumOf(HYBRIDS),
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
      type: [outputOf(OWN_CLASS)],
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
    version: t.exposeInt('version', {
      description: 'The number of the version, from 1 without gaps.',
    }),
    name: t.exposeString('name', { description: 'The name it had.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it was on.' }),
    rules: t.expose('rules', { type: 'JSON', description: 'What it said, in micro-rubles.' }),
    createdBy: t.expose('createdBy', {
      type: 'ID',
      description: 'The member or key that wrote the version.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the version was written and came into force.',
    }),
  }),
});

builder.queryField('policies', (t) =>
  t.prismaConnection({
    type: Policy,
    cursor: 'id',
    description: 'Policies of the organization, newest first.',
    authScopes: { can: 'policies.read' },
    complexity: pageComplexity,
    args: { projectId: t.arg({ type: 'ID', description: 'Only policies of this project.' }) },
    resolve: (query, _root, { projectId }, ctx) =>
      database(ctx).policy.findMany({
        ...query,
        where: projectId ? { projectId } : {},
        orderBy: NEWEST_FIRST,
      }),
  }),
);

/** A new policy, as it is stated. */
export const PolicyCreateInput = inputOf(CREATE_INPUT);

/** A change of a policy, as it is stated. */
export const PolicyUpdateInput = inputOf(UPDATE_INPUT);

/** The policy that an input states; parts that are left out do not limit. */
export function draftOf(input: GivenValues): PolicyDraft {
  const { projectId, name, enabled } = inputValues(CREATE_INPUT.fields, input);
  const rules = { budgets: {}, limits: {}, firewall: {}, ...rulesOf(input) };
  return { projectId, name, enabled, rules };
}

/** Parts of which a change may state single values: what it leaves out of them stays. */
const PATCHED = { budgets: BUDGETS, limits: LIMITS, firewall: FIREWALL };

/** The change that an input states. */
export function changeOf(input: GivenValues): PolicyChange {
  const { name, enabled, expectedVersion } = inputValues(UPDATE_INPUT.fields, input);
  const patches = Object.entries(PATCHED).flatMap(([part, { fields }]) => {
    const given = input[part] as GivenValues | null | undefined;
    return given ? [[part, statedValues(fields, given)]] : [];
  });
  const rules = rulesOf(input);
  return { name, enabled, expectedVersion, rules, patches: Object.fromEntries(patches) };
}

builder.mutationFields((t) => ({
  policyCreate: t.prismaField({
    type: Policy,
    description: 'Creates a policy; it applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: {
      input: t.arg({
        type: PolicyCreateInput,
        required: true,
        description: 'What the policy is to say.',
      }),
    },
    resolve: (_query, _root, { input }, ctx): Promise<PolicyRow> =>
      createPolicy(authorized(ctx), draftOf(input)),
  }),
  policyUpdate: t.prismaField({
    type: Policy,
    description: 'Changes a policy; the change applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: {
      id: t.arg({ type: 'ID', required: true, description: 'The id of the policy to change.' }),
      input: t.arg({
        type: PolicyUpdateInput,
        required: true,
        description: 'What is to change; what is left out stays as it is.',
      }),
    },
    resolve: (_query, _root, { id, input }, ctx): Promise<PolicyRow> =>
      updatePolicy(authorized(ctx), id, changeOf(input)),
  }),
}));
