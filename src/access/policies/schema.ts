import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { ownList } from '../../graph/own-list.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { argsOf, inputOf, shownFields, storedFields } from '../../graph/table-types.js';
import { type GivenValues, inputValues, statedValues } from '../../kernel/fields/faults.js';
import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { readRules } from './rules.js';
import { createPolicy, type PolicyChange, type PolicyDraft, updatePolicy } from './service.js';
import {
  BUDGETS,
  CLASSES_OF_DATA,
  CREATE_INPUT,
  FIREWALL,
  HYBRIDS,
  LIMITS,
  OWN_CLASS,
  UNREAD,
  UPDATE_INPUT,
} from './tables.js';
import type { PolicyRules } from './vocabulary.js';

/**
 * The parts of a policy that are given. Null means that a part, or a value inside it, does not
 * limit any more; only what is absent is left alone.
 */
function rulesOf(given: GivenValues): Partial<PolicyRules> {
  const stated = Object.keys(READ).filter((name) => given[name] !== undefined);
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
  dataClassMin: whole,
  firewall: inside,
  firewallCustom: (part) =>
    (part as readonly GivenValues[] | null)?.map((each) => inputValues(OWN_CLASS.fields, each)),
  firewallUnread: inside,
};

function present(values: GivenValues): GivenValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));
}

const NO_BUDGETS = inputValues(BUDGETS.fields, {});
const NO_LIMITS = inputValues(LIMITS.fields, {});
const NO_UNREAD = inputValues(UNREAD.fields, {});

/** What a policy says, part by part. */
const PARTS = {
  budgets: object(BUDGETS, 'Caps on spending.'),
  allowedModels: optional(list(text('A model.'), 'The models that may be used; null allows all.')),
  limits: object(
    LIMITS,
    'How many requests and tokens a minute, and how much at once, the policy allows.',
  ),
  hybrid: optional(
    code(HYBRIDS, 'Which data routes are open; null leaves it to the default, `hybrid`.'),
  ),
  dataClassMin: optional(
    code(CLASSES_OF_DATA, 'The least class that the data of the project has; null states none.'),
  ),
  firewall: json('The mode of each class that the policy names.'),
  firewallCustom: list(
    object(OWN_CLASS, 'A class.'),
    'The classes of finding that the policy defines; empty where it has none.',
  ),
  firewallUnread: object(
    UNREAD,
    'What is done about each kind of content that the firewall cannot read; null where the ' +
      'policy does not name it.',
  ),
};

/** What a version said, part by part. */
const SAID = {
  rules: object(
    fieldTable('PolicyRules', 'What a version of a policy said, part by part.', PARTS),
    'What it said, part by part.',
  ),
};

function partsOf(stored: unknown): ValuesOf<typeof PARTS> {
  const rules = readRules(stored);
  const { budgets, limits, allowedModels, hybrid, dataClassMin, firewall } = rules;
  return {
    budgets: { ...NO_BUDGETS, ...budgets },
    allowedModels: allowedModels ?? null,
    limits: { ...NO_LIMITS, ...limits },
    hybrid: hybrid ?? null,
    dataClassMin: dataClassMin ?? null,
    firewall,
    firewallCustom: rules.firewallCustom ?? [],
    firewallUnread: { ...NO_UNREAD, ...rules.firewallUnread },
  };
}

const Policy = builder.prismaNode('Policy', {
  id: { field: 'id', description: 'The id of the policy.' },
  description:
    'What a project may do. Every enabled policy of a project applies; the strictest value of ' +
    'each part wins.',
  fields: (t) => ({
    ...storedFields(t, {
      name: text('What it is called.'),
      projectId: uuid('The project it applies to.'),
      enabled: flag('False switches it off.'),
      version: integer('Raised by each change; receipts name it.'),
      createdAt: instant('When it was created.'),
      updatedAt: instant('When it last changed.'),
    }),
    ...shownFields(t, PARTS, ({ rules }) => partsOf(rules)),
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
    ...storedFields(t, {
      version: integer('The number of the version, from 1 without gaps.'),
      name: text('The name it had.'),
      enabled: flag('Whether it was on.'),
      createdBy: uuid('The member or key that wrote the version.'),
      createdAt: instant('When the version was written and came into force.'),
    }),
    ...shownFields(t, SAID, ({ rules }) => ({ rules: partsOf(rules) })),
  }),
});

ownList({
  field: 'policies',
  type: Policy,
  description: 'Policies of the organization, newest first.',
  permission: 'policies.read',
  by: { projectId: optional(uuid('Only policies of this project.')) },
});

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
const PATCHED = {
  budgets: BUDGETS,
  limits: LIMITS,
  firewall: FIREWALL,
  firewallUnread: UNREAD,
};

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
  policyCreate: t.field({
    type: Policy,
    description: 'Creates a policy; it applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: argsOf(t, { input: object(CREATE_INPUT, 'What the policy is to say.') }),
    resolve: (_root, { input }, ctx) => createPolicy(authorized(ctx), draftOf(input)),
  }),
  policyUpdate: t.field({
    type: Policy,
    description: 'Changes a policy; the change applies to the next request on every node.',
    authScopes: { can: 'policies.write' },
    args: argsOf(t, {
      id: uuid('The id of the policy to change.'),
      input: object(UPDATE_INPUT, 'What is to change; what is left out stays as it is.'),
    }),
    resolve: (_root, { id, input }, ctx) => updatePolicy(authorized(ctx), id, changeOf(input)),
  }),
}));
