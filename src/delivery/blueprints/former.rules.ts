import type { SealedContent } from '../../kernel/fields/sealed.js';
import { formatRub } from '../../kernel/money.js';

/** A content whose money was spelt as micro-rubles under `<noun>_micro`. */
export function formerRubles(content: SealedContent, noun: string): SealedContent {
  const { [`${noun}_micro`]: micro, ...rest } = content;
  if (micro === undefined) return content;
  return { ...rest, [`${noun}_rub`]: micro === null ? null : formatRub(BigInt(String(micro))) };
}

/** A step that was kept under earlier names; one of today stays as it is. */
export function formerStep(content: SealedContent): SealedContent {
  const { id, attempts, ...rest } = formerRubles(content, 'cost');
  const requests = (attempts ?? []) as readonly SealedContent[];
  return {
    step: id ?? null,
    ...rest,
    attempts: requests.map((each) => formerRubles(each, 'cost')),
  };
}

/** A business result that was kept under earlier names; one of today stays as it is. */
export function formerResult(content: SealedContent): SealedContent {
  return formerRubles(content, 'cost_per_unit');
}
