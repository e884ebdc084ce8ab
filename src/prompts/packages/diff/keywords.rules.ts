import { asObject, type JsonObject } from '../../../kernel/json.js';
import { type FoundChange, found, incomparable, type Pair } from './found-change.js';
import { diffProperties } from './properties.rules.js';
import { diffTypes, diffValues } from './values.rules.js';

/** Keywords that say nothing about which outputs are valid. */
export const ANNOTATIONS = new Set(
  `$schema $id $comment $anchor $defs definitions title description default examples deprecated
  readOnly writeOnly`.split(/\s+/),
);

/** Compares two schemas by some of their keywords. */
type KeywordRule = (pair: Pair) => FoundChange[];

/** The rules, with the keywords that each takes care of. */
const RULES: readonly { readonly keywords: readonly string[]; readonly rule: KeywordRule }[] = [
  { keywords: ['type'], rule: diffTypes },
  { keywords: ['enum', 'const'], rule: diffValues },
  { keywords: ['properties', 'required', 'additionalProperties'], rule: diffProperties },
  {
    keywords: ['items'],
    rule: ({ from, to, path, diff }) => diff(from.items ?? true, to.items ?? true, `${path}[]`),
  },
  { keywords: ['prefixItems'], rule: diffTuples },
  { keywords: ['anyOf'], rule: (pair) => diffAlternatives('anyOf', pair) },
  { keywords: ['oneOf'], rule: (pair) => diffAlternatives('oneOf', pair) },
  ...bounds(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'], 1),
  ...bounds(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'], -1),
  ...['pattern', 'format', 'multipleOf', 'uniqueItems'].map((keyword) => ({
    keywords: [keyword],
    rule: (pair: Pair) => diffFixed(keyword, pair),
  })),
];

const RULED = new Set(RULES.flatMap(({ keywords }) => keywords));

/** The changes between two schemas. Keywords without a rule must be the same. */
export function diffKeywords(pair: Pair): FoundChange[] {
  const { from, to, path, same } = pair;
  const others = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => !RULED.has(name) && !ANNOTATIONS.has(name),
  );
  return [
    ...RULES.flatMap(({ rule }) => rule(pair)),
    ...others
      .filter((name) => !same(only(from, name), only(to, name)))
      .map((name) => incomparable(path, name)),
  ];
}

/** A keyword with its name, since a reference is known by it. */
function only(schema: JsonObject, name: string): JsonObject {
  return { [name]: schema[name] ?? null };
}

/** A bound is closer the larger (`direction` 1) or the smaller (-1) it is. */
function bounds(keywords: readonly string[], direction: 1 | -1) {
  return keywords.map((keyword) => ({
    keywords: [keyword],
    rule: ({ from, to, path }: Pair): FoundChange[] => {
      const none = -direction * Number.POSITIVE_INFINITY;
      const before = Number(from[keyword] ?? none);
      const after = Number(to[keyword] ?? none);
      if (before === after) return [];
      const isCloser = direction * (after - before) > 0;
      const what = `${keyword} went from ${shown(before)} to ${shown(after)}`;
      return [found(isCloser ? 'bound_tightened' : 'bound_loosened', path, what)];
    },
  }));
}

function shown(bound: number): string {
  return Number.isFinite(bound) ? String(bound) : 'none';
}

/** Keywords whose values cannot be compared with each other, only with their absence. */
function diffFixed(keyword: string, { from, to, path, same }: Pair): FoundChange[] {
  const before = from[keyword] === false ? undefined : from[keyword];
  const after = to[keyword] === false ? undefined : to[keyword];
  if (same(before, after)) return [];
  if (before === undefined) return [found('bound_tightened', path, `${keyword} is new`)];
  if (after === undefined) return [found('bound_loosened', path, `${keyword} is gone`)];
  return [incomparable(path, keyword)];
}

function diffTuples({ from, to, path, diff }: Pair): FoundChange[] {
  const before = listOf(from.prefixItems);
  const after = listOf(to.prefixItems);
  if (before.length !== after.length) return [incomparable(path, 'prefixItems')];
  return before.flatMap((item, index) => diff(item, after[index], `${path}[${index}]`));
}

/** Alternatives that are the same in both are set aside; as many others are compared in order. */
function diffAlternatives(
  keyword: 'anyOf' | 'oneOf',
  { from, to, path, diff, same }: Pair,
): FoundChange[] {
  if (from[keyword] === undefined && to[keyword] === undefined) return [];
  if (from[keyword] === undefined) return [found('bound_tightened', path, `${keyword} is new`)];
  if (to[keyword] === undefined) return [found('bound_loosened', path, `${keyword} is gone`)];
  const before = listOf(from[keyword]);
  const after = listOf(to[keyword]);
  const lost = before.filter((one) => !after.some((other) => same(one, other)));
  const gained = after.filter((one) => !before.some((other) => same(one, other)));
  if (lost.length === gained.length) {
    return lost.flatMap((one, index) => diff(one, gained[index], path));
  }
  return [
    ...gained.map((one) => found('alternative_added', path, `${named(one)} is new`)),
    ...lost.map((one) => found('alternative_removed', path, `${named(one)} is gone`)),
  ];
}

function named(alternative: unknown): string {
  const { title, type, $ref } = asObject(alternative) ?? {};
  return `the alternative ${[title, $ref, type].find((name) => name !== undefined) ?? ''}`.trim();
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
