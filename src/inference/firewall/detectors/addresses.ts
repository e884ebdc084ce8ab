import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import type { Finding } from '../finding.js';
import { withLookAlikes } from '../look-alikes.js';
import { matchesBeforeDigits } from '../near-digits.js';

const LETTER = '[А-Яа-яЁё]';
const END_OF_WORD = `(?!${LETTER})`;
/** What stands between the parts of an address; lines of a letter break anywhere. */
const GAP = '[,;]?\\s{0,3}';

/** Words for a street, with what prose and forms make of them. */
const STREETS = [
  ...['ул(?:иц[аеыу])?', 'пр-?к?т', 'просп(?:ект[а-я]?)?', 'пер(?:еул(?:ок|к[аеу])?)?'],
  ...['бульвар[а-я]?', 'б-р', 'наб(?:ережн[а-я]{2})?', 'ш(?:оссе)?', 'пр-?д', 'проезд[а-я]?'],
  ...['пл(?:ощад[ьи])?', 'алле[яеи]', 'мкр-?н?', 'микрорайон[а-я]?', 'квартал[а-я]?', 'снт'],
].join('|');
/** Words after which an address stands, those of a person first. */
const OF_PERSON = [
  ...['прожива[а-яё]{1,4}', 'прописан[а-я]?', 'прописк[а-я]', 'жив(?:у|[её]т|[её]м)'],
  ...['достав(?:ить|к[аиеу]|ьте)', 'привез(?:ите|ти|и)', 'жительства', 'зарегистрирован[а-я]?'],
  ...['адрес[а-я]? (?:доставки|регистрации|проживания|прописки)', 'мо(?:й|его) адрес[а-я]?'],
  'домашний адрес',
].join('|');
const LABELS = `${OF_PERSON}|адрес(?:а|у|ом|е)?|address`;

const LOCATOR = new RegExp(
  `(?:(${STREETS})(?:\\.|(?![А-Яа-яЁёA-Za-z]))|(${withLookAlikes(LABELS)})(?![А-Яа-яЁёA-Za-z]))`,
  'gi',
);
const INSIDE_A_WORD = /[А-Яа-яЁёA-Za-z-]/;
/** A house stands at most this far behind the word for its street, or the word for an address. */
const HOUSE_REACH = 96;

const CAPITALISED = '[А-ЯЁ](?:[а-яё]{2,20}|[А-ЯЁ]{2,20})';
const HOUSE_WORDS = 'дом[ае]?|д|зд(?:ание)?|вл(?:адение)?|уч(?:асток)?';
const FLAT_WORDS = 'кв(?:артира)?|комн(?:ата)?';
const PART_WORDS =
  'к(?:орп(?:ус)?)?|стр(?:оение)?|лит(?:ера?)?|под(?:ъезд)?|эт(?:аж)?|оф(?:ис)?|' +
  `пом(?:ещение)?|секция|блок|${FLAT_WORDS}`;
const NO_NAME = `(?!(?:${HOUSE_WORDS}|${PART_WORDS}|г|город)${END_OF_WORD})`;
/** «8 Марта», «Льва Толстого», «3-я Парковая», «садовая». */
const NAME =
  `["«]?(?:\\d{1,3}(?:-?[а-яё]{1,4})?\\s)?${NO_NAME}${LETTER}[А-Яа-яЁё.-]{1,24}` +
  `(?:\\s${NO_NAME}${LETTER}[А-Яа-яЁё-]{1,24}){0,3}["»]?`;
/** Behind a space no letter that is a word: «дом 5 в центре». */
const LETTER_OF_HOUSE = '(?:(?:[А-Яа-я]|\\s[бгд])(?![А-Яа-яЁё.]))?';
const HOUSE =
  `(?:(?<house>${HOUSE_WORDS})${END_OF_WORD}\\.?\\s{0,3})?(?:№\\s?)?\\d{1,4}${LETTER_OF_HOUSE}` +
  `(?<second>\\s?[/-]\\s?\\d{1,4}${LETTER_OF_HOUSE})?(?!\\d|[.,]\\d)`;
const PARTS =
  `(?:${GAP}(?:${PART_WORDS})${END_OF_WORD}\\.?\\s{0,2}(?:№\\s?)?` +
  `(?:\\d{1,5}${LETTER_OF_HOUSE}|[А-Яа-я](?!${LETTER}))(?!\\d)){0,5}`;
const TOWN_WORDS =
  'г(?:ор(?:од)?)?|с(?:ело)?|пос(?:[её]лок)?|п(?:гт)?|рп|дер(?:евня)?|д|ст-ца|х(?:утор)?|р-н|район';
const TOWN_CALLED = `${CAPITALISED}(?:[ -]${CAPITALISED})?`;
const TOWN_BEHIND = `(?<town>,?\\s{1,3}г(?:ород)?\\.?\\s{0,2}${TOWN_CALLED})?`;
const REST = `${HOUSE}${PARTS}${TOWN_BEHIND}(?:,?\\s{1,3}\\d{6}(?!\\d))?`;

const BEHIND_STREET = new RegExp(`\\s{0,3}(?<name>${NAME})${GAP}${REST}`, 'iyu');
const BEHIND_NAMED = new RegExp(`${GAP}${REST}`, 'iyu');
/** A name before the word for a street: «Невский проспект», «3-я Парковая ул.». */
const NAME_BEFORE = new RegExp(
  `(?<=(?<![А-Яа-яЁё-])((?:\\d{1,3}-?[а-яё]{1,3}\\s)?${CAPITALISED})(\\s))`,
  'yu',
);

const TOWN_NAME = `${CAPITALISED}(?:-на-${CAPITALISED}|[ -]${CAPITALISED})?`;
/** What stands before a street, read backwards part by part: town, district, region, index. */
const PART_BEFORE = new RegExp(
  `(?<=(?<![А-Яа-яЁё\\d-])(` +
    `(?:${TOWN_WORDS})(?:\\.\\s{0,2}|\\s{1,2})${LETTER}[а-яёА-ЯЁ-]{2,20}(?:\\s${CAPITALISED})?|` +
    `${CAPITALISED}\\s(?:обл(?:асть)?|край|р-н|район|округ|АО|респ(?:ублика)?)|` +
    `респ(?:ублика)?\\.?\\s${CAPITALISED}|${TOWN_NAME}|\\d{6})(\\.?[,;]?\\s{0,3}))`,
  'yu',
);
const PARTS_BEFORE_MAX = 6;

/** Behind a word for an address, without a word for a street: «Тула, Садовая, 15-32». */
const WITHOUT_STREET = new RegExp(
  `[\\s:=|—–-]{1,4}(?:(?:в|на|по|is|это|вот|такой)\\s)?(?<value>(?:\\d{6},?\\s{1,3})?` +
    `(?:(?:${TOWN_WORDS})(?:\\.\\s{0,2}|\\s{1,2}))?${TOWN_NAME},\\s{0,3}` +
    `(?:(?!(?:${STREETS})${END_OF_WORD})(?:${NAME}),?\\s{1,3}|` +
    `(?=(?:${HOUSE_WORDS})${END_OF_WORD}))${REST})`,
  'yu',
);
const LABEL_BEFORE = new RegExp(`(?<![А-Яа-яЁё])(?:${withLookAlikes(LABELS)})(?![а-яё])`, 'i');
const PERSON_BEFORE = new RegExp(`(?<![А-Яа-яЁё])(?:${withLookAlikes(OF_PERSON)})(?![а-яё])`, 'i');
const BARE_TOWN = new RegExp(`^${TOWN_NAME}$`, 'u');
const LABEL_IN_FRONT = new RegExp(`^(?:${LABELS}|вот|это|мой|моя|наш|город)(?: |$)`, 'i');
const LABEL_REACH = 48;
const FLAT = new RegExp(`(?<!${LETTER})(?:${FLAT_WORDS})\\.?\\s{0,2}(?:№\\s?)?\\d`, 'i');
const MEASURE =
  /^\s{0,2}(?:минут|мин\b|метр|м²|км|час|лет|год|руб|₽|%|шт|тыс|млн|человек|процент|:\d)/i;

interface Evidence {
  readonly isNamed: boolean;
  readonly hasTown: boolean;
  readonly hasHouseWord: boolean;
  readonly hasFlat: boolean;
}

/** The part of an address that ends at `place`, with the marks behind it. */
function partBefore(text: string, place: number): string | undefined {
  PART_BEFORE.lastIndex = place;
  const [, name = '', gap = ''] = PART_BEFORE.exec(text) ?? [];
  if (gap === '') return undefined;
  if (!BARE_TOWN.test(name)) return name + gap;
  // A town has a comma behind it or an index before it; a word for an address is none.
  const own = name.replace(LABEL_IN_FRONT, '');
  const start = place - gap.length - own.length;
  const isTown = gap.includes(',') || /\d{6}\s$/.test(text.slice(Math.max(0, start - 7), start));
  return own !== '' && isTown ? own + gap : undefined;
}

/** What of a text before `place` belongs to an address, and whether it names a town. */
function partsBefore(text: string, place: number): { start: number; hasTown: boolean } {
  let start = place;
  for (let part = 0; part < PARTS_BEFORE_MAX; part += 1) {
    const before = partBefore(text, start);
    if (before === undefined) break;
    start -= before.length;
  }
  return { start, hasTown: start < place };
}

function confidenceOf(text: string, start: number, evidence: Evidence): Confidence | undefined {
  const { isNamed, hasTown, hasHouseWord, hasFlat } = evidence;
  if (!isNamed && !hasHouseWord && !hasFlat) return undefined;
  if (hasFlat) return 'confirmed';
  const before = text.slice(Math.max(0, start - LABEL_REACH), start);
  if (PERSON_BEFORE.test(before)) return 'confirmed';
  return hasTown || hasHouseWord || LABEL_BEFORE.test(before) ? 'suspected' : undefined;
}

function found(text: string, start: number, match: RegExpExecArray, evidence: Evidence) {
  const end = match.index + match[0].length;
  if (MEASURE.test(text.slice(end, end + 12))) return undefined;
  const confidence = confidenceOf(text, start, evidence);
  return confidence && ({ class: 'postal_address', start, end, confidence } as const);
}

function evidenceIn(match: RegExpExecArray, hasTown: boolean, isNamed: boolean): Evidence {
  const { house, second, town } = match.groups ?? {};
  const isWithTown = hasTown || town !== undefined;
  const hasFlat = FLAT.test(match[0]) || (isWithTown && second?.includes('-') === true);
  return { isNamed, hasTown: isWithTown, hasHouseWord: house !== undefined, hasFlat };
}

/** The address around a word for a street that stands at [at, end). */
function withStreet(text: string, at: number, end: number): Finding | undefined {
  BEHIND_STREET.lastIndex = end;
  const named = BEHIND_STREET.exec(text);
  if (named) {
    const { start, hasTown } = partsBefore(text, at);
    const isNamed = /[А-ЯЁ]/.test(named.groups?.name ?? '');
    return found(text, start, named, evidenceIn(named, hasTown, isNamed));
  }
  NAME_BEFORE.lastIndex = at;
  const [, name, gap] = NAME_BEFORE.exec(text) ?? [];
  BEHIND_NAMED.lastIndex = end;
  const numbered = name && gap ? BEHIND_NAMED.exec(text) : null;
  if (!numbered || !name || !gap) return undefined;
  const { start, hasTown } = partsBefore(text, at - name.length - gap.length);
  return found(text, start, numbered, evidenceIn(numbered, hasTown, true));
}

/** The address behind a word such as «проживает», which ends at a place. */
function withoutStreet(text: string, place: number): Finding | undefined {
  WITHOUT_STREET.lastIndex = place;
  const match = WITHOUT_STREET.exec(text);
  const value = match?.groups?.value;
  if (!match || value === undefined) return undefined;
  const start = match.index + match[0].length - value.length;
  return found(text, start, match, evidenceIn(match, true, true));
}

/**
 * Postal addresses: a street and a house, with what stands before and behind them. Confirmed with a
 * flat, or behind a word that speaks of where a person lives; else suspected, since the address may
 * be that of a company. A street and a number without a town or a word are no address.
 */
export function detectAddresses(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const match of matchesBeforeDigits(text, LOCATOR, HOUSE_REACH)) {
    if (INSIDE_A_WORD.test(text.charAt(match.index - 1))) continue;
    const end = match.index + match[0].length;
    const address = match[1] ? withStreet(text, match.index, end) : withoutStreet(text, end);
    if (address) findings.push(address);
  }
  return findings;
}
