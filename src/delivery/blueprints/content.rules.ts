import { inspectRequest } from '../../inference/firewall/inspect.js';
import { FINDING_CLASSES, type FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { LINEAR_TIME } from '../../kernel/json-schema/patterns.js';
import { FREQUENT_WORDS } from './frequent-words.js';
import type { ContentOperator } from './operators.js';
import { stemsOf } from './retrieve.js';
import { hasInOrder, wordsOf } from './word-search.rules.js';
import { NumberSource, numbersIn } from './written-numbers.rules.js';

/**
 * Whether the content of a value is as it should be; null where there is nothing to judge. The
 * figure is the `value` of a condition whose operand is another value.
 */
type ContentTest = (value: unknown, operand: unknown, figure?: unknown) => boolean | null;

/** The modes under which markers of prompt injection are looked for, and nothing else. */
export const INJECTION_ONLY = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, code === 'prompt_injection' ? 'detect' : 'off']),
) as FirewallModes;

/** Texts as the firewall reads what users say. */
export function saidByUser(texts: readonly string[]) {
  return { messages: texts.map((content) => ({ role: 'user', content })) };
}

/** Every text of a value that says something, in its order. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The elements of a list, of lists in it, or the one value itself; without what is empty. */
function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(elementsOf);
  return value === null || value === undefined || value === '' ? [] : [value];
}

function every<T>(items: readonly T[], test: (item: T) => boolean): boolean | null {
  return items.length === 0 ? null : items.every(test);
}

const LETTERS_MIN = 2;

/** A quote of one letter would be found in nearly every text. */
function isLongEnough(words: readonly string[]): boolean {
  const text = words.join('');
  return /\p{N}/u.test(text) || text.length >= LETTERS_MIN;
}

/** More quotes than that are not looked for, since each one is a pass over the whole source. */
const QUOTES_MAX = 200;

function quotedIn(value: unknown, operand: unknown): boolean | null {
  const sources = textsIn(operand).map(wordsOf);
  const quotes = new Map(textsIn(value).map((text) => [wordsOf(text).join(' '), wordsOf(text)]));
  if (quotes.size > QUOTES_MAX) return false;
  return every(
    [...quotes.values()],
    (words) => isLongEnough(words) && sources.some((source) => hasInOrder(source, words)),
  );
}

function numbersWrittenIn(value: unknown, operand: unknown): boolean | null {
  const source = new NumberSource(operand);
  return every(numbersIn(value, false), (each) => source.has(each));
}

/** Texts are compared without the blanks around them. */
function comparable(element: unknown): unknown {
  return typeof element === 'string' ? element.trim() : element;
}

function eachIn(value: unknown, operand: unknown): boolean | null {
  const known = new Set(elementsOf(operand).map(comparable));
  return every(elementsOf(value), (element) => known.has(comparable(element)));
}

const SHARE_PERCENT = 50;

/** Whether a share can be demanded: a share of 0 percent would be one of any text. */
export function isShare(figure: unknown): boolean {
  return figure === undefined || (typeof figure === 'number' && figure >= 1 && figure <= 100);
}

/** Half of the words of each text, or as many percent as the condition states. */
function sharesWords(value: unknown, operand: unknown, figure?: unknown): boolean | null {
  if (!isShare(figure)) return false;
  const percent = typeof figure === 'number' ? figure : SHARE_PERCENT;
  const known = new Set(textsIn(operand).flatMap(stemsOf));
  const texts = textsIn(value).map(stemsOf);
  return every(
    texts.filter((stems) => stems.length > 0),
    (stems) => stems.filter((stem) => known.has(stem)).length * 100 >= stems.length * percent,
  );
}

function isRelated(value: unknown, operand: unknown): boolean | null {
  const [one = '', other = ''] = textsIn(operand);
  return every(elementsOf(value), (element) => {
    const members = element as Readonly<Record<string, unknown>>;
    const stems = new Set(textsIn(members[one]).flatMap(stemsOf));
    return textsIn(members[other])
      .flatMap(stemsOf)
      .some((stem) => stems.has(stem));
  });
}

/** Texts differ where their words do, and other elements where their JSON does. */
function isDistinct(value: unknown): boolean | null {
  const elements = elementsOf(value).map((element) =>
    typeof element === 'string' ? wordsOf(element).join(' ') : JSON.stringify(element),
  );
  return elements.length === 0 ? null : new Set(elements).size === elements.length;
}

/** At least one word in so many is a frequent one in every text that people write. */
const FREQUENT_ONE_IN = 20;
/** A text of fewer words may be names and terms alone, such as `Ошибка 502 оплата карта`. */
const JUDGED_WORDS_MIN = 8;

/** A short text that says something is neither intelligible nor not; a blank one says nothing. */
function isIntelligible(value: unknown): boolean | null {
  const found = textsIn(value).map((text) => {
    const words = wordsOf(text);
    if (words.length === 0) return false;
    const lettered = words.filter((word) => /\p{L}/u.test(word));
    if (lettered.length < JUDGED_WORDS_MIN) return null;
    const frequent = lettered.filter((word) => FREQUENT_WORDS.has(word)).length;
    return frequent > 0 && frequent * FREQUENT_ONE_IN >= lettered.length;
  });
  return every(
    found.filter((each) => each !== null),
    (each) => each,
  );
}

/** By the detector of the firewall, which reads what users say. */
function withoutInjection(value: unknown): boolean | null {
  const texts = textsIn(value);
  if (texts.length === 0) return null;
  const inspection = inspectRequest(saidByUser(texts), INJECTION_ONLY);
  return inspection.findings.length === 0;
}

function matching(pattern: unknown): (text: string) => boolean {
  return LINEAR_TIME(`(?i)${String(pattern)}`).test;
}

/**
 * Judges content by an operator: texts against the source that they must come from, numbers against
 * those that a document writes, and texts by themselves. Pure, in a time that grows with the texts.
 */
export const CONTENT_TESTS: Readonly<Record<ContentOperator, ContentTest>> = {
  quoted_in: quotedIn,
  numbers_in: numbersWrittenIn,
  each_in: eachIn,
  distinct: isDistinct,
  shares_words: sharesWords,
  related: isRelated,
  mentions: (value, pattern) => {
    const texts = textsIn(value);
    return texts.length === 0 ? null : texts.some(matching(pattern));
  },
  lacks: (value, pattern) => {
    const texts = textsIn(value);
    return texts.length === 0 ? null : !texts.some(matching(pattern));
  },
  intelligible: isIntelligible,
  without_injection: withoutInjection,
};
