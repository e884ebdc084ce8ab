import { isInn, isOgrn, isSnils } from '../checksums.js';
import { LABEL, labelsAround } from '../context.js';
import { DigitGroups, isAmount, standsAlone } from '../digit-groups.js';
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
const SERIES_GAP = /^ ?$/;
const NUMBER_GAP = /^[\s\u00a0,;:"]{0,3}(?:№|N|No|номер|number)?[\s\u00a0.:"]{0,3}$/i;
const KPP_BESIDE = /^(?: ?[/\\] ?|[ ,]{1,2}КПП:? ?)\d{4}[\dA-Z]{2}\d{3}(?![\dA-Za-z])/;

/** OGRN and OGRNIP exist since 2002; other numbers of that length are not worth a suspicion. */
const PLAUSIBLE_OGRN = /^[15](?:0[2-9]|[1-4]\d)|^3(?:0[4-9]|[1-4]\d)/;

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

/** Numbers that pass the checksum of a register, in the order of the text. */
function candidates(groups: DigitGroups): Candidate[] {
  const found: Candidate[] = [];
  for (let group = 0; group < groups.count; group += 1) {
    const width = groups.matches(group, [3, 3, 3, 2], SNILS_GAP) ? 4 : 1;
    const start = groups.start(group);
    const end = groups.end(group + width - 1);
    if (width === 1 && (end - start < 10 || end - start > 15)) continue;
    const name = registerClass(groups.digits(group, width));
    if (!name || !standsAlone(groups.text, start, end) || isAmount(groups.text, end)) continue;
    found.push({ class: name, start, end });
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

function registerFindings(groups: DigitGroups): Finding[] {
  const { text } = groups;
  const all = candidates(groups);
  const found: Finding[] = [];
  all.forEach((own, index) => {
    const named = (labelsAround(text, own.start, own.end) & LABEL[own.class]) !== 0;
    const confirmed = named || hasSecondId(text, all, index);
    const plausible = own.class !== 'ogrn' || PLAUSIBLE_OGRN.test(text.slice(own.start, own.end));
    if (confirmed || plausible) {
      found.push({ ...own, confidence: confirmed ? 'confirmed' : 'suspected' });
    }
  });
  return found;
}

/** The number of groups that a passport's series and number take from `group`, or 0. */
function passportWidth(groups: DigitGroups, group: number): number {
  if (groups.length(group) === 10) return 1;
  if (groups.matches(group, [4, 6], NUMBER_GAP, 14)) return 2;
  const isSplit =
    groups.matches(group, [2, 2], SERIES_GAP) && groups.matches(group + 1, [2, 6], NUMBER_GAP, 14);
  return isSplit ? 3 : 0;
}

/** A passport has no checksum, so nothing is reported unless a word near it says passport. */
function passportFindings(groups: DigitGroups): Finding[] {
  const found: Finding[] = [];
  for (let group = 0; group < groups.count; group += 1) {
    const width = passportWidth(groups, group);
    if (width === 0) continue;
    const start = groups.start(group);
    const end = groups.end(group + width - 1);
    if (!standsAlone(groups.text, start, end)) continue;
    if ((labelsAround(groups.text, start, end) & LABEL.passport) === 0) continue;
    found.push({ class: 'passport', start, end, confidence: 'confirmed' });
    group += width - 1;
  }
  return found;
}

/**
 * Russian identifiers: passport, SNILS, INN, OGRN and OGRNIP. One in ten random numbers passes the
 * checksum of an INN and one in a hundred that of a SNILS, so a number is confirmed only by a word
 * within 40 characters or by an id of another kind beside it.
 */
export function detectRussian(text: string, groups = new DigitGroups(text)): Finding[] {
  return [...registerFindings(groups), ...passportFindings(groups)];
}
