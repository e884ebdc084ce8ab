/** What a value says in numbers: JSON numbers, and those that its texts write. */
export interface WrittenNumber {
  /**
   * What it can mean, exactly: decimals with their sign and without needless zeros. Nothing for a
   * date or a number of another form.
   */
  readonly amounts: readonly string[];
  /** The day of the calendar that it can mean. */
  readonly day?: WrittenDay;
  /** What it is as a part of a date, such as `15` or `5.2027`; a JSON number is none. */
  readonly part?: string;
  /** How it is written, where it is no amount, as `192.168.1.1` and the number of an account. */
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
  { pattern: /^(?:тыс|thousand)/i, zeros: 3 },
  { pattern: /^(?:млн|миллион|million)/i, zeros: 6 },
  { pattern: /^(?:млрд|миллиард|billion)/i, zeros: 9 },
] as const;
const SCALE =
  `(?:${SPACE}?((?:тыс|тысяч|млн|миллион|млрд|миллиард)[а-я]{0,3}|` +
  `(?:thousand|million|billion)s?)${WORD_END})?`;
/** Groups of three digits by spaces, points or commas; else digits with points or commas. */
const DIGITS =
  `\\d{1,3}(?:${SPACE}\\d{3})+(?!\\d)(?:[.,]\\d+)?` +
  '|\\d{1,3}(?:\\.\\d{3})+(?![\\d.])(?:,\\d+)?|\\d{1,3}(?:,\\d{3})+(?![\\d,])(?:\\.\\d+)?' +
  '|\\d+(?:[.,]\\d+)*';
/** A minus stands before its number and not between two, as in `5-7`, nor within `ИНВ-7`. */
const SIGN =
  `(?:(?<![\\p{L}\\p{N}№#)\\]%/._-])(?<![\\d%]${SPACE})([-−])|` +
  `(?<!\\p{L})(минус|minus)${SPACE}+)?`;
const NUMBER = new RegExp(`${SIGN}(?<!\\d)(${DIGITS})${SCALE}`, 'giu');
const WORD_NUMBER = new RegExp(
  `${SIGN}(?<![\\p{L}\\p{N}])(${[...VALUE_OF_WORD.keys()].join('|')})${WORD_END}${SCALE}`,
  'giu',
);

/** Longer whole numbers name something, as those of accounts do. */
const AMOUNT_DIGITS_MAX = 15;

/** A decimal as it is compared: its digits, multiplied by a power of ten without rounding. */
function decimal(sign: string, whole: string, decimals = '', zeros = 0): string {
  const shifted = whole + decimals.slice(0, zeros).padEnd(zeros, '0');
  const before = shifted.replace(/^0+/, '') || '0';
  const after = decimals.slice(zeros).replace(/0+$/, '');
  const text = after === '' ? before : `${before}.${after}`;
  return text === '0' ? text : `${sign}${text}`;
}

/**
 * Every number of a value. Dates count as such, and so do amounts with `тыс.`, `млн` and `млрд`.
 * Number words from one to twelve count where it is asked for.
 */
export function numbersIn(value: unknown, withWords: boolean): WrittenNumber[] {
  if (typeof value === 'number') return [numberOfJson(value)];
  if (typeof value === 'string') return numbersOfText(value, withWords);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) => numbersIn(member, withWords));
}

function numberOfJson(value: number): WrittenNumber {
  const sign = value < 0 ? '-' : '';
  const [digits = '', power = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', decimals = ''] = digits.split('.');
  const zeros = Number(power);
  if (zeros < 0)
    return { amounts: [decimal(sign, '0', '0'.repeat(-zeros - 1) + whole + decimals)] };
  const amount = decimal(sign, whole, decimals, zeros);
  const isLong = Number.isInteger(value) && amount.length - sign.length > AMOUNT_DIGITS_MAX;
  return isLong ? { amounts: [], literal: amount } : { amounts: [amount] };
}

function numbersOfText(text: string, withWords: boolean): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  let rest = text.replaceAll('ё', 'е').replaceAll('Ё', 'Е');
  for (const { pattern, at } of DATE_FORMS) {
    rest = rest.replaceAll(pattern, (written: string, ...groups: unknown[]) => {
      const [day, month, year] = at.map((place) => groups[place - 1] as string | undefined);
      const named = dayOf(day, month, year);
      if (!named) return written;
      found.push({ amounts: [], day: named });
      return ' ; ';
    });
  }
  const numbers = [...rest.matchAll(NUMBER)].map(([, minus, word, digits = '', scale]) =>
    numberOf(minus || word ? '-' : '', digits, zerosOf(scale)),
  );
  if (!withWords) return [...found, ...numbers];
  const words = [...rest.matchAll(WORD_NUMBER)].map(([, minus, before, word = '', scale]) => {
    const digits = String(VALUE_OF_WORD.get(word.toLowerCase()) ?? 0);
    return { amounts: [decimal(minus || before ? '-' : '', digits, '', zerosOf(scale))] };
  });
  return [...found, ...numbers, ...words];
}

function zerosOf(scale: string | undefined): number {
  return SCALES.find(({ pattern }) => pattern.test(scale ?? ''))?.zeros ?? 0;
}

/** `12.000` is twelve thousand, or twelve: what may be either counts as both. */
function numberOf(sign: string, written: string, zeros: number): WrittenNumber {
  const digits = written.replaceAll(/[^\d.,]/g, '');
  const marks = digits.replaceAll(/\d/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const whole = digits.replaceAll(/\D/g, '');
  if (marks === '') return wholeNumber(sign, whole, zeros);
  const decimals = digits.slice(last + 1);
  const before = digits.slice(0, last).replaceAll(/\D/g, '');
  const isGrouped = /^\d{1,3}(?:\.\d{3})+$|^\d{1,3}(?:,\d{3})+$/.test(digits);
  // Points between numbers of any length are those of an address or a version.
  const isAmount = marks.length === 1 || new Set(marks).size === 2;
  const amounts = [
    ...(isAmount ? [decimal(sign, before, decimals, zeros)] : []),
    ...(isGrouped ? [decimal(sign, whole, '', zeros)] : []),
  ];
  if (amounts.length === 0) return { amounts, literal: digits };
  const day = /^\d\d\.\d\d$/.test(digits) ? dayOf(before, decimals, undefined) : undefined;
  const isOfYear = /^\d\d\.\d{4}$/.test(digits);
  return {
    amounts,
    ...(isOfYear ? { part: `${Number(before)}.${decimals}` } : {}),
    ...(day ? { day } : {}),
  };
}

function wholeNumber(sign: string, digits: string, zeros: number): WrittenNumber {
  const isLong = digits.length > AMOUNT_DIGITS_MAX && zeros === 0;
  if (isLong) return { amounts: [], literal: sign + digits };
  const part = sign === '' ? { part: String(Number(digits)) } : {};
  return { amounts: [decimal(sign, digits, '', zeros)], ...part };
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
  readonly #amounts: ReadonlySet<string>;
  readonly #parts = new Set<string>();
  readonly #days = new Set<string>();
  readonly #literals: ReadonlySet<string | undefined>;

  constructor(source: unknown) {
    const numbers = numbersIn(source, true);
    this.#amounts = new Set(numbers.flatMap((each) => each.amounts));
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
  has({ amounts, day: date, part, literal }: WrittenNumber): boolean {
    if (literal !== undefined) return this.#literals.has(literal);
    if (amounts.some((amount) => this.#amounts.has(amount))) return true;
    if (part !== undefined && this.#parts.has(part)) return true;
    return date !== undefined && this.#hasDay(date);
  }

  #hasDay({ day, month, year }: WrittenDay): boolean {
    if (year === null) return this.#parts.has(`${day}.${month}`);
    if (this.#days.has(`${day}.${month}.${year}`)) return true;
    const isYearWritten = this.#parts.has(String(year)) || this.#amounts.has(String(year));
    return isYearWritten && this.#days.has(`${day}.${month}.`);
  }
}
