import { isInn, isOgrn, isSnils } from '../checksums.js';
import { certainBesideLines, DigitGroups, isAmount, standsAlone } from '../digit-groups.js';
import type { Finding } from '../finding.js';

type RegisterClass = 'inn' | 'snils' | 'ogrn';

interface Candidate {
  readonly class: RegisterClass;
  readonly start: number;
  readonly end: number;
}

/** Ids this close, in characters, vouch for each other. */
const BESIDE = 40;

const SNILS_GAP = /^[ \u00a0\u202f\-\u2010-\u2014]$/;
/** What else stands between its groups where a word says that it is one. */
const NAMED_SNILS_GAP = /^[ ._-]$/;
/** As SNILS are printed. In a member for the user of a request that is no number of a thing. */
const PRINTED_SNILS = /^\d{3}-\d{3}-\d{3} \d{2}$/;
const OPENS_USER = /"user": ?"$/;
const OPENS_USER_LENGTH = 9;
/** Between the groups of a number that is written in groups of any size. */
const LOOSE_GAP = /^[ \u00a0\u202f-]$/;
const MOST_GROUPS = 6;
const KPP_BESIDE = /^(?: ?[/\\] ?|[ ,]{1,2}КПП:? ?)\d{4}[\dA-Z]{2}\d{3}(?![\dA-Za-z])/;

/** OGRN and OGRNIP exist since 2002; other numbers of that length are not worth a suspicion. */
const PLAUSIBLE_OGRN = /^[15](?:0[2-9]|[1-4]\d)|^3(?:0[4-9]|[1-4]\d)/;

/** Counters and round numbers, which are more often than registers a chance checksum. */
const FIVE_ALIKE = /(\d)\1{4}/;

function registerClass(digits: string): RegisterClass | undefined {
  switch (digits.length) {
    case 10:
    case 12:
      return isInn(digits) ? 'inn' : undefined;
    case 11:
      return isSnils(digits) ? 'snils' : undefined;
    case 13:
    case 15:
      return isOgrn(digits) ? 'ogrn' : undefined;
    default:
      return undefined;
  }
}

/** Groups from `first` that together pass a register's checksum, all shorter than a number. */
function looseWidth(groups: DigitGroups, first: number): number {
  let digits = 0;
  for (let width = 1; width <= MOST_GROUPS; width += 1) {
    const length = groups.length(first + width - 1);
    digits += length;
    if (length === 0 || length > 7 || digits > 15) return 0;
    if (width > 1 && registerClass(groups.digits(first, width))) return width;
    const gap = groups.gapAfter(first + width - 1, 1);
    if (gap === undefined || !LOOSE_GAP.test(gap)) return 0;
  }
  return 0;
}

const SNILS_SHAPE = [3, 3, 3, 2] as const;

/** Groups as those of a SNILS, parted as they are in print, or otherwise where a word names it. */
function isSnilsAt(groups: DigitGroups, first: number): boolean {
  if (groups.matches(first, SNILS_SHAPE, SNILS_GAP)) return true;
  if (!groups.matches(first, SNILS_SHAPE, NAMED_SNILS_GAP)) return false;
  const { start, end } = groups.place(first, SNILS_SHAPE.length);
  return groups.words.isLabelled(start, end, 'snils');
}

/** Numbers that pass the checksum of a register, in the order of the text. */
function candidates(groups: DigitGroups): Candidate[] {
  const found: Candidate[] = [];
  for (let group = 0; group < groups.count; group += 1) {
    const isSnilsShaped = isSnilsAt(groups, group);
    const loose = isSnilsShaped ? 0 : looseWidth(groups, group);
    const width = isSnilsShaped ? 4 : Math.max(1, loose);
    const { start, end } = groups.place(group, width);
    if (width === 1 && (end - start < 10 || end - start > 15)) continue;
    const name = registerClass(groups.digits(group, width));
    if (!name || !standsAlone(groups.text, start, end) || isAmount(groups.text, end)) continue;
    if (loose > 0 && !groups.words.isLabelled(start, end, name)) continue;
    found.push({ class: name, start, end });
    group += loose > 0 ? loose - 1 : 0;
  }
  return found;
}

function hasSecondId(text: string, all: readonly Candidate[], index: number): boolean {
  const own = all[index];
  if (!own) return false;
  const before = all[index - 1];
  const after = all[index + 1];
  if (before && before.class !== own.class && own.start - before.end <= BESIDE) return true;
  if (after && after.class !== own.class && after.start - own.end <= BESIDE) return true;
  return own.class === 'inn' && KPP_BESIDE.test(text.slice(own.end, own.end + 20));
}

/**
 * Numbers of Russian registers: SNILS, INN, OGRN and OGRNIP. One in ten random numbers passes the
 * checksum of an INN and one in a hundred that of a SNILS, so a number is confirmed only by a word
 * within 40 characters or by an id of another kind beside it.
 */
export function detectRussian(text: string, groups = new DigitGroups(text)): Finding[] {
  const all = candidates(groups);
  const found: Finding[] = [];
  all.forEach((own, index) => {
    const named = groups.words.isLabelled(own.start, own.end, own.class);
    const confirmed = named || hasSecondId(text, all, index);
    const digits = text.slice(own.start, own.end);
    const isGivenOut = own.class !== 'ogrn' || PLAUSIBLE_OGRN.test(digits);
    const plausible = isGivenOut && !FIVE_ALIKE.test(digits);
    const before = text.slice(Math.max(0, own.start - OPENS_USER_LENGTH), own.start);
    const isPrinted = PRINTED_SNILS.test(digits) && OPENS_USER.test(before);
    const otherwise = !confirmed && !isPrinted && groups.words.isNamedOtherwise(own.start, own.end);
    if (confirmed || (plausible && !otherwise)) {
      found.push({ ...own, confidence: confirmed ? 'confirmed' : 'suspected' });
    }
  });
  return certainBesideLines(text, found);
}
