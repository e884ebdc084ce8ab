import { type Finding, findingsOf } from '../finding.js';
import { withLookAlikes, withoutLookAlikes, withSpaces } from '../look-alikes.js';
import { isSlipOf } from '../mistyped.js';
import { WORDS } from '../words.js';

/** Stems of patronymics in -ич and -ична, which no other word has in this place. */
const SHORT_STEMS = 'Иль|Лук|Фом|Кузьм|Никит|Савв';
const MALE_ENDS = '(?:|а|у|ем|е)';
const FEMALE_ENDS = '(?:а|ы|е|у|ой|ою)';
const TAIL = `[а-яё]{1,14}(?:(?:ович|евич|льич)${MALE_ENDS}|(?:овн|евн|иничн)${FEMALE_ENDS})`;
const CAPITALS_TAIL =
  '[А-ЯЁ]{0,14}(?:(?:ОВИЧ|ЕВИЧ|ЛЬИЧ)(?:|А|У|ЕМ|Е)|(?:ОВН|ЕВН|ИНИЧН)(?:А|Ы|Е|У|ОЙ|ОЮ))';
const PATRONYMIC =
  `(?:(?:${SHORT_STEMS})(?:ич${MALE_ENDS}|(?:ичн|иничн)${FEMALE_ENDS})|` +
  `(?:${SHORT_STEMS.toUpperCase()})(?:ИЧ(?:|А|У|ЕМ|Е)|ИЧН(?:А|Ы|Е|У|ОЙ|ОЮ))|` +
  `[А-ЯЁ]${TAIL}|[А-ЯЁ]${CAPITALS_TAIL})`;
const TURKIC = '[А-ЯЁ][а-яё]{1,14}[ -](?:оглы|кызы|Оглы|Кызы)';
const WORD = '[А-ЯЁ](?:[а-яё]{1,20}|[А-ЯЁ]{1,20})(?:-[А-ЯЁ](?:[а-яё]{1,20}|[А-ЯЁ]{1,20}))?';
/** Lines of a letter break anywhere, but a name has no empty line in it; files have `_`. */
const GAP = '(?:[ \\t]{1,3}|_|[ \\t]?\\r?\\n[ \\t]{0,8})';
const NAMED = new RegExp(
  `(?<![А-Яа-яЁё-])(?:(${WORD})${GAP})?(${WORD})${GAP}(?:${PATRONYMIC}|${TURKIC})` +
    '(?![A-Za-zА-Яа-яЁё-])',
  'g',
);
const SURNAME_BEHIND = new RegExp(`${GAP}(${WORD})(?![А-Яа-яЁё])`, 'y');

/**
 * Endings of Russian surnames with their cases. A surname behind a patronymic must have one, since
 * any word with a capital may stand there; before a first name everything but a title counts.
 */
const SURNAME = new RegExp(
  '(?:[оеё]в|[иы]н|ск|цк|енк|ченк|[юуя]к|ак|ян|дзе|швили|ых|их|ер|ман|ец|ич|ко|ль|ба|га|ша)' +
    '(?:|а|у|ым|им|е|ой|ую|ого|его|ому|ему|ом|ий|ая|ый|о)$',
  'i',
);
/** Words with a capital that stand before names: titles, roles, and how letters begin. */
const TITLE = new RegExp(
  `^(?:(?:${WORDS.titles.stems.join('|')})[а-яё]{0,8}|(?:${WORDS.titles.words.join('|')}))$`,
  'i',
);

function isTitle(word: string): boolean {
  return TITLE.test(word);
}

/** A first name is no title either: «Директор Ивановна» is nobody. */
function nameFinding(text: string, match: RegExpExecArray): Finding | undefined {
  const [whole, before, first = ''] = match;
  if (isTitle(first)) return undefined;
  const end = match.index + whole.length;
  const behind = surnameBehind(text, end);
  const hasTitle = before === undefined || isTitle(before);
  // «Письмо Петру Ильичу Чайковскому»: a form of surnames behind is worth more than a capital.
  const isInFront = !hasTitle && (behind === undefined || SURNAME.test(before));
  const start = isInFront || before === undefined ? match.index : startOf(match, before);
  return {
    class: 'person_name',
    start,
    end: isInFront ? end : end + (behind?.length ?? 0),
    confidence: isInFront || behind !== undefined ? 'confirmed' : 'suspected',
  };
}

/** The surname that follows a patronymic, with the space in front of it. */
function surnameBehind(text: string, place: number): string | undefined {
  SURNAME_BEHIND.lastIndex = place;
  const behind = SURNAME_BEHIND.exec(text);
  const isSurname = behind?.[1] && SURNAME.test(behind[1]) && !isTitle(behind[1]);
  return isSurname ? behind[0] : undefined;
}

function startOf(match: RegExpExecArray, before: string): number {
  const rest = match[0].slice(before.length);
  return match.index + before.length + (rest.length - rest.trimStart().length);
}

/** Names of persons with their patronymics. */
export function detectNames(text: string): Finding[] {
  return [...text.matchAll(NAMED)].flatMap((match) => nameFinding(text, match) ?? []);
}

const MONTHS =
  'январ[ья]|феврал[ья]|марта?|апрел[ья]|ма[йя]|июн[ья]|июл[ья]|августа?|сентябр[ья]|' +
  'октябр[ья]|ноябр[ья]|декабр[ья]';
const ENGLISH_MONTHS =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|' +
  'sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const YEAR = '(?:1[89]\\d{2}|20\\d{2})';
const DATE = [
  `${DAY} ?[./-] ?${MONTH} ?[./-] ?(?:${YEAR}|\\d{2}(?!\\d))`,
  `${DAY}\\s{1,2}${MONTH}\\s{1,2}${YEAR}`,
  `${YEAR}[./-]${MONTH}[./-]${DAY}`,
  `[«"]?${DAY}[»"]?\\s{1,2}(?:${MONTHS})\\s{1,2}${YEAR}`,
  `${DAY}(?:st|nd|rd|th)? (?:${ENGLISH_MONTHS})\\.?,? ${YEAR}`,
  `(?:${ENGLISH_MONTHS})\\.? ${DAY}(?:st|nd|rd|th)?,? ${YEAR}`,
].join('|');
/** Of a person and not of a company: «день рождения компании». */
const NOT_OF_A_FIRM =
  '(?! (?:компани|фирм|организаци|проект|бренд|магазин|сайт|сервис|завод|банк))';
const NO_FIRM_BORN =
  '(?<!(?:компани|проект|фирм|иде|бренд|команд|сервис|стартап|групп)[а-яё]{0,2} )';
const LABEL_BEFORE = [
  `дат[аыуе]й? рождения${NOT_OF_A_FIRM}`,
  `день рождения${NOT_OF_A_FIRM}`,
  `${NO_FIRM_BORN}родил(?:ся|ась|ись)`,
  'рожд(?:[её]н|ена)(?![а-яё])',
  'рожд\\.',
  'д\\. ?р\\.',
  'др(?<!и др)(?![а-яё])\\.?',
  'д/р(?![а-яё])',
  'date of birth',
  'birth ?date',
  'birth[_-]?date',
  'birthday',
  'date_of_birth',
  'born(?: on)?',
  'dob(?![a-z])',
].join('|');
const BETWEEN = `["')]{0,2}(?:[^\\d\\n.!?]{0,24}|\\s{0,3}[:=.|—–-]\\s{0,3})["'(]?`;
const LABELLED = new RegExp(
  `(?<![а-яёa-z])(?:${withSpaces(withLookAlikes(LABEL_BEFORE))})${BETWEEN}(?<![\\d.])(${DATE})` +
    '(?![\\d]|\\.\\d)',
  'giu',
);
const LABEL_BEHIND =
  ' ?(?:г\\. ?р(?:\\.|(?![а-яё]))|г/р|года? (?:рождения|рожд\\.)|г\\. ?рождения|рождения)|' +
  ',? ?\\((?:дата рождения|д\\. ?р\\.)\\)';
/** What may also be grams stands behind a whole date only. */
const LABEL_BEHIND_DATE = ' ?г\\.? ?р(?![а-яё])';
const BEHIND = new RegExp(
  `(?<![\\d.])((?:${DATE})(?=${withLookAlikes(`${LABEL_BEHIND}|${LABEL_BEHIND_DATE}`)})|` +
    `${YEAR}(?=${withLookAlikes(LABEL_BEHIND)}))`,
  'giu',
);
/** Without one of these words no date is labelled before it, and without the other not behind. */
const BIRTH_WORD = new RegExp(
  withLookAlikes('рожд|родил|д\\.\\s{0,3}р|д/р|(?<![а-яё])др(?![а-яё])|birth|born|dob'),
  'i',
);
const BEHIND_A_DIGIT = new RegExp(
  `\\d(?=${withLookAlikes(`${LABEL_BEHIND}|${LABEL_BEHIND_DATE}`)})`,
  'iu',
);
const DATE_BY_NUMBERS = /(?<![\d.])\d{1,4}[./ -]\d{1,2}[./ -]\d{2,4}(?!\d|\.\d)/g;
const WHOLE_DATE = new RegExp(`^(?:${DATE})$`, 'iu');
/** How words for a birth begin. */
const RUSSIAN_BIRTHS = ['ро', 'Ро', 'РО'];
const LABEL_REACH = 24;

/** True where a word for a birth with a slip in it stands shortly before a place. */
function isMistypedBirth(text: string, start: number): boolean {
  const before = withoutLookAlikes(
    text.slice(Math.max(0, start - LABEL_REACH), start).toLowerCase(),
  );
  if (/[.!?\n\d]/.test(before.trimEnd().slice(0, -1))) return false;
  if (/(?<![а-яё])рожд(?!ест)[а-яё]{0,6}[^а-яё]*$/.test(before)) return true;
  return [...before.matchAll(/(?<![а-яё])ро[а-яё]{4}/g)].some(({ index }) =>
    WORDS.births.some((stem) => isSlipOf(stem, before, index)),
  );
}

function whereMistyped(value: string, text: string, start: number) {
  return WHOLE_DATE.test(value) && isMistypedBirth(text, start) ? 'confirmed' : undefined;
}

/** Dates of birth: a date is personal only as that, so a word must say so. */
export function detectBirths(text: string): Finding[] {
  return [
    ...(BIRTH_WORD.test(text) ? findingsOf('birth_date', text, LABELLED, 'confirmed') : []),
    ...(BEHIND_A_DIGIT.test(text) ? findingsOf('birth_date', text, BEHIND, 'confirmed') : []),
    ...(RUSSIAN_BIRTHS.some((head) => text.includes(head))
      ? findingsOf('birth_date', text, DATE_BY_NUMBERS, (value, start) =>
          whereMistyped(value, text, start),
        )
      : []),
  ];
}
