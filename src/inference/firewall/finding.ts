import { replacesValue } from '../../kernel/firewall/modes.js';
import {
  type Confidence,
  DATA_CLASSES,
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

/** How often a class was found with one confidence. */
export interface FindingCount {
  readonly class: FindingClass;
  readonly count: number;
  readonly confidence: Confidence;
}

const CLASS_RANK = new Map<FindingClass, number>(
  FINDING_CLASSES.map((row, rank) => [row.code, rank]),
);
const DATA_RANK = new Map<DataClass, number>(DATA_CLASSES.map((row, rank) => [row.code, rank]));
const CLASS_ROWS = new Map(FINDING_CLASSES.map((row) => [row.code, row]));

function rank(finding: Finding): number {
  const suspicion = finding.confidence === 'confirmed' ? 0 : FINDING_CLASSES.length;
  return suspicion + (CLASS_RANK.get(finding.class) ?? 0);
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
 * Keeps the findings that win where some overlap, ordered by start. Precedence: confirmed before
 * suspected, then the more specific class (order of FINDING_CLASSES), then the longer, then the
 * earlier one. The order of the input does not matter.
 */
export function disjoint(findings: readonly Finding[]): Finding[] {
  const first = findings.reduce(
    (least, { start }) => Math.min(least, start),
    Number.POSITIVE_INFINITY,
  );
  const last = findings.reduce((most, { end }) => Math.max(most, end), 0);
  // One mark a character: a hostile text has as many findings as it likes, and must stay linear.
  const taken = new Uint8Array(Math.max(0, last - first));
  const kept = [...findings].sort(byPrecedence).filter(({ start, end }) => {
    for (let place = start - first; place < end - first; place += 1) if (taken[place]) return false;
    taken.fill(1, start - first, end - first);
    return true;
  });
  return kept.sort((left, right) => left.start - right.start);
}

/** The higher of two data classes. */
function higherDataClass(left: DataClass, right: DataClass): DataClass {
  return (DATA_RANK.get(left) ?? 0) >= (DATA_RANK.get(right) ?? 0) ? left : right;
}

/** The data class that a finding implies. */
function dataClassOf(code: FindingClass, confidence: Confidence): DataClass {
  const row = CLASS_ROWS.get(code);
  if (!row) return 'C0';
  return confidence === 'confirmed' ? row.dataClass : row.dataClassSuspected;
}

/** Counts findings by class and confidence, so that a receipt can be written without any value. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(code: FindingClass, confidence: Confidence): void {
    const key = `${code}/${confidence}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** In the order of FINDING_CLASSES, confirmed before suspected; rows of zero are left out. */
  counts(): FindingCount[] {
    const rows: FindingCount[] = [];
    if (this.#counts.size === 0) return rows;
    for (const { code } of FINDING_CLASSES) {
      for (const confidence of ['confirmed', 'suspected'] as const) {
        const count = this.#counts.get(`${code}/${confidence}`);
        if (count) rows.push({ class: code, count, confidence });
      }
    }
    return rows;
  }

  /** The highest data class that the counted findings imply, C0 where there are none. */
  dataClass(): DataClass {
    let highest: DataClass = 'C0';
    for (const row of this.counts()) {
      highest = higherDataClass(highest, dataClassOf(row.class, row.confidence));
    }
    return highest;
  }
}

/** The highest data class among findings that their mode leaves in the text. */
export function remainingDataClass(
  findings: readonly FindingCount[],
  modes: FirewallModes,
): DataClass {
  return findings
    .filter((finding) => !replacesValue(modes[finding.class]))
    .map((finding) => dataClassOf(finding.class, finding.confidence))
    .reduce<DataClass>(higherDataClass, 'C0');
}
