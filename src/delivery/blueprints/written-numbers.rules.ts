/** What a value says in numbers: JSON numbers, and those that its texts write. */
export interface WrittenNumber {
  /** What it can mean, in whole hundredths; nothing for a date or a number of another form. */
  readonly hundredths: readonly number[];
  /** The day of the calendar that it can mean. */
  readonly day?: WrittenDay;
  /** What it is as a part of a date, such as `15` or `5.2027`; a JSON number is none. */
  readonly part?: string;
  /** How it is written, where it is no amount, as `192.168.1.1` is none. */
  readonly literal?: string;
}

interface WrittenDay {
  readonly day: number;
  readonly month: number;
  readonly year: number | null;
}

const SPACE = '[ \\u00a0\\u2009\\u202f]';
const WORD_END = '(?![\\p{L}\\p{N}])';
const MONTHS = [
  'январ[ьяе]|january|jan',
  'феврал[ьяе]|february|feb',
  'март[ае]?|march|mar',
  'апрел[ьяе]|april|apr',
  'ма[йяе]|may',
  'июн[ьяе]|june|jun',
  'июл[ьяе]|july|jul',
  'август[ае]?|august|aug',
  'сентябр[ьяе]|september|sept?',
  'октябр[ьяе]|october|oct',
  'ноябр[ьяе]|november|nov',
  'декабр[ьяе]|december|dec',
] as const;
const MONTH_NAMES = MONTHS.map((names) => new RegExp(`^(?:${names})$`, 'iu'));
const MONTH = `(${MONTHS.join('|')})${WORD_END}`;
const YEAR = `(?:,?${SPACE}+(\\d{4})(?!\\d))?`;

/** The forms of dates, each with the places of day, month and year among its groups. */
const DATE_FORMS = [
  { pattern: /(?<![\d.])(\d\d?)[./](\d\d?)[./](\d{4}|\d\d)(?![\d]|[./]\d)/gu, at: [1, 2, 3] },
  { pattern: /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/gu, at: [3, 2, 1] },
  {
    pattern: new RegExp(
      `(?<!\\d)(\\d\\d?)(?:-?(?:го|е|th|st|nd|rd))?${SPACE}+${MONTH}${YEAR}`,
      'giu',
    ),
    at: [1, 2, 3],
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${MONTH}${SPACE}+(\\d\\d?)(?!\\d)${YEAR}`, 'giu'),
    at: [2, 1, 3],
  },
] as const;

/** Inflected forms of the number words from one to twelve, with `е` for `ё`. */
const NUMBER_WORDS = [
  'один одна одно одного одной одну одному одним one',
  'два две двух двум двумя two',
  'три трех трем тремя three',
  'четыре четырех четырем четырьмя four',
  'пять пяти пятью five',
  'шесть шести шестью six',
  'семь семи seven',
  'восемь восьми восемью eight',
  'девять девяти девятью nine',
  'десять десяти десятью ten',
  'одиннадцать одиннадцати eleven',
  'двенадцать двенадцати twelve',
];
const VALUE_OF_WORD: ReadonlyMap<string, number> = new Map(
  NUMBER_WORDS.flatMap((words, index) =>
    words.split(' ').map((word) => [word, index + 1] as const),
  ),
);

const SCALES = [
  { pattern: /^(?:тыс|thousand)/i, factor: 1_000 },
  { pattern: /^(?:млн|миллион|million)/i, factor: 1_000_000 },
  { pattern: /^(?:млрд|миллиард|billion)/i, factor: 1_000_000_000 },
] as const;
const SCALE =
  `(?:${SPACE}?((?:тыс|тысяч|млн|миллион|млрд|миллиард)[а-я]{0,3}|` +
  `(?:thousand|million|billion)s?)${WORD_END})?`;
/** Groups of three digits by spaces, points or commas; else digits with points or commas. */
const DIGITS =
  `\\d{1,3}(?:${SPACE}\\d{3})+(?!\\d)(?:[.,]\\d+)?` +
  '|\\d{1,3}(?:\\.\\d{3})+(?![\\d.])(?:,\\d+)?|\\d{1,3}(?:,\\d{3})+(?![\\d,])(?:\\.\\d+)?' +
  '|\\d+(?:[.,]\\d+)*';
const NUMBER = new RegExp(`(?<!\\d)(${DIGITS})${SCALE}`, 'giu');
const WORD_NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}])(${[...VALUE_OF_WORD.keys()].join('|')})${WORD_END}${SCALE}`,
  'giu',
);

/** Amounts are compared in whole hundredths. */
function hundredths(value: number): number {
  return Math.round(value * 100);
}

/**
 * Every number of a value. Dates count as such, and so do amounts with `тыс.`, `млн` and `млрд`.
 * Number words from one to twelve count where it is asked for.
 */
export function numbersIn(value: unknown, withWords: boolean): WrittenNumber[] {
  if (typeof value === 'number') return [{ hundredths: [hundredths(value)] }];
  if (typeof value === 'string') return numbersOfText(value, withWords);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) => numbersIn(member, withWords));
}

function numbersOfText(text: string, withWords: boolean): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  let rest = text.replaceAll('ё', 'е').replaceAll('Ё', 'Е');
  for (const { pattern, at } of DATE_FORMS) {
    rest = rest.replaceAll(pattern, (written: string, ...groups: unknown[]) => {
      const [day, month, year] = at.map((place) => groups[place - 1] as string | undefined);
      const named = dayOf(day, month, year);
      if (!named) return written;
      found.push({ hundredths: [], day: named });
      return ' ; ';
    });
  }
  const numbers = [...rest.matchAll(NUMBER)].map(([, digits = '', scale]) =>
    numberOf(digits, factorOf(scale)),
  );
  if (!withWords) return [...found, ...numbers];
  const words = [...rest.matchAll(WORD_NUMBER)].map(([, word = '', scale]) => ({
    hundredths: [hundredths((VALUE_OF_WORD.get(word.toLowerCase()) ?? 0) * factorOf(scale))],
  }));
  return [...found, ...numbers, ...words];
}

function factorOf(scale: string | undefined): number {
  return SCALES.find(({ pattern }) => pattern.test(scale ?? ''))?.factor ?? 1;
}

/** `12.000` is twelve thousand, or twelve: what may be either counts as both. */
function numberOf(written: string, factor: number): WrittenNumber {
  const digits = written.replaceAll(/[^\d.,]/g, '');
  const marks = digits.replaceAll(/\d/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const whole = Number(digits.replaceAll(/\D/g, ''));
  if (marks === '') return { hundredths: [hundredths(whole * factor)], part: String(whole) };
  const decimals = digits.slice(last + 1);
  const before = digits.slice(0, last).replaceAll(/\D/g, '');
  const parted = Number(`${before}.${decimals}`);
  const isGrouped = /^\d{1,3}(?:\.\d{3})+$|^\d{1,3}(?:,\d{3})+$/.test(digits);
  // Points between numbers of any length are those of an address or a version.
  const isAmount = marks.length === 1 || new Set(marks).size === 2;
  const readings = [...(isAmount ? [parted] : []), ...(isGrouped ? [whole] : [])];
  if (readings.length === 0) return { hundredths: [], literal: digits };
  const day = /^\d\d\.\d\d$/.test(digits) ? dayOf(before, decimals, undefined) : undefined;
  const isOfYear = /^\d\d\.\d{4}$/.test(digits);
  return {
    hundredths: readings.map((reading) => hundredths(reading * factor)),
    ...(isOfYear ? { part: `${Number(before)}.${decimals}` } : {}),
    ...(day ? { day } : {}),
  };
}

function dayOf(
  day: string | undefined,
  month: string | undefined,
  year: string | undefined,
): WrittenDay | undefined {
  const at = { day: Number(day), month: monthOf(month ?? '') };
  if (!(at.day >= 1 && at.day <= 31 && at.month >= 1 && at.month <= 12)) return undefined;
  if (year === undefined) return { ...at, year: null };
  return { ...at, year: Number(year) + (year.length === 2 ? 2_000 : 0) };
}

function monthOf(written: string): number {
  if (/^\d+$/.test(written)) return Number(written);
  return MONTH_NAMES.findIndex((name) => name.test(written)) + 1;
}

/** The numbers of a source, to be asked for one by one. */
export class NumberSource {
  readonly #hundredths: ReadonlySet<number>;
  readonly #parts = new Set<string>();
  readonly #days = new Set<string>();
  readonly #literals: ReadonlySet<string | undefined>;

  constructor(source: unknown) {
    const numbers = numbersIn(source, true);
    this.#hundredths = new Set(numbers.flatMap((each) => each.hundredths));
    this.#literals = new Set(numbers.map(({ literal }) => literal));
    for (const { day: date } of numbers) {
      if (!date) continue;
      const { day, month, year } = date;
      for (const part of [day, month, `${day}.${month}`]) this.#parts.add(String(part));
      this.#days.add(`${day}.${month}.${year ?? ''}`);
      if (year === null) continue;
      for (const part of [year, `${month}.${year}`]) this.#parts.add(String(part));
    }
  }

  /** Whether the source writes the number, as an amount, as a date or as a part of a date. */
  has({ hundredths: readings, day: date, part, literal }: WrittenNumber): boolean {
    if (literal !== undefined) return this.#literals.has(literal);
    if (readings.some((reading) => this.#hundredths.has(reading))) return true;
    if (part !== undefined && this.#parts.has(part)) return true;
    return date !== undefined && this.#hasDay(date);
  }

  #hasDay({ day, month, year }: WrittenDay): boolean {
    if (year === null) return this.#parts.has(`${day}.${month}`);
    if (this.#days.has(`${day}.${month}.${year}`)) return true;
    const isYearWritten = this.#parts.has(String(year)) || this.#hundredths.has(year * 100);
    return isYearWritten && this.#days.has(`${day}.${month}.`);
  }
}
