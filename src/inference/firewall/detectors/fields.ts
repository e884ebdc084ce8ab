import { type Finding, findingsOf } from '../finding.js';

/** From a name of a field to its value: marks, on one line. */
const MARKS = '["\'»*`_\\s]{0,4}[:=|>—–-]\\s{0,3}["\'«*`_]{0,3}';
const WORD = '[А-ЯЁA-Z][а-яёa-zА-ЯЁA-Z]{1,30}(?:-[А-ЯЁA-Z][а-яёa-zА-ЯЁA-Z]{1,30})?';

/** Fields that hold a part of the name of a person. */
const NAMES = new RegExp(
  '(?=[фиоlfmsg])(?<![\\p{L}])(?:фамили[яи]|имя|отчество|' +
    '(?:last|first|middle|sur|full|family|given)_?name|' +
    `фио|ф\\.и\\.о\\.|fio)${MARKS}(${WORD}(?: ${WORD}){0,2})`,
  'giu',
);

/** The parts of an address, each in a field. */
const PART = (initials: string, names: string, value: string) =>
  new RegExp(`(?=[${initials}])(?<![\\p{L}])(?:${names})${MARKS}(${value})`, 'giu');
const STREETS = PART('уs', 'улица|ул\\.|street(?:_?name)?', '\\p{L}[\\p{L}.\\d -]{1,40}\\p{L}');
const HOUSES = PART('дhb', 'дом|house(?:_?number)?|building', '\\d{1,4}[а-яa-z]?(?:/\\d{1,4})?');
const FLATS = PART('кfa', 'квартира|кв\\.|flat|apartment', '\\d{1,5}');
/** The fields of one address stand at most this far from each other. */
const APART_MAX = 160;

/** Fields that hold a whole address, in the names that programs give them. */
const ADDRESS_FIELD = new RegExp(
  '(?:addr(?:ess)?|street|residence)(?:_?(?:line)?_?\\d|_full|_text|_?string)?["\']?' +
    '\\s{0,3}[:=]\\s{0,3}["\']?([^"\'\\n<>{}[\\]]{6,120})',
  'gi',
);
/** What has an address of another kind: of a machine, of memory, of a letter box. */
const OF_MACHINE = new RegExp(
  '(?:mail|ip|ipv[46]|mac|web|wallet|contract|token|memory|base|start|end|host|server|client|' +
    'bind|listen|remote|local|peer|dns|url|api|return|physical|virtual|load)[ _-]?$',
  'i',
);
const OF_MACHINE_REACH = 12;
/** A word, and a number of a house that no other number, dot or colon touches. */
const STREET_WORD = /\p{L}{3}/u;
const HOUSE_NUMBER =
  /(?<![\w.:@/-])\d{1,4}(?:\p{L}(?!\p{L}))?(?:\s?[-/]\s?\d{1,4}\p{L}?)?(?![\w.:@%])/u;
/** Where a text goes on behind an address that nothing quotes. */
const NEXT_SENTENCE = /(?<=\d|\p{L}{4})[.!?]\s{1,3}(?=\p{Lu})/u;
const NO_STREET = /[@=()$;]|:\/\/|::|\b0x/;

function isStreet(value: string): boolean {
  return STREET_WORD.test(value) && HOUSE_NUMBER.test(value) && !NO_STREET.test(value);
}

/** Addresses in any script that fields of a record name; only the name says so. */
export function detectAddressValues(text: string): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(ADDRESS_FIELD)) {
    const [whole, written = ''] = match;
    const before = text.slice(Math.max(0, match.index - OF_MACHINE_REACH), match.index);
    const value = (written.split(NEXT_SENTENCE, 1)[0] ?? '').replace(/[\s,.]+$/, '');
    if (OF_MACHINE.test(before) || !isStreet(value)) continue;
    const start = match.index + whole.length - written.length;
    const end = start + value.length;
    found.push({ class: 'postal_address', start, end, confidence: 'suspected' });
  }
  return found;
}

/** The first of an ordered list that begins behind a place and near it. */
function nearBehind(list: readonly Finding[], from: number, { end }: Finding): number {
  let at = from;
  while (at < list.length && (list[at]?.start ?? 0) < end) at += 1;
  return at;
}

/** An address down to the flat in fields for the street, the house and the flat. */
export function detectAddressFields(text: string): Finding[] {
  const streets = findingsOf('postal_address', text, STREETS, 'confirmed');
  if (streets.length === 0) return [];
  const houses = findingsOf('postal_address', text, HOUSES, 'confirmed');
  const flats = findingsOf('postal_address', text, FLATS, 'confirmed');
  const found: Finding[] = [];
  let house = 0;
  let flat = 0;
  for (const street of streets) {
    house = nearBehind(houses, house, street);
    const number = houses[house];
    if (!number || number.start - street.end > APART_MAX) continue;
    flat = nearBehind(flats, flat, number);
    const door = flats[flat];
    if (!door || door.start - number.end > APART_MAX) continue;
    found.push(street, number, door);
  }
  return found;
}

/** Parts of the names of people, each in a field. */
export function detectNameFields(text: string): Finding[] {
  return findingsOf('person_name', text, NAMES, 'suspected');
}
