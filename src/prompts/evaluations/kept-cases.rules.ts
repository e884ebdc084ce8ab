import { canonicalJson } from '../../kernel/canonical.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import type { EvidenceTarget } from './evidence-tables.js';
import { CASE_SET_INPUT, type PromptCase } from './tables.js';

/** A case set with what it asks for; cases are null where they were erased. */
export interface JudgedBy {
  readonly cases: readonly PromptCase[] | null;
  readonly passShareMin: number;
  readonly significance: number;
}

/**
 * Whether what is recorded over one case set also holds over an earlier one: every case of the
 * earlier one is among the cases, as many of them pass with each model as it asks for, and the set
 * asks for no less. What was erased is not known to be kept.
 */
export function keepsCases(
  before: JudgedBy,
  after: JudgedBy,
  targets: readonly Pick<EvidenceTarget, 'outcomes'>[],
): boolean {
  if (before.cases === null || after.cases === null) return false;
  if (after.passShareMin < before.passShareMin) return false;
  if (after.significance < before.significance) return false;
  const texts = after.cases.map(textOf);
  const places = before.cases.map((each) => texts.indexOf(textOf(each)));
  if (places.includes(-1)) return false;
  const wanted = before.passShareMin * places.length - ROUNDING;
  return targets.every(
    ({ outcomes }) => places.filter((at) => outcomes?.[at] === 'p').length >= wanted,
  );
}

/** Shares are decimals, so a bound that is met exactly may miss by the last bit. */
const ROUNDING = 1e-9;

function textOf(each: PromptCase): string {
  return canonicalJson(sealedContent({ cases: CASE_SET_INPUT.fields.cases }, { cases: [each] }));
}
