import { RE2JS, RE2Set } from 're2js';
import { OwnWords } from './own-words.js';
import { DATA_CLASSES, type DataClass, type FirewallMode, type OwnClass } from './vocabulary.js';

/** A class of finding that a policy defines: the customer's own words and patterns. */
export interface OwnClassRule {
  /** Lower-case letters in words joined by `_`; receipts and placeholders carry it. */
  readonly name: string;
  readonly words: readonly string[];
  /** Expressions of RE2: they run in linear time, whatever they say. */
  readonly patterns: readonly string[];
  readonly mode: FirewallMode;
  readonly dataClass: DataClass;
}

/** Bounds of the classes that one policy defines; what is beyond them is refused. */
export const OWN_CLASS_BOUNDS = {
  classes: 50,
  nameLength: 30,
  words: 200,
  wordLength: 100,
  patterns: 10,
  patternLength: 200,
  /** Words and patterns of one policy, all its classes together. */
  wordsTogether: 2_000,
  patternsTogether: 100,
  /** Instructions of a compiled pattern: the time for a character grows with them. */
  patternSize: 1_000,
  /** The same of all patterns that the policies of an organization have together. */
  patternSizeTogether: 20_000,
} as const;

/** One place that an own class names, end exclusive. */
export interface OwnPlace {
  readonly class: OwnClass;
  readonly start: number;
  readonly end: number;
}

/** The name of an own class, as findings carry it. */
export function ownClass({ name }: Pick<OwnClassRule, 'name'>): OwnClass {
  return name as OwnClass;
}

/** Texts on which a pattern that may match nothing shows it. */
const PROBES = ['', 'a', 'я 1', ' .', '\n'];

/** Why a pattern cannot be used, or undefined where it can. */
export function patternFault(pattern: string): string | undefined {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > OWN_CLASS_BOUNDS.patternSize) return 'is too large when compiled';
    return PROBES.some((probe) => matchesNothing(compiled, probe))
      ? 'matches empty text; let it match at least one character'
      : undefined;
  } catch (thrown) {
    return `is no expression of RE2: ${(thrown as Error).message}`;
  }
}

/** The instructions of compiled patterns together; each must be one that can be used. */
export function sizeTogether(patterns: readonly string[]): number {
  return patterns.reduce((sum, pattern) => sum + RE2JS.compile(pattern).programSize(), 0);
}

function matchesNothing(compiled: RE2JS, probe: string): boolean {
  const matcher = compiled.matcher(probe);
  while (matcher.find()) if (matcher.start() === matcher.end()) return true;
  return false;
}

const DATA_RANK = new Map(DATA_CLASSES.map((row, rank) => [row.code, rank]));

interface Compiled {
  readonly words: OwnWords;
  /** Says in one pass which patterns occur at all; undefined where there are none. */
  readonly screen: RE2Set | undefined;
  readonly patterns: readonly { readonly class: OwnClass; readonly pattern: RE2JS }[];
}

/** The own classes of the policies that apply together, compiled once, when first used. */
export class OwnRules {
  /** What they were made of. */
  readonly rules: readonly OwnClassRule[];
  readonly #dataClasses = new Map<string, DataClass>();
  #compiled: Compiled | undefined;

  constructor(rules: readonly OwnClassRule[]) {
    this.rules = rules;
    for (const { name, dataClass } of rules) {
      const known = this.#dataClasses.get(name);
      const isHigher = (DATA_RANK.get(dataClass) ?? 0) > (known ? (DATA_RANK.get(known) ?? 0) : -1);
      if (isHigher) this.#dataClasses.set(name, dataClass);
    }
  }

  /** Whether expressions are looked for, which cost far more than words. */
  get hasPatterns(): boolean {
    return this.rules.some(({ patterns }) => patterns.length > 0);
  }

  /** The rules of both, as where two policies apply to one request. */
  with(other: OwnRules): OwnRules {
    return new OwnRules([...this.rules, ...other.rules]);
  }

  /** The data class that a finding of a class implies: the highest that a policy gives it. */
  dataClassOf(name: string): DataClass | undefined {
    return this.#dataClasses.get(name);
  }

  /** Where the classes occur in a text, in no order; places may overlap. */
  find(text: string): OwnPlace[] {
    this.#compiled ??= compiled(this.rules);
    const { words, screen, patterns } = this.#compiled;
    const found = words.find(text);
    for (const index of screen?.match(text) ?? []) {
      const row = patterns[index];
      if (row) addPlaces(found, row.class, row.pattern, text);
    }
    return found;
  }
}

/** A text has as many places as it likes: more than a call takes arguments. */
function addPlaces(found: OwnPlace[], name: OwnClass, pattern: RE2JS, text: string): void {
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (end > start) found.push({ class: name, start, end });
  }
}

function compiled(rules: readonly OwnClassRule[]): Compiled {
  const patterns = rules.flatMap((rule) =>
    rule.patterns.map((pattern) => ({ class: ownClass(rule), source: pattern })),
  );
  const screen = patterns.length > 0 ? new RE2Set() : undefined;
  for (const { source } of patterns) screen?.add(source);
  screen?.compile();
  return {
    words: new OwnWords(
      rules.flatMap((rule) => rule.words.map((phrase) => ({ class: ownClass(rule), phrase }))),
    ),
    screen,
    patterns: patterns.map(({ class: name, source }) => ({
      class: name,
      pattern: RE2JS.compile(source),
    })),
  };
}
