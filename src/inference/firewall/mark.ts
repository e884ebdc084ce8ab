import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { Finding } from './finding.js';
import { hasSpelling, isEscapedJson, isInEscape, JsonText } from './json-text.js';
import type { Encoding } from './mask.js';
import { scan } from './scan.js';

/**
 * A finding with its places in the text as it is written, and with what it reads there. It lives as
 * long as the inspection of one request.
 */
export interface Mark extends Finding {
  readonly value: string;
}

const NO_MARKS: readonly Mark[] = Object.freeze([]);

/** Escapes inside of escapes are resolved this often: JSON in a text of JSON in a text of JSON … */
const LEVELS_MAX = 6;

/**
 * Everything that is found in a text, whether it stands there as it reads or spelled by escapes of
 * JSON or of addresses, at any level of nesting up to six. Marks are ordered and disjoint.
 */
export function marksIn(text: string, written: Encoding, modes: FirewallModes): readonly Mark[] {
  const base = written === 'plain' && !isEscapedJson(text) ? undefined : new JsonText(text);
  const view = base?.view ?? text;
  const found = scan(view, modes);
  const deeper = hasSpelling(view) ? spelledOut(view, found, modes) : found;
  if (deeper.length === 0) return NO_MARKS;
  return deeper.map(({ class: code, confidence, start, end }) => ({
    class: code,
    confidence,
    start: base ? base.writtenPlace(start) : start,
    end: base ? base.writtenPlace(end) : end,
    value: view.slice(start, end),
  }));
}

/**
 * The findings with those that only show once escapes are resolved, by places in the view. What
 * begins inside an escape is no finding: there the escape reads otherwise.
 */
function spelledOut(
  view: string,
  found: readonly Finding[],
  modes: FirewallModes,
): readonly Finding[] {
  let text = view;
  let all = outsideOfEscapes(text, found);
  const levels: JsonText[] = [];
  while (levels.length < LEVELS_MAX && hasSpelling(text)) {
    const level = new JsonText(text, 'any');
    levels.unshift(level);
    text = level.view;
    const written = (place: number) =>
      levels.reduce((inner, json) => json.writtenPlace(inner), place);
    const mapped = outsideOfEscapes(text, scan(text, modes)).map((finding) => ({
      ...finding,
      start: written(finding.start),
      end: written(finding.end),
    }));
    all = withMore(all, mapped);
  }
  return all;
}

/** The findings without those that begin inside an escape of the text. */
export function outsideOfEscapes<T extends Finding>(
  text: string,
  findings: readonly T[],
): readonly T[] {
  return findings.filter(({ start }) => !isInEscape(text, start));
}

/** Two ordered lists as one, without those of the second that touch one of the first. */
function withMore<T extends Finding>(first: readonly T[], second: readonly T[]): readonly T[] {
  const more: T[] = [];
  let at = 0;
  let end = 0;
  for (const finding of second) {
    while (at < first.length && (first[at] as T).end <= finding.start) at += 1;
    const isTaken = at < first.length && (first[at] as T).start < finding.end;
    if (isTaken || finding.start < end) continue;
    more.push(finding);
    end = finding.end;
  }
  if (more.length === 0) return first;
  return [...first, ...more].sort((left, right) => left.start - right.start);
}

/** The marks of several judgements of one text, without those that overlap an earlier list's. */
export function joinedMarks(lists: readonly (readonly Mark[])[]): readonly Mark[] {
  return lists.reduce((all, marks) => withMore(all, marks), NO_MARKS);
}
