import { higherDataClass } from '../../kernel/firewall/data-class.rules.js';
import { ownRulesOf, replacesValue, strictness } from '../../kernel/firewall/modes.js';
import {
  type Confidence,
  type DataClass,
  FINDING_CLASSES,
  type FindingClass,
  type FirewallModes,
} from '../../kernel/firewall/vocabulary.js';

/** One place in a text, in UTF-16 code units, end exclusive. The matched text is never kept. */
export interface Finding {
  readonly class: FindingClass;
  readonly start: number;
  readonly end: number;
  readonly confidence: Confidence;
}

/**
 * A finding for each match of a pattern whose value is judged to be one. The value is what the
 * first group has matched, which must stand at the end of the match, else the whole match.
 */
export function findingsOf(
  code: FindingClass,
  text: string,
  pattern: RegExp,
  judge: Confidence | ((value: string, start: number, end: number) => Confidence | undefined),
): Finding[] {
  return findingsIn(code, text.matchAll(pattern), judge);
}

/** `findingsOf` for matches that are found already. */
export function findingsIn(
  code: FindingClass,
  matches: Iterable<RegExpExecArray>,
  judge: Confidence | ((value: string, start: number, end: number) => Confidence | undefined),
): Finding[] {
  const found: Finding[] = [];
  for (const match of matches) {
    const value = match[1] ?? match[0];
    const end = match.index + match[0].length;
    const start = end - value.length;
    const confidence = typeof judge === 'string' ? judge : judge(value, start, end);
    if (confidence) found.push({ class: code, start, end, confidence });
  }
  return found;
}

/** How often a class was found with one confidence. */
export interface FindingCount {
  readonly class: FindingClass;
  readonly count: number;
  readonly confidence: Confidence;
}

type ClassRow = (typeof FINDING_CLASSES)[number] & { readonly rank: number };

const CLASSES = new Map<FindingClass, ClassRow>(
  FINDING_CLASSES.map((row, rank) => [row.code, { ...row, rank }]),
);

function rank(finding: Finding): number {
  const suspicion = finding.confidence === 'confirmed' ? 0 : FINDING_CLASSES.length;
  return suspicion + (CLASSES.get(finding.class)?.rank ?? 0);
}

/** Negative where `left` wins over `right`; zero only for the same place and class. */
function byPrecedence(left: Finding, right: Finding): number {
  return (
    rank(left) - rank(right) ||
    right.end - right.start - (left.end - left.start) ||
    left.start - right.start
  );
}

/**
 * Keeps the findings that win where some overlap, ordered by start. Precedence: those whose class
 * is replaced or blocked before those that are only told, as what is told must not hide what must
 * not leave; then confirmed before suspected, the more specific class (order of FINDING_CLASSES),
 * the longer, and the earlier one. The order of the input does not matter.
 */
export function disjoint(findings: readonly Finding[], modes: FirewallModes): Finding[] {
  const told = ({ class: code }: Finding) => (replacesValue(modes[code]) ? 0 : 1);
  const before = (left: Finding, right: Finding) =>
    told(left) - told(right) || byPrecedence(left, right);
  return disjointInOrder([...findings].sort(before));
}

/** Keeps each finding that overlaps none before it; ordered by start. */
function disjointInOrder(findings: readonly Finding[]): Finding[] {
  const first = findings.reduce(
    (least, { start }) => Math.min(least, start),
    Number.POSITIVE_INFINITY,
  );
  const last = findings.reduce((most, { end }) => Math.max(most, end), 0);
  // One mark a character: a hostile text has as many findings as it likes, and must stay linear.
  const taken = new Uint8Array(Math.max(0, last - first));
  const kept = findings.filter(({ start, end }) => {
    for (let place = start - first; place < end - first; place += 1) if (taken[place]) return false;
    taken.fill(1, start - first, end - first);
    return true;
  });
  return kept.sort((left, right) => left.start - right.start);
}

/**
 * The findings of everybody's classes, disjoint, with those of a policy's own classes put among
 * them. Where both overlap, the stricter mode wins, then the longer place, then the own class.
 */
export function withOwnFindings(
  common: readonly Finding[],
  own: readonly Finding[],
  modes: FirewallModes,
): Finding[] {
  const strictestFirst = [...own].sort(
    (left, right) => strictness(modes[right.class]) - strictness(modes[left.class]),
  );
  const kept = disjointInOrder(strictestFirst).filter((finding) =>
    overlapping(finding, common).every((other) => winsOver(finding, other, modes)),
  );
  const left = common.filter((other) => overlapping(other, kept).length === 0);
  return [...left, ...kept].sort((first, second) => first.start - second.start);
}

/** Those of a disjoint, ordered list that a finding overlaps. */
export function overlapping<T extends Finding>(
  { start, end }: Finding,
  ordered: readonly T[],
): readonly T[] {
  const from = firstBehind(ordered, start);
  let to = from;
  while (to < ordered.length && (ordered[to]?.start ?? 0) < end) to += 1;
  return ordered.slice(from, to);
}

/** The index of the first of a disjoint, ordered list that ends behind a place. */
export function firstBehind(ordered: readonly Finding[], place: number): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function winsOver(own: Finding, other: Finding, modes: FirewallModes): boolean {
  const stricter = strictness(modes[own.class]) - strictness(modes[other.class]);
  if (stricter !== 0) return stricter > 0;
  return own.end - own.start >= other.end - other.start;
}

/** The data class that a finding implies; the modes know it of a policy's own classes. */
function dataClassOf(
  code: FindingClass,
  confidence: Confidence,
  modes: FirewallModes | undefined,
): DataClass {
  const row = CLASSES.get(code);
  if (!row) return (modes && ownRulesOf(modes)?.dataClassOf(code)) ?? 'C0';
  return confidence === 'confirmed' ? row.dataClass : row.dataClassSuspected;
}

/** Classes in the order of receipts: those of everybody, then a policy's own by name. */
export function inOrderOfReceipts(codes: Iterable<FindingClass>): FindingClass[] {
  const present = new Set(codes);
  const own = [...present].filter((code) => !CLASSES.has(code)).sort();
  return [...[...CLASSES.keys()].filter((code) => present.has(code)), ...own];
}

/** Counts findings by class and confidence, so that a receipt can be written without any value. */
export class Tally {
  readonly #counts = new Map<FindingClass, Map<Confidence, number>>();

  add(code: FindingClass, confidence: Confidence): void {
    const counts = this.#counts.get(code) ?? new Map<Confidence, number>();
    this.#counts.set(code, counts.set(confidence, (counts.get(confidence) ?? 0) + 1));
  }

  /** In the order of receipts, confirmed before suspected; rows of zero are left out. */
  counts(): FindingCount[] {
    const rows: FindingCount[] = [];
    if (this.#counts.size === 0) return rows;
    for (const code of inOrderOfReceipts(this.#counts.keys())) {
      for (const confidence of ['confirmed', 'suspected'] as const) {
        const count = this.#counts.get(code)?.get(confidence);
        if (count) rows.push({ class: code, count, confidence });
      }
    }
    return rows;
  }

  /** The highest data class that the counted findings imply, C0 where there are none. */
  dataClass(modes?: FirewallModes): DataClass {
    let highest: DataClass = 'C0';
    for (const row of this.counts()) {
      highest = higherDataClass(highest, dataClassOf(row.class, row.confidence, modes));
    }
    return highest;
  }
}

/** The highest data class among findings. */
function dataClassOfAll(findings: readonly FindingCount[], modes: FirewallModes): DataClass {
  return findings
    .map((finding) => dataClassOf(finding.class, finding.confidence, modes))
    .reduce<DataClass>(higherDataClass, 'C0');
}

/** The highest data class among findings that their mode leaves in the text. */
export function remainingDataClass(
  findings: readonly FindingCount[],
  modes: FirewallModes,
): DataClass {
  const left = findings.filter((finding) => !replacesValue(modes[finding.class]));
  return dataClassOfAll(left, modes);
}
