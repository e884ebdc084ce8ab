import type { Sealable } from '../../kernel/canonical.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { parseRub } from '../../kernel/money.js';
import { underWireNames } from '../former-content.js';
import type { ToolContract, VerbRule } from './contract.js';
import { valueAt } from './json-values.js';
import { BLAST_RADIUS, type BlastRadius } from './tables.js';
import { meaningOf, type VerbMeaning } from './verb-meaning.rules.js';

type Reach = Pick<VerbMeaning, 'scope' | 'money'>;

/** What a verb that the contract lacks may do is not known. */
const UNKNOWN: Reach = { scope: 'many', money: true };

/** The blast radius of a verb with its arguments; without a rule the contract lacks the verb. */
export function blastRadiusOf(
  contract: Pick<ToolContract, 'destructive'>,
  rule: VerbRule | undefined,
  values: Sealable,
): BlastRadius {
  const meaning: Reach = rule ? meaningOf(rule) : UNKNOWN;
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

function recordsOf({ scope }: Reach, field: string | null, values: Sealable): Records {
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

function amountOf({ money }: Reach, field: string | null, values: Sealable): Amount {
  if (field === null) {
    return { amountMicro: null, amountBasis: money ? 'unknown' : 'declared_by_verb' };
  }
  const value = valueAt(values, field);
  const isAmount = typeof value === 'number' || typeof value === 'string';
  const micro = isAmount ? parseRub(String(value)) : undefined;
  if (micro === undefined || micro < 0n) return { amountMicro: null, amountBasis: 'unknown' };
  return { amountMicro: micro, amountBasis: 'declared_in_arguments' };
}

/**
 * The blast radius as calls, approvals and bound hashes spell it. Money is micro-rubles here: in
 * another spelling, hashes would void whatever waits for an approval.
 */
export function storedBlastRadius(radius: BlastRadius): SealedContent {
  const { amount_rub: _, ...stored } = sealedContent(BLAST_RADIUS.fields, radius);
  return { ...stored, amount_micro: radius.amountMicro?.toString() ?? null };
}

/** The reverse of `storedBlastRadius`. */
export function readBlastRadius(stored: unknown): BlastRadius {
  const { fields } = BLAST_RADIUS;
  return openedContent(fields, underWireNames(fields, stored as SealedContent));
}
