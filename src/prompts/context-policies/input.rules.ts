import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, fits } from '../../kernel/errors/faults.js';
import { inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { asObject } from '../../kernel/json.js';
import { type ContextRules, ITEM_INPUT, type ItemInput, STATED_RULES } from './tables.js';
import type { TextJudgement } from './text-judge.js';
import { CONTEXT_BOUNDS, type ContextItem } from './vocabulary.js';

/** The faults of the items of a pack; `path` is where the list stands. */
export function packFaults(path: string, items: readonly ItemInput[]): Fault[] {
  const { items: max, textChars } = CONTEXT_BOUNDS;
  const tooMany = count(path, items, { max });
  if (tooMany.length > 0) return tooMany;
  const chars = items.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  const tooLong = fault(path, 'out_of_range', `has at most ${textChars} characters of text`);
  const ids = items.map(idOf);
  const seen = new Set<string>();
  return [
    ...(chars > textChars ? [tooLong] : []),
    ...items.flatMap((item, index) => {
      const at = `${path}.${index}`;
      const id = ids[index] ?? '';
      const isNew = !seen.has(id);
      seen.add(id);
      return [
        ...fits(`${at}.id`, isNew, `is ${id} a second time`),
        ...inputFaults(ITEM_INPUT.fields, item, at),
      ];
    }),
  ];
}

/**
 * The items of a faultless pack. A text is counted and judged; the tokens that are stated beside it
 * do not matter.
 * @param judgements of the texts of the pack, in their order
 */
export function itemsOf(
  items: readonly ItemInput[],
  countTokens: (text: string) => number,
  judgements: readonly TextJudgement[],
): ContextItem[] {
  const next = judgements.values();
  return items.map(({ text, ...item }, index) => ({
    ...item,
    id: idOf(item, index),
    ...(text === null ? {} : { judged: next.next().value }),
    tokens: text === null ? item.tokens : countTokens(text),
    tokensCounted: text !== null,
  }));
}

/** Rules as they are kept. */
export function readContextRules(stored: unknown): ContextRules {
  return inputValues(STATED_RULES, asObject(stored) ?? {});
}

/** Items without an id are called by their place, from 1. */
function idOf({ id }: Pick<ItemInput, 'id'>, index: number): string {
  return id === null || id.trim() === '' ? `item ${index + 1}` : id;
}
