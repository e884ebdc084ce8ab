import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { JsonObject } from '../../kernel/json.js';
import { CALLER_LIMITS, RISK_LEVELS, type RiskLevel, VERBS, type VerbScope } from './vocabulary.js';

/** What holds of a verb unless its contract says otherwise. */
export interface VerbMeaning {
  readonly destructive: boolean;
  readonly scope: VerbScope;
  readonly money: boolean;
}

/**
 * The meaning of a verb that a tool declares itself: nobody has published it. It may move money
 * until `amount_field` says how much, a risky one may touch any number of records until
 * `records_field` says how many, and a critical one destroys something.
 */
const DECLARED: Readonly<Record<RiskLevel, VerbMeaning>> = {
  low: { destructive: false, scope: 'one', money: true },
  medium: { destructive: false, scope: 'one', money: true },
  high: { destructive: false, scope: 'many', money: true },
  critical: { destructive: true, scope: 'many', money: true },
};

/** The meaning of a verb that its tool declares to change nothing. */
const READS: VerbMeaning = { destructive: false, scope: 'none', money: false };

/** A verb as a contract states it. */
interface StatedVerb {
  readonly verb: string;
  readonly risk: RiskLevel;
  /** Its tool declares that it changes nothing. */
  readonly readOnly: boolean;
}

/** What a verb means: as it is published, else as its tool declares it. */
export function meaningOf({ verb, risk, readOnly }: StatedVerb): VerbMeaning {
  return VERBS.find(verb) ?? (readOnly ? READS : DECLARED[risk]);
}

/** A verb with all that the guards of actions read of it. */
export interface GuardedVerb extends StatedVerb {
  readonly destructive: boolean;
  readonly requiresApproval: boolean;
  readonly argumentsSchema: JsonObject | null;
  readonly amountField: string | null;
  readonly recordsField: string | null;
}

/** Whether a verb may do more by itself than it could as it was stated before. */
export function isLoosened(before: GuardedVerb, after: GuardedVerb): boolean {
  const { scope, money } = meaningOf(before);
  return (
    higherRisk(before.risk, after.risk) !== after.risk ||
    (before.destructive && !after.destructive) ||
    (before.requiresApproval && !after.requiresApproval) ||
    (after.readOnly && !before.readOnly) ||
    isFieldLoosened(before.amountField, after.amountField, money) ||
    isFieldLoosened(before.recordsField, after.recordsField, scope === 'many') ||
    isSchemaLoosened(before, after)
  );
}

/**
 * Whether a verb that its tool declares is stated as less than one of its risk counts by default:
 * nobody but its tool says so. A published verb never is.
 */
export function isLooseByItself(rule: GuardedVerb): boolean {
  const { verb, risk } = rule;
  if (VERBS.has(verb)) return false;
  const { destructive } = DECLARED[risk];
  const unstated = { readOnly: false, requiresApproval: false, argumentsSchema: null };
  const fields = { amountField: null, recordsField: null };
  return isLoosened({ verb, risk, destructive, ...unstated, ...fields }, rule);
}

/**
 * Another argument that is looked at, or none, may show less than there is. A first one shows less
 * only where calls without it wait, since it was not known how much they would change.
 */
function isFieldLoosened(before: string | null, after: string | null, waitsWithout: boolean) {
  return before !== after && (before !== null || waitsWithout);
}

/** Arguments that guards read are those that the schema lets through. */
function isSchemaLoosened(before: GuardedVerb, after: GuardedVerb): boolean {
  const read = [before, after].flatMap(({ amountField, recordsField }) => [
    amountField,
    recordsField,
  ]);
  if (before.argumentsSchema === null || read.every((field) => field === null)) return false;
  const textOf = ({ argumentsSchema }: GuardedVerb) => canonicalJson(argumentsSchema as Sealable);
  return textOf(before) !== textOf(after);
}

const CALLER_AMOUNTS = Object.values(CALLER_LIMITS).map(({ amountMicroMax }) => amountMicroMax);

/**
 * Whether larger amounts of a tool may move without an approval than before, in micro-rubles. Null
 * leaves the limit of the kind of caller: before, it counts as the lowest of them, and after as the
 * highest.
 */
export function isLimitLoosened(before: bigint | null, after: bigint | null): boolean {
  if (before === after) return false;
  const lowest = CALLER_AMOUNTS.reduce((one, other) => (other < one ? other : one));
  const highest = CALLER_AMOUNTS.reduce((one, other) => (other > one ? other : one));
  return (after ?? highest) > (before ?? lowest);
}

/** The higher one of two risks. */
export function higherRisk(one: RiskLevel, other: RiskLevel): RiskLevel {
  const { codes } = RISK_LEVELS;
  return codes.indexOf(one) >= codes.indexOf(other) ? one : other;
}

/**
 * The risk of a verb that decides: as its contract has it, and never below that of the published
 * verb of its name, also where an earlier contract says less.
 */
export function riskInForce({ verb, risk }: Pick<StatedVerb, 'verb' | 'risk'>): RiskLevel {
  return higherRisk(risk, VERBS.find(verb)?.risk ?? risk);
}
