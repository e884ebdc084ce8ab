import type { Fault } from '../../kernel/errors/fail.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import { asObject } from '../../kernel/json.js';
import type { TextJudge } from './text-judge.js';
import { CONTEXT_BOUNDS, type ContextItem, type ContextRules } from './vocabulary.js';

/** A policy as a caller states it; null and absent ask for nothing. */
export interface PolicyInput {
  readonly name?: string | null;
  readonly allowSources?: readonly string[] | null;
  readonly blockSources?: readonly string[] | null;
  readonly dataClasses?: readonly DataClass[] | null;
  readonly tokenBudget?: number | null;
  readonly freshnessDays?: number | null;
  readonly citationRequired?: boolean | null;
  readonly provenanceRequired?: boolean | null;
}

/** An item as a caller states it. */
export interface ItemInput {
  readonly id?: string | null;
  readonly source?: string | null;
  readonly dataClass?: DataClass | null;
  readonly tokens?: number | null;
  readonly text?: string | null;
  readonly updatedAt?: Date | null;
  readonly citation?: string | null;
  readonly provenance?: string | null;
}

/** Every fault of a policy, by the names of GraphQL. */
export function policyInputFaults(input: PolicyInput): Fault[] {
  const { name, tokenBudget, freshnessDays } = input;
  const { nameChars, tokenBudget: budgetMax, freshnessDays: daysMax } = CONTEXT_BOUNDS;
  const isFit = name == null || (name.trim() !== '' && name.length <= nameChars);
  return [
    ...(isFit ? [] : [outside('name', `must have 1 to ${nameChars} characters`)]),
    ...patternFaults('allowSources', input.allowSources),
    ...patternFaults('blockSources', input.blockSources),
    ...numberFaults('tokenBudget', tokenBudget, budgetMax),
    ...numberFaults('freshnessDays', freshnessDays, daysMax),
  ];
}

/** The rules that a faultless input states. */
export function rulesOf(input: PolicyInput): ContextRules {
  return {
    allowSources: input.allowSources ?? null,
    blockSources: input.blockSources ?? [],
    dataClasses: input.dataClasses ?? null,
    tokenBudget: input.tokenBudget ?? null,
    freshnessDays: input.freshnessDays ?? null,
    citationRequired: input.citationRequired ?? false,
    provenanceRequired: input.provenanceRequired ?? false,
  };
}

/** The faults of the items of a pack; `path` is where the list stands. */
export function packFaults(path: string, items: readonly ItemInput[]): Fault[] {
  const { items: itemsMax, textChars, fieldChars, itemTokens } = CONTEXT_BOUNDS;
  if (items.length > itemsMax) return [outside(path, `has at most ${itemsMax} items`)];
  const chars = items.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  const ids = items.map(idOf);
  const seen = new Set<string>();
  return [
    ...(chars > textChars ? [outside(path, `has at most ${textChars} characters of text`)] : []),
    ...items.flatMap((item, index) => {
      const at = `${path}.${index}`;
      const id = ids[index] ?? '';
      const isTwice = seen.has(id);
      seen.add(id);
      return [
        ...(isTwice ? [invalid(`${at}.id`, `is ${id} a second time`)] : []),
        ...(['id', 'source', 'citation', 'provenance'] as const).flatMap((name) =>
          (item[name]?.length ?? 0) > fieldChars
            ? [outside(`${at}.${name}`, `has at most ${fieldChars} characters`)]
            : [],
        ),
        ...numberFaults(`${at}.tokens`, item.tokens, itemTokens, 0),
      ];
    }),
  ];
}

/**
 * The items of a faultless pack. A text is counted and judged; the tokens that are stated beside it
 * do not matter.
 */
export function itemsOf(
  items: readonly ItemInput[],
  countTokens: (text: string) => number,
  judgeText: TextJudge,
): ContextItem[] {
  return items.map((item, index) => ({
    id: idOf(item, index),
    source: item.source ?? null,
    dataClass: item.dataClass ?? null,
    ...(item.text == null ? {} : { judged: judgeText(item.text) }),
    tokens: item.text == null ? (item.tokens ?? null) : countTokens(item.text),
    tokensCounted: item.text != null,
    updatedAt: item.updatedAt ?? null,
    citation: item.citation ?? null,
    provenance: item.provenance ?? null,
  }));
}

/** Rules as they are kept. */
export function readContextRules(stored: unknown): ContextRules {
  return rulesOf((asObject(stored) ?? {}) as PolicyInput);
}

/** Items without an id are called by their place, from 1. */
function idOf({ id }: ItemInput, index: number): string {
  return id == null || id.trim() === '' ? `item ${index + 1}` : id;
}

function patternFaults(path: string, patterns: readonly string[] | null | undefined): Fault[] {
  const { patterns: countMax, patternChars } = CONTEXT_BOUNDS;
  if (!patterns) return [];
  if (patterns.length > countMax) return [outside(path, `has at most ${countMax} patterns`)];
  return patterns.flatMap((pattern, index) =>
    pattern.trim() !== '' && pattern.length <= patternChars
      ? []
      : [outside(`${path}.${index}`, `must have 1 to ${patternChars} characters`)],
  );
}

function numberFaults(path: string, value: number | null | undefined, max: number, min = 1) {
  if (value == null || (Number.isInteger(value) && value >= min && value <= max)) return [];
  return [outside(path, `must be a whole number from ${min} to ${max}`)];
}

function outside(path: string, what: string): Fault {
  return { path, code: 'out_of_range', message: `${path} ${what}.` };
}

/** The fault of a value that cannot be what it says. */
export function invalid(path: string, what: string): Fault {
  return { path, code: 'invalid', message: `${path} ${what}.` };
}
