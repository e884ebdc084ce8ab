import type { Sealable } from '../../kernel/canonical.js';
import { parseRub } from '../../kernel/money.js';
import type { ToolContract, VerbRule } from './contract.js';
import { valueAt } from './json-values.js';
import { VERBS, type VerbScope } from './vocabulary.js';

/** Where a figure of the blast radius comes from. */
export const FIGURE_BASES = [
  { code: 'declared_in_arguments', description: 'Read from the arguments of the call.' },
  { code: 'declared_by_verb', description: 'What the verb means: none, or one record.' },
  { code: 'unknown', description: 'Not known before the call, so a person decides.' },
] as const;

/** The basis of a figure. */
export type FigureBasis = (typeof FIGURE_BASES)[number]['code'];

/** How far an action can reach, as far as contract and arguments say. */
export interface BlastRadius {
  /** Records that are changed; null when unknown. */
  readonly records: number | null;
  readonly recordsBasis: FigureBasis;
  /** Money that is moved, in micro-rubles; null when none is or when unknown. */
  readonly amountMicro: bigint | null;
  readonly amountBasis: FigureBasis;
  readonly destructive: boolean;
  /** Nothing is changed, or the contract names a verb that undoes it. */
  readonly reversible: boolean;
  readonly compensatingVerb: string | null;
}

interface VerbMeaning {
  readonly scope: VerbScope;
  readonly money: boolean;
}

const MEANINGS = new Map<string, VerbMeaning>(VERBS.map((verb) => [verb.code, verb]));
/** What a verb that the contract lacks may do is not known. */
const UNKNOWN: VerbMeaning = { scope: 'many', money: true };

/** The blast radius of a verb with its arguments; without a rule the contract lacks the verb. */
export function blastRadiusOf(
  contract: Pick<ToolContract, 'destructive'>,
  rule: VerbRule | undefined,
  values: Sealable,
): BlastRadius {
  const meaning = (rule && MEANINGS.get(rule.verb)) ?? UNKNOWN;
  const compensatingVerb = rule?.compensatingVerb ?? null;
  return {
    ...recordsOf(meaning, rule?.recordsField ?? null, values),
    ...amountOf(meaning, rule?.amountField ?? null, values),
    destructive: rule?.destructive ?? contract.destructive,
    reversible: meaning.scope === 'none' || compensatingVerb !== null,
    compensatingVerb,
  };
}

type Records = Pick<BlastRadius, 'records' | 'recordsBasis'>;

function recordsOf({ scope }: VerbMeaning, field: string | null, values: Sealable): Records {
  if (field !== null) {
    const records = countOf(valueAt(values, field));
    const recordsBasis = records === null ? 'unknown' : 'declared_in_arguments';
    return { records, recordsBasis };
  }
  if (scope === 'many') return { records: null, recordsBasis: 'unknown' };
  return { records: scope === 'none' ? 0 : 1, recordsBasis: 'declared_by_verb' };
}

function countOf(value: Sealable | undefined): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

type Amount = Pick<BlastRadius, 'amountMicro' | 'amountBasis'>;

function amountOf({ money }: VerbMeaning, field: string | null, values: Sealable): Amount {
  if (field === null) {
    return { amountMicro: null, amountBasis: money ? 'unknown' : 'declared_by_verb' };
  }
  const value = valueAt(values, field);
  const isAmount = typeof value === 'number' || typeof value === 'string';
  const micro = isAmount ? parseRub(String(value)) : undefined;
  if (micro === undefined || micro < 0n) return { amountMicro: null, amountBasis: 'unknown' };
  return { amountMicro: micro, amountBasis: 'declared_in_arguments' };
}

/** The blast radius as it is stored, hashed and sealed. */
export function storedBlastRadius(radius: BlastRadius) {
  return {
    records: radius.records,
    records_basis: radius.recordsBasis,
    amount_micro: radius.amountMicro === null ? null : radius.amountMicro.toString(),
    amount_basis: radius.amountBasis,
    destructive: radius.destructive,
    reversible: radius.reversible,
    compensating_verb: radius.compensatingVerb,
  };
}

/** The reverse of `storedBlastRadius`. */
export function readBlastRadius(stored: unknown): BlastRadius {
  const row = stored as ReturnType<typeof storedBlastRadius>;
  return {
    records: row.records,
    recordsBasis: row.records_basis,
    amountMicro: row.amount_micro === null ? null : BigInt(row.amount_micro),
    amountBasis: row.amount_basis,
    destructive: row.destructive,
    reversible: row.reversible,
    compensatingVerb: row.compensating_verb,
  };
}
