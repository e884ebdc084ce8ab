import { isOmsPolicy } from '../checksums.js';
import { isLabelled, isNamedOtherwise, labelsAround } from '../context.js';
import { DigitGroups, standsAlone } from '../digit-groups.js';
import { type Finding, findingsOf } from '../finding.js';
import { LABEL } from '../words.js';

const SERIES_GAP = /^ ?$/;
const NUMBER_GAP = /^[\s\u00a0,;:"]{0,3}(?:№|N|No|номер|number)?[\s\u00a0.:"]{0,3}$/i;
const POLICY_GAP = /^[ \u00a0\u202f-]$/;
const POLICY_SHAPES = [[16], [4, 4, 4, 4], [8, 8], [6, 10], [2, 14], [3, 13], [4, 12]] as const;

type Place = ReturnType<DigitGroups['place']>;

/** The number of groups that a series and a number take from `group`, or 0. */
function seriesWidth(groups: DigitGroups, group: number): number {
  if (groups.length(group) === 10) return 1;
  if (groups.matches(group, [4, 6], NUMBER_GAP, 14)) return 2;
  const isSplit =
    groups.matches(group, [2, 2], SERIES_GAP) && groups.matches(group + 1, [2, 6], NUMBER_GAP, 14);
  return isSplit ? 3 : 0;
}

/** Series of two digits and number of seven. */
function abroadWidth(groups: DigitGroups, group: number): number {
  if (groups.length(group) === 9) return 1;
  return groups.matches(group, [2, 7], NUMBER_GAP, 14) ? 2 : 0;
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
function tenDigitClass(text: string, place: Place): Finding | undefined {
  const labels = labelsAround(text, place.start, place.end);
  if (labels & LABEL.licence)
    return { ...place, class: 'driving_licence', confidence: 'confirmed' };
  if (labels & LABEL.passport) return { ...place, class: 'passport', confidence: 'confirmed' };
  if (!(labels & LABEL.series) || labels & (LABEL.oms | LABEL.other)) return undefined;
  if (isNamedOtherwise(text, place.start, place.end)) return undefined;
  return { ...place, class: 'passport', confidence: 'suspected' };
}

/** Nine digits in one piece may be anything: the word for a passport must not have another one. */
function nineDigitClass(text: string, place: Place): Finding | undefined {
  const labels = labelsAround(text, place.start, place.end);
  const isAbroad = (labels & LABEL.abroad) !== 0;
  if (!isAbroad && !(labels & LABEL.passport)) return undefined;
  const others = LABEL.bank | LABEL.kpp | LABEL.other | LABEL.inn;
  if (labels & others && place.end - place.start === 9) return undefined;
  return { ...place, class: 'foreign_passport', confidence: 'confirmed' };
}

function policyClass(text: string, place: Place): Finding | undefined {
  const labels = labelsAround(text, place.start, place.end);
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
      const finding = place && judge(groups.text, place);
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
function whereKpp(text: string, start: number, end: number) {
  const isKpp = isLabelled(text, start, end, 'kpp') && !isNamedOtherwise(text, start, end);
  return isKpp ? 'confirmed' : undefined;
}

/**
 * Documents of people and codes of companies that nothing but a word near them tells from other
 * numbers: passports, driving licence, health insurance policy, KPP.
 */
export function detectDocuments(text: string, groups = new DigitGroups(text)): Finding[] {
  return [
    ...numberFindings(groups),
    ...findingsOf('driving_licence', text, LETTERED_LICENCE, (_, start, end) =>
      isLabelled(text, start, end, 'licence') ? 'confirmed' : undefined,
    ),
    ...findingsOf('kpp', text, KPP, (_, start, end) => whereKpp(text, start, end)),
  ];
}
