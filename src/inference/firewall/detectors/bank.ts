import { isAccountOfBank, isIban, isLuhn } from '../checksums.js';
import { certainBesideLines, DigitGroups, standsAlone, touchesLine } from '../digit-groups.js';
import type { Finding } from '../finding.js';
import { WORDS } from '../words.js';

const CARD_GAP = /^[ \u00a0\u202f-]$/;
/** What else people put between groups; only the number of a network may be written so. */
const RARE_CARD_GAP = /^(?:[ \u00a0\u202f._/\n\t-]| {2}|\r\n)$/;
const ACCOUNT_GAP = /^[ \u00a0\u202f.-]$/;
const CARD_SHAPES = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
] as const;
const RARE_CARD_SHAPES = [...CARD_SHAPES, [6, 10], [4, 12], [8, 8]] as const;
const ACCOUNT_SHAPES = [
  [5, 3, 1, 11],
  [5, 3, 1, 4, 7],
  [4, 4, 4, 4, 4],
] as const;

/** A box for each digit, as forms have them: a card where a word says so. */
const DIGITS_APART = [Array<number>(16).fill(1)];

function isDigitByDigit(groups: DigitGroups, first: number): boolean {
  return groups.length(first) === 1 && groups.length(first + 1) === 1;
}

/** Prefix and lengths by network, as the networks publish them. */
const NETWORKS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^220[0-4]/, [16, 17, 18, 19]],
  [/^4/, [16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^35(?:2[89]|[3-8]\d)/, [16]],
  [/^3(?:0[0-5]|[689])/, [14]],
  [/^62/, [16, 17, 18, 19]],
  [/^6(?:011|4[4-9]|5)/, [16]],
  [/^(?:5018|5020|5038|6304|6759|676[1-3])/, [16, 18, 19]],
];

function isOfNetwork(digits: string): boolean {
  return NETWORKS.some(([prefix, sizes]) => prefix.test(digits) && sizes.includes(digits.length));
}

function widthOf(
  groups: DigitGroups,
  first: number,
  shapes: readonly (readonly number[])[],
  gap: RegExp,
): number {
  return shapes.find((shape) => groups.matches(first, shape, gap))?.length ?? 1;
}

function cardFindings(groups: DigitGroups): Finding[] {
  const found: Finding[] = [];
  for (let first = 0; first < groups.count; first += 1) {
    const usual = widthOf(groups, first, CARD_SHAPES, CARD_GAP);
    const isRare = usual === 1 && groups.length(first) <= 8;
    const isApart = isRare && isDigitByDigit(groups, first);
    const rare = isApart ? DIGITS_APART : RARE_CARD_SHAPES;
    const width = isRare ? widthOf(groups, first, rare, RARE_CARD_GAP) : usual;
    const { start, end } = groups.place(first, width);
    if (width === 1 && (end - start < 13 || end - start > 19)) continue;
    const digits = groups.digits(first, width);
    if (/^0|^(\d)\1+$/.test(digits) || !isLuhn(digits)) continue;
    if (isRare && !isOfNetwork(digits)) continue;
    if (!standsAlone(groups.text, start, end)) continue;
    // Next to an underscore the network proves less: any kind of id may be written there.
    const isTold = !isApart && isOfNetwork(digits);
    const isSure = isTold && !touchesLine(groups.text, start, end);
    const isNamed = isSure || groups.words.isLabelled(start, end, 'card');
    if (!isNamed && (isApart || groups.words.isNamedOtherwise(start, end))) continue;
    const isCard = isTold || isNamed;
    found.push({ class: 'card', start, end, confidence: isCard ? 'confirmed' : 'suspected' });
  }
  return found;
}

/** Currency codes at digits 6 to 8 of an account that occur in practice. */
const CURRENCY = /^\d{5}(?:810|643|840|978|156|826|756|392|398|933|417|051|784|344|949|356)/;
/** More banks than this in one text are not tried, so that the work stays linear. */
const MOST_BICS = 16;

function bicsOf(groups: DigitGroups): string[] {
  const found = new Set<string>();
  for (let group = 0; group < groups.count && found.size < MOST_BICS; group += 1) {
    if (groups.length(group) !== 9) continue;
    const digits = groups.digits(group, 1);
    if (digits.startsWith('04')) found.add(digits);
  }
  return [...found];
}

function accountFindings(groups: DigitGroups): Finding[] {
  const found: Finding[] = [];
  let bics: readonly string[] | undefined;
  for (let first = 0; first < groups.count; first += 1) {
    const width = widthOf(groups, first, ACCOUNT_SHAPES, ACCOUNT_GAP);
    const { start, end } = groups.place(first, width);
    if (width === 1 && end - start !== 20) continue;
    const digits = groups.digits(first, width);
    if (!CURRENCY.test(digits) || !standsAlone(groups.text, start, end)) continue;
    bics ??= bicsOf(groups);
    const isOfBank = bics.some((bic) => isAccountOfBank(digits, bic));
    const confidence = isOfBank ? 'confirmed' : 'suspected';
    found.push({ class: 'bank_account', start, end, confidence });
    first += width - 1;
  }
  return found;
}

const IBAN_LENGTHS = new Map(Object.entries(WORDS.iban_lengths));

const IBAN_HEAD = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?= ?[A-Z0-9])/g;

/** End of `size` letters or digits from `start` that may stand in groups of four, or -1. */
function ibanEnd(text: string, start: number, size: number): number {
  let index = start;
  for (let taken = 0; taken < size; taken += 1) {
    if (taken > 0 && taken % 4 === 0 && text.charAt(index) === ' ') index += 1;
    if (!/[A-Z0-9]/.test(text.charAt(index))) return -1;
    index += 1;
  }
  return /[A-Za-z0-9]/.test(text.charAt(index)) ? -1 : index;
}

function ibanFindings(text: string): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(IBAN_HEAD)) {
    const start = match.index;
    const end = ibanEnd(text, start, IBAN_LENGTHS.get(match[0].slice(0, 2)) ?? 0);
    if (end <= start || !isIban(text.slice(start, end).replaceAll(' ', ''))) continue;
    found.push({ class: 'bank_account', start, end, confidence: 'confirmed' });
  }
  return found;
}

/**
 * Payment cards and bank accounts. A card is confirmed by Luhn and a known network, or by Luhn and
 * a word near it; a Russian account by its key and a BIC in the same text; an IBAN by its checksum.
 */
export function detectBank(text: string, groups = new DigitGroups(text)): Finding[] {
  const numbers = [...cardFindings(groups), ...accountFindings(groups)];
  return [...certainBesideLines(text, numbers), ...ibanFindings(text)];
}
