import { isOmsPolicy } from '../checksums.js';
import type { Surroundings } from '../context.js';
import { certainBesideLines, DigitGroups, standsAlone } from '../digit-groups.js';
import { type Finding, findingsOf } from '../finding.js';
import { LABEL } from '../words.js';

const SERIES_GAP = /^(?: {0,2}|[-./])$/;
/** Between series and number: marks, and the word or the sign for a number. */
const MARKS = '[\\s,;:"\'./|_–—-]{0,4}';
const NUMBER_GAP = new RegExp(
  `^${MARKS}(?:(?:за )?(?:№|#|N|No|н|n|ном|номер(?:ом)?|number)(?![а-яa-z])[\\s.:"#№-]{0,4})?$`,
  'i',
);
const NUMBER_GAP_LENGTH = 20;
/** Number of a document in two halves. */
const HALVES_GAP = /^[ -]$/;
const POLICY_GAP = /^[ \u00a0\u202f-]$/;
const POLICY_SHAPES = [[16], [4, 4, 4, 4], [8, 8], [6, 10], [2, 14], [3, 13], [4, 12]] as const;

type Place = ReturnType<DigitGroups['place']>;

/** A box for each digit, as forms have them. */
const DIGITS_APART = Array<number>(10).fill(1);
const BOX_GAP = /^[ |]{1,4}$/;

function isSpaced(groups: DigitGroups, group: number): boolean {
  return groups.matches(group, DIGITS_APART, BOX_GAP, 4);
}

/** The number of groups that a series and a number take from `group`, or 0. */
function seriesWidth(groups: DigitGroups, group: number): number {
  if (groups.length(group) === 10) return 1;
  if (groups.length(group) === 1) return isSpaced(groups, group) ? DIGITS_APART.length : 0;
  if (groups.matches(group, [4, 6], NUMBER_GAP, NUMBER_GAP_LENGTH)) return 2;
  const isSplit = groups.matches(group, [2, 2], SERIES_GAP);
  if (isSplit && groups.matches(group + 1, [2, 6], NUMBER_GAP, NUMBER_GAP_LENGTH)) return 3;
  const last = isSplit ? group + 1 : group;
  const isHalved =
    groups.matches(last, [isSplit ? 2 : 4, 3], NUMBER_GAP, NUMBER_GAP_LENGTH) &&
    groups.matches(last + 1, [3, 3], HALVES_GAP);
  return isHalved ? last - group + 3 : 0;
}

/** Series of two digits and number of seven. */
function abroadWidth(groups: DigitGroups, group: number): number {
  if (groups.length(group) === 9) return 1;
  return groups.matches(group, [2, 7], NUMBER_GAP, NUMBER_GAP_LENGTH) ? 2 : 0;
}

function policyWidth(groups: DigitGroups, group: number): number {
  const shape = POLICY_SHAPES.find((each) => groups.matches(group, each, POLICY_GAP));
  return shape && isOmsPolicy(groups.digits(group, shape.length)) ? shape.length : 0;
}

function placeOf(groups: DigitGroups, group: number, width: number): Place | undefined {
  if (width === 0) return undefined;
  const place = groups.place(group, width);
  return standsAlone(groups.text, place.start, place.end) ? place : undefined;
}

/**
 * What the words around ten digits make of them. A series alone is a passport's, unless the words
 * name another document.
 */
function tenDigitClass(words: Surroundings, place: Place): Finding | undefined {
  const labels = words.labels(place.start, place.end);
  if (labels & LABEL.licence)
    return { ...place, class: 'driving_licence', confidence: 'confirmed' };
  if (labels & LABEL.passport) return { ...place, class: 'passport', confidence: 'confirmed' };
  if (!(labels & LABEL.series) || labels & (LABEL.oms | LABEL.other)) return undefined;
  if (words.isNamedOtherwise(place.start, place.end)) return undefined;
  return { ...place, class: 'passport', confidence: 'suspected' };
}

/** Nine digits in one piece may be anything: the word for a passport must not have another one. */
function nineDigitClass(words: Surroundings, place: Place): Finding | undefined {
  const labels = words.labels(place.start, place.end);
  const isAbroad = (labels & LABEL.abroad) !== 0;
  if (!isAbroad && !(labels & LABEL.passport)) return undefined;
  const others = LABEL.bank | LABEL.kpp | LABEL.other | LABEL.inn;
  if (labels & others && place.end - place.start === 9) return undefined;
  return { ...place, class: 'foreign_passport', confidence: 'confirmed' };
}

function policyClass(words: Surroundings, place: Place): Finding | undefined {
  const labels = words.labels(place.start, place.end);
  if (!(labels & LABEL.oms) || labels & LABEL.card) return undefined;
  return { ...place, class: 'oms_policy', confidence: 'confirmed' };
}

/** How many groups a document takes from one, and what the words make of that place. */
const SHAPES = [
  { widthOf: seriesWidth, judge: tenDigitClass },
  { widthOf: abroadWidth, judge: nineDigitClass },
  { widthOf: policyWidth, judge: policyClass },
] as const;

function numberFindings(groups: DigitGroups): Finding[] {
  const found: Finding[] = [];
  for (let group = 0; group < groups.count; group += 1) {
    for (const { widthOf, judge } of SHAPES) {
      const width = widthOf(groups, group);
      const place = placeOf(groups, group, width);
      const finding = place && judge(groups.words, place);
      if (!finding) continue;
      found.push(finding);
      group += width - 1;
      break;
    }
  }
  return found;
}

/** A licence of the older form has two letters between series and number. */
const LETTERED_LICENCE =
  /(?<![\dA-ZА-Яa-zа-я])\d{2} ?[А-ЯA-Z]{2} ?(?:№ ?)?\d{6}(?![\dA-Za-zА-Яа-я])/g;

const KPP = /(?<![\dA-Za-z.])\d{4}[\dA-Z]{2}\d{3}(?![\dA-Za-z]|\.\d)/g;

/** The code has no checksum: the word must stand there, and no word of another number closer. */
function whereKpp(words: Surroundings, start: number, end: number) {
  const isKpp = words.isLabelled(start, end, 'kpp') && !words.isNamedOtherwise(start, end);
  return isKpp ? 'confirmed' : undefined;
}

/**
 * Documents of people and codes of companies that nothing but a word near them tells from other
 * numbers: passports, driving licence, health insurance policy, KPP.
 */
export function detectDocuments(text: string, groups = new DigitGroups(text)): Finding[] {
  return [
    ...certainBesideLines(text, numberFindings(groups)),
    ...findingsOf('driving_licence', text, LETTERED_LICENCE, (_, start, end) =>
      groups.words.isLabelled(start, end, 'licence') ? 'confirmed' : undefined,
    ),
    ...findingsOf('kpp', text, KPP, (_, start, end) => whereKpp(groups.words, start, end)),
  ];
}
