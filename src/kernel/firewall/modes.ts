import { type OwnClassRule, OwnRules, ownClass } from './own-classes.js';
import {
  type BuiltInClass,
  FINDING_CLASSES,
  FIREWALL_MODES,
  type FindingClass,
  type FirewallMode,
  type FirewallModes,
} from './vocabulary.js';

const STRICTNESS = new Map<FirewallMode, number>(
  FIREWALL_MODES.map((row, rank) => [row.code, rank]),
);

/** Under this key modes carry how their own classes are found. */
const OWN_RULES = Symbol('own rules');

interface WithOwnRules {
  readonly [OWN_RULES]?: OwnRules;
}

/** Zero for `off`, more for a stricter mode; a class without a mode is off. */
export function strictness(mode: FirewallMode | undefined): number {
  return mode === undefined ? 0 : (STRICTNESS.get(mode) ?? 0);
}

function stricter(left: FirewallMode | undefined, right: FirewallMode | undefined): FirewallMode {
  return (strictness(left) >= strictness(right) ? left : right) ?? 'off';
}

/** Every class that has a mode: those of everybody first, then the own ones. */
function classesOf(modes: FirewallModes): FindingClass[] {
  return Object.keys(modes) as FindingClass[];
}

/** The stricter mode of each class, where several policies apply to one request. */
export function strictestModes(left: FirewallModes, right: FirewallModes): FirewallModes {
  const names = [...new Set([...classesOf(left), ...classesOf(right)])];
  const merged = Object.fromEntries(
    names.map((name) => [name, stricter(left[name], right[name])]),
  ) as Record<BuiltInClass, FirewallMode>;
  const first = ownRulesOf(left);
  const second = ownRulesOf(right);
  const rules = first && second ? first.with(second) : (first ?? second);
  return rules ? carrying(merged, rules) : merged;
}

/** The modes under which everything that is looked for is replaced. */
export function maskingAll(modes: FirewallModes): FirewallModes {
  const names = classesOf(modes).filter((name) => modes[name] !== 'off');
  return { ...modes, ...Object.fromEntries(names.map((name) => [name, 'mask'])) };
}

function carrying(modes: FirewallModes, rules: OwnRules): FirewallModes {
  const carrier: FirewallModes & WithOwnRules = { ...modes, [OWN_RULES]: rules };
  return carrier;
}

/** The modes with the classes that a policy defines. */
export function withOwnClasses(
  modes: FirewallModes,
  rules: readonly OwnClassRule[],
): FirewallModes {
  if (rules.length === 0) return modes;
  const own = Object.fromEntries(rules.map((rule) => [ownClass(rule), rule.mode]));
  return carrying({ ...modes, ...own }, new OwnRules(rules));
}

/** The same modes behind a copy that has lost how their own classes are found. */
export function modesWith(modes: FirewallModes, rules: OwnRules | undefined): FirewallModes {
  return rules ? carrying(modes, rules) : modes;
}

/** How the own classes of some modes are found; undefined where there are none. */
export function ownRulesOf(modes: FirewallModes): OwnRules | undefined {
  return (modes as WithOwnRules)[OWN_RULES];
}

/** Codes of the classes that every tenant has. */
export const BUILT_IN_CLASSES: ReadonlySet<string> = new Set(
  FINDING_CLASSES.map((row) => row.code),
);

/**
 * The modes that hold for text in which instructions are no attack: the tenant's own system
 * messages, embeddings, and what a model answers.
 */
export function withoutInjection(modes: FirewallModes): FirewallModes {
  return { ...modes, prompt_injection: 'off' };
}

/** True where a finding of some class changes the text. */
export function changesText(modes: FirewallModes): boolean {
  return classesOf(modes).some((name) => replacesValue(modes[name]));
}

/** True where no class is looked for. */
export function looksForNothing(modes: FirewallModes): boolean {
  return classesOf(modes).every((name) => modes[name] === 'off');
}

/** True where a value found under this mode must not leave as it is. */
export function replacesValue(mode: FirewallMode | undefined): boolean {
  return mode === 'mask' || mode === 'block';
}
