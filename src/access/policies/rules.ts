import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, oneOf } from '../../kernel/errors/faults.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import {
  strictestUnread,
  UNREAD_KINDS,
  UNREAD_MODES,
  type UnreadModes,
} from '../../kernel/firewall/contents.js';
import { highestDataClass } from '../../kernel/firewall/data-class.rules.js';
import { strictestModes, withOwnClasses } from '../../kernel/firewall/modes.js';
import {
  type BuiltInClass,
  type DataClass,
  DEFAULT_MODES,
  FINDING_CLASSES,
  FIREWALL_MODES,
  type FirewallMode,
  type FirewallModes,
} from '../../kernel/firewall/vocabulary.js';
import { ownClassFaults } from './own-class-rules.js';
import { BUDGETS, LIMITS } from './tables.js';
import {
  ALLOWED_MODELS_MAX,
  HYBRID_MODES,
  type HybridMode,
  LIMIT_BOUNDS,
  type LimitName,
  type PolicyRules,
} from './vocabulary.js';

/** A policy as it is in force. */
export interface PolicyInForce {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly rules: PolicyRules;
  readonly budgetIds: readonly string[];
}

/** The policies of a project taken together: each part is the strictest of them. */
export interface EffectivePolicy {
  readonly versions: readonly { readonly id: string; readonly version: number }[];
  readonly budgetIds: readonly string[];
  /** Models that every allow-list names; undefined where no policy has one. */
  readonly allowedModels: ReadonlySet<string> | undefined;
  /** Name of the first policy with an allow-list, for messages. */
  readonly allowListOf: string;
  readonly limits: { readonly [name in LimitName]?: number };
  readonly hybrid: HybridMode;
  /** The least class that the data of requests has; undefined where no policy states one. */
  readonly dataClassMin: DataClass | undefined;
  readonly firewall: FirewallModes;
  /** Modes for answers: what no policy names is counted and left as it is. */
  readonly answerFirewall: FirewallModes;
  /** What is done about content that the firewall cannot read. */
  readonly unread: UnreadModes;
}

const LIMIT_NAMES = Object.keys(LIMIT_BOUNDS) as LimitName[];
const HYBRID_ORDER = HYBRID_MODES.map((mode) => mode.code);

/** The default of a project without a policy. */
const DEFAULT_HYBRID: HybridMode = 'hybrid';

/** Every policy that applies is obeyed: the strictest value of each part wins. */
export function mergePolicies(policies: readonly PolicyInForce[]): EffectivePolicy {
  const lists = policies.filter((policy) => policy.rules.allowedModels);
  const hybrids = policies.flatMap((policy) => policy.rules.hybrid ?? []);
  return {
    versions: policies.map(({ id, version }) => ({ id, version })),
    budgetIds: policies.flatMap((policy) => policy.budgetIds),
    allowedModels: intersection(lists.map((policy) => policy.rules.allowedModels ?? [])),
    allowListOf: lists[0]?.name ?? '',
    limits: lowestLimits(policies),
    hybrid: HYBRID_ORDER.find((code) => hybrids.includes(code)) ?? DEFAULT_HYBRID,
    dataClassMin: highestDataClass(policies.map(({ rules }) => rules.dataClassMin)),
    firewall: policies.map(firewallOf).reduce(strictest, undefined) ?? DEFAULT_MODES,
    answerFirewall: policies.map(answerModesOf).reduce(strictest, undefined) ?? COUNTING,
    unread: strictestUnread(policies.map(({ rules }) => rules.firewallUnread ?? {})),
  };
}

function strictest(left: FirewallModes | undefined, right: FirewallModes): FirewallModes {
  return left ? strictestModes(left, right) : right;
}

/** The modes of one policy: what it names, and the defaults for the rest. */
function firewallOf(policy: PolicyInForce): FirewallModes {
  return modesOver(DEFAULT_MODES, policy);
}

/** Answers are rewritten only where a policy says so by name. */
const COUNTING: FirewallModes = { ...DEFAULT_MODES, secret: 'detect' };

function answerModesOf(policy: PolicyInForce): FirewallModes {
  return modesOver(COUNTING, policy);
}

/** Modes with what a policy says in their place, its own classes included. */
function modesOver(modes: FirewallModes, { rules }: PolicyInForce): FirewallModes {
  const named = { ...modes, ...(rules.firewall as Record<BuiltInClass, FirewallMode>) };
  return withOwnClasses(named, rules.firewallCustom ?? []);
}

function lowestLimits(policies: readonly PolicyInForce[]): EffectivePolicy['limits'] {
  const lowest: { [name in LimitName]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const values = policies.flatMap((policy) => policy.rules.limits[name] ?? []);
    if (values.length > 0) lowest[name] = Math.min(...values);
  }
  return lowest;
}

function intersection(lists: readonly (readonly string[])[]): ReadonlySet<string> | undefined {
  const [first, ...rest] = lists;
  if (!first) return undefined;
  return new Set(first.filter((model) => rest.every((list) => list.includes(model))));
}

/** Every fault of a policy. */
export function policyFaults(rules: PolicyRules, knownModels: ReadonlySet<string>): Fault[] {
  return [
    ...inputFaults(BUDGETS.fields, rules.budgets, 'input.budgets'),
    ...inputFaults(LIMITS.fields, rules.limits, 'input.limits'),
    ...modelFaults(rules.allowedModels, knownModels),
    ...firewallFaults(rules.firewall),
    ...ownClassFaults(rules.firewallCustom ?? []),
    ...unreadFaults(rules.firewallUnread ?? {}),
  ];
}

function modelFaults(models: readonly string[] | undefined, known: ReadonlySet<string>): Fault[] {
  const path = 'input.allowedModels';
  const miscounted = count(path, models, { min: 1, max: ALLOWED_MODELS_MAX }, 'models');
  if (!models || miscounted.length > 0) return miscounted;
  return models.flatMap((model, index): Fault[] => {
    const what = `names ${model}, which no model is called; see GET /v1/models`;
    return known.has(model) ? [] : [fault(`${path}.${index}`, 'unknown_value', what)];
  });
}

const CLASS_CODES = FINDING_CLASSES.map((row) => row.code);
const MODE_CODES = FIREWALL_MODES.map((row) => row.code);

function firewallFaults(firewall: PolicyRules['firewall']): Fault[] {
  return Object.entries(firewall).flatMap(([name, mode]) => {
    const path = `input.firewall.${name}`;
    return [...oneOf(path, name, CLASS_CODES), ...oneOf(path, mode, MODE_CODES)];
  });
}

const KIND_CODES = UNREAD_KINDS.map(({ code }) => code);

function unreadFaults(unread: Partial<UnreadModes>): Fault[] {
  return Object.entries(unread).flatMap(([kind, mode]) => {
    const path = `input.firewallUnread.${kind}`;
    return [...oneOf(path, kind, KIND_CODES), ...oneOf(path, mode, UNREAD_MODES.codes)];
  });
}

/** Policy rules as they are stored: amounts as strings, so that nothing is rounded. */
export function storedRules(rules: PolicyRules): Record<string, unknown> {
  const { dailyMicro, monthlyMicro } = rules.budgets;
  return {
    budgets: {
      ...(dailyMicro === undefined ? {} : { dailyMicro: dailyMicro.toString() }),
      ...(monthlyMicro === undefined ? {} : { monthlyMicro: monthlyMicro.toString() }),
    },
    ...(rules.allowedModels ? { allowedModels: [...rules.allowedModels] } : {}),
    limits: { ...rules.limits },
    ...(rules.hybrid ? { hybrid: rules.hybrid } : {}),
    ...(rules.dataClassMin ? { dataClassMin: rules.dataClassMin } : {}),
    firewall: { ...rules.firewall },
    ...(rules.firewallCustom?.length ? { firewallCustom: rules.firewallCustom } : {}),
    ...(rules.firewallUnread ? { firewallUnread: { ...rules.firewallUnread } } : {}),
  };
}

interface StoredRules extends Omit<PolicyRules, 'budgets'> {
  readonly budgets: { readonly dailyMicro?: string; readonly monthlyMicro?: string };
}

/** The reverse of `storedRules`. */
export function readRules(stored: unknown): PolicyRules {
  const rules = stored as StoredRules;
  const { dailyMicro, monthlyMicro } = rules.budgets;
  return {
    ...rules,
    budgets: {
      ...(dailyMicro === undefined ? {} : { dailyMicro: BigInt(dailyMicro) }),
      ...(monthlyMicro === undefined ? {} : { monthlyMicro: BigInt(monthlyMicro) }),
    },
  };
}
