import type { DigitGroups } from '../digit-groups.js';
import { certainBesideLines, standsAlone } from '../digit-groups.js';
import type { Finding } from '../finding.js';
import { LABEL } from '../words.js';

const OF_DOCUMENT = '(?:passport|pasport|doc(?:ument)?|пасп(?:орт[а-я]{0,2})?)[ _.-]{0,2}';
/** Marks, quotes and emphasis between a name and its value; no word and no other number. */
const MARKS = '[^\\p{L}\\d\\n]{0,12}(?:\\n[^\\p{L}\\d\\n]{0,12})?';
const BEHIND = '(?:[ _](?:паспорта|документа|passport))?';
const SERIES = new RegExp(
  `(?:(?<!\\p{L})|${OF_DOCUMENT})(?:сери[яиюей]|series|seri(?:ya|a))${BEHIND}${MARKS}$`,
  'iu',
);
const NUMBER = new RegExp(
  `(?:(?<!\\p{L})|${OF_DOCUMENT})(?:номер(?:ом)?|ном|number|nomer|num|no|№|n)${BEHIND}${MARKS}$`,
  'iu',
);
/** As far before a number as its name is looked for. */
const NAME_REACH = 40;
/** Series and number of one document stand at most this far from each other. */
const APART_MAX = 240;
/** Numbers of what is seen or printed in series. */
const SHOWN = /сериал|сезон|эпизод|выпуск|журнал|episode|season|magazine|pandas|dataframe/i;
const SHOWN_REACH = 48;
const SERIES_GAP = /^[ -]$/;

interface Place {
  readonly start: number;
  readonly end: number;
}

function isNamed({ text }: DigitGroups, { start, end }: Place, name: RegExp): boolean {
  if (!standsAlone(text, start, end)) return false;
  return name.test(text.slice(Math.max(0, start - NAME_REACH), start));
}

function classOf(groups: DigitGroups, series: Place, number: Place) {
  const { text, words } = groups;
  const labels = words.labels(series.start, series.end) | words.labels(number.start, number.end);
  const start = Math.min(series.start, number.start);
  const end = Math.max(series.end, number.end);
  const around = text.slice(Math.max(0, start - SHOWN_REACH), end + SHOWN_REACH);
  if (labels & LABEL.passport) return { class: 'passport', confidence: 'confirmed' } as const;
  if (labels & LABEL.licence) return { class: 'driving_licence', confidence: 'confirmed' } as const;
  if (labels & (LABEL.oms | LABEL.other) || SHOWN.test(around)) return undefined;
  const isOther = [series, number].some((place) => words.isNamedOtherwise(place.start, place.end));
  return isOther ? undefined : ({ class: 'passport', confidence: 'suspected' } as const);
}

/** Without this word no series has a name. */
const NAMES_SERIES = /сери|seri/i;

/** Passports and licences whose series and number have names, each its own, in any order. */
export function detectApart(groups: DigitGroups): Finding[] {
  const found: Finding[] = [];
  if (!NAMES_SERIES.test(groups.text)) return found;
  let series: Place | undefined;
  let number: Place | undefined;
  for (let group = 0; group < groups.count; group += 1) {
    const isSplit = groups.matches(group, [2, 2], SERIES_GAP);
    const length = isSplit ? 4 : groups.length(group);
    if (length !== 4 && length !== 6) continue;
    const place = groups.place(group, isSplit ? 2 : 1);
    if (!isNamed(groups, place, length === 4 ? SERIES : NUMBER)) continue;
    if (length === 4) series = place;
    else number = place;
    if (!series || !number) continue;
    const between = length === 4 ? series.start - number.end : number.start - series.end;
    if (between > APART_MAX) continue;
    const kind = classOf(groups, series, number);
    if (kind) found.push({ ...series, ...kind }, { ...number, ...kind });
    series = undefined;
    number = undefined;
  }
  return certainBesideLines(groups.text, found);
}
