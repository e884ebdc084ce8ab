import { bankPair, type Dice, grouped, inn10, inn12, luhn, ogrn, snils } from '../values.js';

/** How people write numbers and plates. Each takes dice and gives one spelling of a valid value. */

export function between(dice: Dice, least: number, most: number): number {
  return least + dice.roll(most - least + 1);
}

const two = (number: number) => String(number).padStart(2, '0');

/** Digits in groups, with one mark between all of them. */
function inGroups(dice: Dice, digits: string, shapes: readonly number[][], marks: string[]) {
  return grouped(digits, dice.pick(shapes), dice.pick(marks));
}

export function passportForm(dice: Dice): string {
  const region = dice.pick(['45', '40', '03', '92', '65', '18', '91', '57']);
  const year = two(dice.pick([0, 4, 8, 11, 14, 17, 20, 23]));
  const number = between(dice, 100_000, 999_999);
  const series = dice.pick([`${region}${year}`, `${region}${year}`, `${region} ${year}`]);
  return dice.pick([
    `${series} ${number}`,
    `${series}-${number}`,
    `${series}№${number}`,
    `${series} № ${number}`,
    `${series} - ${number}`,
    `${series}/${number}`,
    `${series}, ${number}`,
    `${series} номер ${number}`,
    `${series}, номер ${number}`,
    `${series} N${number}`,
    `${series} ном. ${number}`,
    `${region}${year}${number}`,
    `${region}-${year} ${number}`,
  ]);
}

export function abroadForm(dice: Dice): string {
  const series = dice.pick(['70', '71', '72', '73', '75', '64', '53']);
  const number = between(dice, 1_000_000, 9_999_999);
  const gap = dice.pick([' ', ' ', '', ' № ', '№', '-', ' номер ', ' N ']);
  return `${series}${gap}${number}`;
}

export function licenceForm(dice: Dice): string {
  const [first, second] = [dice.pick(['77', '99', '50', '16', '02']), two(between(dice, 1, 36))];
  const number = between(dice, 100_000, 999_999);
  return dice.pick([
    `${first} ${second} ${number}`,
    `${first}${second} ${number}`,
    `${first}${second}${number}`,
    `${first} ${second} № ${number}`,
    `${first}${second}-${number}`,
    `${first}${second} номер ${number}`,
    `${first} ${dice.pick(['АВ', 'ОУ', 'ЕК', 'ТН'])} ${number}`,
  ]);
}

export function policyForm(dice: Dice): string {
  const digits = luhn(dice.pick(['77', '50', '16', '54', '61', '23']) + dice.digits(13));
  return inGroups(dice, digits, [[16], [4, 4, 4, 4], [4, 4, 4, 4]], [' ', ' ', '-']);
}

export function snilsForm(dice: Dice): string {
  const digits = snils(dice);
  const head = grouped(digits.slice(0, 9), [3, 3, 3], '-');
  return dice.pick([
    `${head} ${digits.slice(9)}`,
    `${head} ${digits.slice(9)}`,
    `${head}-${digits.slice(9)}`,
    grouped(digits, [3, 3, 3, 2], ' '),
    digits,
  ]);
}

export function innForm(dice: Dice): string {
  if (dice.roll(3) === 0) {
    return inGroups(dice, inn12(dice), [[12], [12], [4, 4, 4], [2, 2, 6, 2]], [' ', '-']);
  }
  return inGroups(dice, inn10(dice), [[10], [10], [10], [4, 6], [2, 2, 5, 1], [5, 5]], [' ', '-']);
}

export function ogrnForm(dice: Dice): string {
  if (dice.roll(3) === 0) return ogrn(dice, 15);
  return inGroups(dice, ogrn(dice, 13), [[13], [13], [13], [1, 2, 2, 7, 1], [1, 2, 4, 6]], [' ']);
}

export function kppForm(dice: Dice): string {
  const office = dice.pick(['7701', '7838', '5029', '6670', '1650', '2310', '5402']);
  return `${office}${dice.pick(['01', '43', '50', '44', '45'])}${dice.pick(['001', '002', '010'])}`;
}

export function cardForm(dice: Dice): string {
  if (dice.roll(8) === 0) return grouped(luhn(`37${dice.digits(12)}`), [4, 6, 5], ' ');
  const head = dice.pick(['2202', '2204', '4081', '4278', '5336', '5536', '5112', '4627']);
  const digits = luhn(head + dice.digits(11));
  return inGroups(dice, digits, [[16], [4, 4, 4, 4], [4, 4, 4, 4]], [' ', ' ', '-', '.', '  ']);
}

/** The account, and the words of its bank, without which it has no checksum. */
export function accountForm(dice: Dice): { readonly value: string; readonly bic: string } {
  const { bic, account } = bankPair(dice);
  const shapes = [[20], [20], [20], [5, 3, 1, 11], [5, 3, 1, 4, 7], [4, 4, 4, 4, 4]];
  return { value: inGroups(dice, account, shapes, [' ', '.']), bic };
}

const IBAN_BANKS = [
  ['DE', '', 18],
  ['GB', 'NWBK', 14],
  ['KZ', '125KZT', 10],
  ['LT', '', 16],
  ['NL', 'INGB', 10],
] as const;

export function ibanForm(dice: Dice): string {
  const [country, bank, size] = dice.pick(IBAN_BANKS);
  const body = bank + dice.digits(size);
  const turned = [...`${body}${country}00`].map((each) => Number.parseInt(each, 36)).join('');
  const check = two(98 - Number(BigInt(turned) % 97n));
  const whole = `${country}${check}${body}`;
  return dice.roll(2) === 0 ? whole : (whole.match(/.{1,4}/g) ?? []).join(' ');
}

export function phoneForm(dice: Dice): string {
  const code = dice.pick(['905', '911', '952', '977', '999', '499', '831', '383', '861', '342']);
  const rest = dice.digits(7);
  const [a, b, c] = [rest.slice(0, 3), rest.slice(3, 5), rest.slice(5)];
  return dice.pick([
    `+7${code}${rest}`,
    `8${code}${rest}`,
    `+7 ${code} ${a} ${b} ${c}`,
    `8 ${code} ${a}-${b}-${c}`,
    `8(${code})${a}${b}${c}`,
    `+7 (${code}) ${a} ${b} ${c}`,
    `8-${code}-${a}-${b}${c}`,
    `8 ${code} ${a} ${b}${c}`,
    `+7${code} ${a}-${b}-${c}`,
    `${code} ${a}-${b}-${c}`,
    `(${code}) ${a}-${b}-${c}`,
    `7 ${code} ${rest}`,
    `+375 29 ${a} ${b} ${c}`,
    `+49 151 ${dice.digits(8)}`,
  ]);
}

const MONTHS = ['января', 'февраля', 'марта', 'апреля', 'мая', 'июня', 'июля', 'августа'].concat([
  ...['сентября', 'октября', 'ноября', 'декабря'],
]);

export function birthForm(dice: Dice): string {
  const [day, month, year] = [
    between(dice, 1, 28),
    between(dice, 1, 12),
    between(dice, 1946, 2012),
  ];
  return dice.pick([
    `${two(day)}.${two(month)}.${year}`,
    `${two(day)}.${two(month)}.${year}`,
    `${two(day)}/${two(month)}/${year}`,
    `${two(day)}-${two(month)}-${year}`,
    `${year}-${two(month)}-${two(day)}`,
    `${day} ${MONTHS[month - 1]} ${year}`,
    `${two(day)} ${two(month)} ${year}`,
    `${two(day)}.${two(month)}.${two(year % 100)}`,
  ]);
}

const ALIKE = new Map([...'АВЕКМНОРСТУХ'].map((each, at) => [each, 'ABEKMHOPCTYX'.charAt(at)]));

export function plateForm(dice: Dice): string {
  const letter = () => dice.pick([...'АВЕКМНОРСТУХ']);
  const number = `${between(dice, 1, 9)}${dice.digits(2)}`;
  const region = dice.pick(['77', '197', '50', '178', '16', '66', '777', '123', '02']);
  const [first, rest] = [letter(), letter() + letter()];
  const latin = (text: string) => text.replace(/[А-Я]/g, (each) => ALIKE.get(each) ?? each);
  return dice.pick([
    `${first}${number}${rest}${region}`,
    `${first}${number}${rest}${region}`,
    `${first} ${number} ${rest} ${region}`,
    `${first}${number}${rest} ${region}`,
    latin(`${first}${number}${rest}${region}`),
    `${first}${number}${rest}${region}`.toLowerCase(),
    `${latin(`${first}${number}${rest}`)} ${region} RUS`,
  ]);
}
