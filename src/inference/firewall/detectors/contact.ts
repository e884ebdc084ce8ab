import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import { certainBesideLines, DigitGroups, isAmount, standsAlone } from '../digit-groups.js';
import type { Finding } from '../finding.js';

const PHONE_GAP = /^(?:[ \u00a0\u202f.\-\u2010-\u2014]|\)|[ \u00a0-]?\(|\)[ \u00a0-])$/;
/** What else stands between groups where a plus or a word says that this is a telephone. */
const NAMED_GAP = /^(?:[\s\u2010-\u2015_./-]{1,2}|\s[-\u2010-\u2015./]\s|\)?\s{1,2}|\s{0,2}\()$/;
const MOST_GROUPS = 6;
/** A box for each digit, as forms have them. */
const DIGITS_APART = Array<number>(11).fill(1);
const BOX_GAP = /^[ |]$/;

interface Span {
  readonly first: number;
  readonly width: number;
  readonly digits: string;
}

/** Joined groups from `first` that have `total` digits together, or undefined. */
function spanOf(
  groups: DigitGroups,
  first: number,
  total: number,
  between = PHONE_GAP,
): Span | undefined {
  let sum = 0;
  for (let width = 1; width <= MOST_GROUPS; width += 1) {
    const group = first + width - 1;
    sum += groups.length(group);
    if (sum === total) return { first, width, digits: groups.digits(first, width) };
    const gap = sum < total ? groups.gapAfter(group, 3) : undefined;
    if (gap === undefined || !between.test(gap)) return undefined;
  }
  return undefined;
}

/** The longest span of 10 to 15 digits (E.164 allows 15) that starts at `first`. */
function internationalSpan(groups: DigitGroups, first: number): Span | undefined {
  for (let total = 15; total >= 10; total -= 1) {
    const span = spanOf(groups, first, total);
    if (span) return span;
  }
  return undefined;
}

/** Written in groups as people write telephone numbers: 8 (916) 123-45-67, 8 916 123 45 67. */
function isWrittenAsPhone(groups: DigitGroups, span: Span): boolean {
  const lengths = Array.from({ length: span.width }, (_, at) => groups.length(span.first + at));
  const shape = lengths.join('-');
  if (shape === '1-3-3-2-2' || shape === '1-4-2-2-2') return true;
  const { start, end } = groups.place(span.first, span.width);
  const hasMarks = /[()-]/.test(groups.text.slice(start, end));
  return hasMarks && /^1-(?:3-7|3-3-4|4-6|4-3-3|5-5|5-1-2-2)$/.test(shape);
}

/** Codes of areas and of mobile networks, as the numbering plan gives them out. */
const GIVEN_OUT = new RegExp(
  '^[78](?:3(?:0[12]|36|4[1-367]|45|5[1-3]|65|8[1-58]|9[0145])|' +
    '4(?:01|1[1356]|2[1-7]|7[1-5]|8[1-7]|9[1-9])|' +
    '8(?:0[0-9]|1[1-8]|2[01]|3[1-6]|4[1-8]|5[15-7]|6[1-9]|7[1-9])|' +
    '9(?:0\\d|[1-3]\\d|4[19]|5[0-35689]|6\\d|7[0-9]|8\\d|9\\d))',
);

/** `/orders/79161234567` names a record; `wa.me/79161234567` is the address of a telephone. */
function isInPath(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 24), start);
  return /[\w.-]\/$/.test(before) && !/wa\.me\/$|tel|phone|call/i.test(before);
}

/** A bare run of digits is a number of goods or documents where the words before it say so. */
function domesticConfidence(groups: DigitGroups, span: Span): Confidence | undefined {
  if (isWrittenAsPhone(groups, span) || hasPhoneLabel(groups, span)) return 'confirmed';
  const { start, end } = groups.place(span.first, span.width);
  if (groups.words.isNamedOtherwise(start, end) || isInPath(groups.text, start)) return undefined;
  if (span.width > 1 && ![1, 4].includes(groups.length(span.first))) return undefined;
  return GIVEN_OUT.test(span.digits) ? 'suspected' : undefined;
}

function hasPhoneLabel(groups: DigitGroups, span: Span): boolean {
  const { start, end } = groups.place(span.first, span.width);
  return groups.words.isLabelled(start, end, 'phone');
}

function phoneAfterPlus(groups: DigitGroups, first: number) {
  const lead = groups.text.charAt(groups.start(first));
  if (lead === '0') return undefined;
  if (lead !== '7') {
    const span = internationalSpan(groups, first);
    if (!span) return undefined;
    const confirmed = span.digits.length > 10 || hasPhoneLabel(groups, span);
    return { span, confidence: confirmed ? ('confirmed' as const) : ('suspected' as const) };
  }
  const span = spanOf(groups, first, 11) ?? spanOf(groups, first, 11, NAMED_GAP);
  if (!span || !/^7[3-9]/.test(span.digits)) return undefined;
  return { span, confidence: 'confirmed' as const };
}

/** A number in boxes, one for each digit. */
function digitByDigit(groups: DigitGroups, first: number): Span | undefined {
  if (groups.length(first) !== 1 || !groups.matches(first, DIGITS_APART, BOX_GAP)) return undefined;
  const digits = groups.digits(first, DIGITS_APART.length);
  if (!/^[78][3489]/.test(digits)) return undefined;
  return { first, width: DIGITS_APART.length, digits };
}

function phoneWithoutPlus(groups: DigitGroups, first: number) {
  const { text } = groups;
  const span = spanOf(groups, first, 11);
  if (span && /^[78][3489]/.test(span.digits)) {
    const confidence = domesticConfidence(groups, span);
    return confidence && { span, confidence };
  }
  const named = span ?? spanOf(groups, first, 11, NAMED_GAP);
  if (named && /^[78][3489]/.test(named.digits) && hasPhoneLabel(groups, named)) {
    return { span: named, confidence: 'confirmed' as const };
  }
  const apart = digitByDigit(groups, first);
  const isNamedApart = apart !== undefined && hasPhoneLabel(groups, apart);
  if (isNamedApart) return { span: apart, confidence: 'confirmed' as const };
  const local = spanOf(groups, first, 10);
  if (!local || !/^[3489]/.test(local.digits)) return undefined;
  const hasCodeInBrackets = text.charAt(groups.start(first) - 1) === '(' && local.width > 1;
  if (hasPhoneLabel(groups, local)) return { span: local, confidence: 'confirmed' as const };
  return hasCodeInBrackets ? { span: local, confidence: 'suspected' as const } : undefined;
}

function opensAt(text: string, digitsStart: number, withPlus: boolean): number {
  let start = digitsStart;
  if (text.charAt(start - 1) === '(') start -= 1;
  return withPlus ? text.lastIndexOf('+', start) : start;
}

function phoneFindings(groups: DigitGroups): Finding[] {
  const { text } = groups;
  const found: Finding[] = [];
  for (let first = 0; first < groups.count; first += 1) {
    const digitsStart = groups.start(first);
    const withPlus = /\+[ (]?$/.test(text.slice(Math.max(0, digitsStart - 2), digitsStart));
    const phone = withPlus ? phoneAfterPlus(groups, first) : phoneWithoutPlus(groups, first);
    if (!phone) continue;
    const last = first + phone.span.width - 1;
    const start = opensAt(text, digitsStart, withPlus);
    const end = groups.end(last);
    if (!standsAlone(text, start, end) || isAmount(text, end)) continue;
    found.push({ class: 'phone', start, end, confidence: phone.confidence });
    first = last;
  }
  return found;
}

const LONGEST_LOCAL_PART = 64;
const LONGEST_DOMAIN = 253;
const LOCAL_CHARACTER = /[\p{L}\p{N}._%+'-]/u;
const LABEL_OF_HOST = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?';
const DOMAIN = new RegExp(
  `^(?:${LABEL_OF_HOST}\\.){1,8}(?:xn--[a-z0-9-]{2,59}|\\p{L}{2,24})`,
  'iu',
);
/** `icon@2x.png` names a file. */
const FILE_NAME = /\.(?:png|jpe?g|gif|svg|webp|js|css)$/i;

function localPartStart(text: string, at: number, floor: number): number {
  let start = at;
  while (start > floor && at - start <= LONGEST_LOCAL_PART) {
    if (!LOCAL_CHARACTER.test(text.charAt(start - 1))) break;
    start -= 1;
  }
  while (start < at && /[.'+%-]/.test(text.charAt(start))) start += 1;
  return start;
}

/** `git@host:path` names a remote, not a person. */
function isRemote(text: string, start: number, at: number, end: number): boolean {
  return text.slice(start, at) === 'git' && text.charAt(end) === ':';
}

function emailFindings(text: string): Finding[] {
  const found: Finding[] = [];
  let floor = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + LONGEST_DOMAIN))?.[0];
    const start = domain ? localPartStart(text, at, floor) : at;
    if (!domain || start === at || at - start > LONGEST_LOCAL_PART) continue;
    const end = at + 1 + domain.length;
    if (FILE_NAME.test(domain) || isRemote(text, start, at, end)) continue;
    found.push({ class: 'email', start, end, confidence: 'confirmed' });
    floor = end;
  }
  return found;
}

/**
 * Telephone numbers and e-mail addresses. A number after `+`, or written in the usual groups, is
 * confirmed; a bare run of eleven digits only beside a word such as «тел.».
 */
export function detectContact(text: string, groups = new DigitGroups(text)): Finding[] {
  return [...certainBesideLines(text, phoneFindings(groups)), ...emailFindings(text)];
}
