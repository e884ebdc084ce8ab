/** Valid values of each class from a seed, made from the published rules apart from the code. */

/** A repeatable source of numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 below `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * sides);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.roll(10)).join('');
  }
}

function sum(digits: string, weights: readonly number[]): number {
  return weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
}

const WEIGHTS = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

export function inn10(dice: Dice): string {
  const body = dice.pick(['77', '78', '50', '66', '16', '54']) + dice.digits(7);
  return body + ((sum(body, WEIGHTS.slice(2)) % 11) % 10);
}

export function inn12(dice: Dice): string {
  const body = dice.pick(['77', '50', '23', '61']) + dice.digits(8);
  const first = body + ((sum(body, WEIGHTS.slice(1)) % 11) % 10);
  return first + ((sum(first, WEIGHTS) % 11) % 10);
}

export function grouped(digits: string, sizes: readonly number[], mark: string): string {
  let from = 0;
  return sizes
    .map((size) => {
      from += size;
      return digits.slice(from - size, from);
    })
    .join(mark);
}

export function luhn(body: string): string {
  const total = [...body].reverse().reduce((running, character, index) => {
    const value = Number(character) * (index % 2 === 0 ? 2 : 1);
    return running + (value > 9 ? value - 9 : value);
  }, 0);
  return body + ((10 - (total % 10)) % 10);
}

export function snils(dice: Dice): string {
  const body = `1${dice.digits(8)}`;
  const rest = sum(body, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101;
  return body + String(rest === 100 ? 0 : rest).padStart(2, '0');
}

export function ogrn(dice: Dice, length: 13 | 15): string {
  const body =
    (length === 13 ? '1' : '3') + dice.pick(['02', '07', '15']) + dice.digits(length - 4);
  return body + String((BigInt(body) % BigInt(length - 2)) % 10n);
}

const BICS = ['044525225', '044030653', '046577674', '045004774'];

function account(dice: Dice, bic: string): string {
  const head = dice.pick(['40702', '40802', '40817']);
  const tail = dice.digits(11);
  const fits = (key: number) => {
    const keyed = `${bic.slice(6)}${head}810${key}${tail}`;
    const total = [...keyed].reduce(
      (running, digit, index) => running + ((Number(digit) * ([7, 1, 3][index % 3] ?? 0)) % 10),
      0,
    );
    return total % 10 === 0;
  };
  const key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find(fits) ?? 0;
  return `${head}810${key}${tail}`;
}

function phone(dice: Dice): string {
  const code = dice.pick(['903', '916', '926', '495', '812', '343', '985']);
  const rest = dice.digits(7);
  const [a, b, c] = [rest.slice(0, 3), rest.slice(3, 5), rest.slice(5)];
  return dice.pick([
    `+7${code}${rest}`,
    `+7 ${code} ${a}-${b}-${c}`,
    `+7 (${code}) ${a}-${b}-${c}`,
    `8 (${code}) ${a}-${b}-${c}`,
    `8 ${code} ${a} ${b} ${c}`,
    `8-${code}-${a}-${b}-${c}`,
    `+7-${code}-${a}${b}${c}`,
    `+7.${code}.${a}.${b}.${c}`,
  ]);
}

const LATIN = ['ivan', 'petrova', 'a.sidorov', 'o_kuznetsova', 'sales', 'buh-2', 'info', 'n.k'];
const HOSTS = ['romashka', 'corp-mail', 'gazprom-service', 'mail', 'yandex', 'ex-ample'];
const ZONES = ['ru', 'com', 'org', 'net'];

const MALE = ['Иван', 'Пётр', 'Сергей', 'Алексей', 'Дмитрий', 'Ильдар', 'Никита', 'Олег'];
const FEMALE = ['Анна', 'Мария', 'Ольга', 'Наталья', 'Гульнара', 'Любовь', 'Екатерина', 'Юлия'];
const MALE_PATRONYMICS = ['Иванович', 'Сергеевич', 'Ильич', 'Петрович', 'Никитич', 'Юрьевич'];
const FEMALE_PATRONYMICS = ['Ивановна', 'Сергеевна', 'Ильинична', 'Петровна', 'Юрьевна', 'Львовна'];
const SURNAMES = ['Иванов', 'Смирнов', 'Кузнецов', 'Лебедев', 'Ёлкин', 'Воробьёв', 'Фомин'];

function nameForms(dice: Dice): string {
  if (dice.roll(2) === 0) {
    const [name, patronymic] = [dice.pick(MALE), dice.pick(MALE_PATRONYMICS)];
    const surname = dice.pick([...SURNAMES, 'Шевченко', 'Достоевский', 'Салтыков-Щедрин']);
    return dice.pick([
      `${surname} ${name} ${patronymic}`,
      `${name} ${patronymic} ${surname}`,
      `${surname} ${name} ${patronymic}`.toUpperCase(),
    ]);
  }
  const [name, patronymic] = [dice.pick(FEMALE), dice.pick(FEMALE_PATRONYMICS)];
  const surname = `${dice.pick(SURNAMES)}а`;
  return dice.pick([`${surname} ${name} ${patronymic}`, `${name} ${patronymic} ${surname}`]);
}

const DATIVE = ['Иванову Ивану Ивановичу', 'Смирновой Анне Петровне', 'Фомину Олегу Ильичу'];
const GENITIVE = ['Лебедева Сергея Юрьевича', 'Ёлкиной Марии Львовны', 'Фомина Олега Ильича'];

const MONTHS = ['января', 'февраля', 'марта', 'мая', 'июля', 'августа', 'октября', 'декабря'];

function date(dice: Dice): string {
  const day = String(1 + dice.roll(28)).padStart(2, '0');
  const month = String(1 + dice.roll(12)).padStart(2, '0');
  const year = String(1950 + dice.roll(55));
  return dice.pick([
    `${day}.${month}.${year}`,
    `${year}-${month}-${day}`,
    `${Number(day)} ${dice.pick(MONTHS)} ${year}`,
    `${day}/${month}/${year}`,
  ]);
}

function plate(dice: Dice, letters: string): string {
  const letter = () => dice.pick([...letters]);
  const region = dice.pick(['77', '178', '16', '99', '750', '02']);
  return `${letter()}${1 + dice.roll(9)}${dice.digits(2)}${letter()}${letter()}${region}`;
}

function disguised(dice: Dice, digits: string): string {
  const wide = (digit: string) => String.fromCharCode(0xff10 + Number(digit));
  const arabic = (digit: string) => String.fromCharCode(0x660 + Number(digit));
  const gap = dice.pick(['\u200b', '\u2060', '\ufeff', '\u00ad']);
  return dice.pick([
    digits.replace(/\d/g, wide),
    digits.replace(/\d/g, arabic),
    [...digits].join(gap),
    `${digits.slice(0, 5)}${gap}${digits.slice(5)}`,
  ]);
}

const SECRETS: readonly ((dice: Dice) => string)[] = [
  (dice) => `AKIA${dice.digits(10)}QWERTY`,
  (dice) => `glpat-${dice.digits(10)}abcdefghij`,
  (dice) => `sk-proj-${dice.digits(20)}abcdEFGH`,
  (dice) => `hvs.${dice.digits(20)}abcdEFGHij`,
];
const IBANS = [
  'DE89 3704 0044 0532 0130 00',
  'GB82 WEST 1234 5698 7654 32',
  'FR1420041010050500013M02606',
];

function card(dice: Dice): string {
  const head = dice.pick(['4276', '5469', '2200', '4111']);
  const digits = luhn(head + dice.digits(11));
  return dice.pick([
    digits,
    grouped(digits, [4, 4, 4, 4], ' '),
    grouped(digits, [4, 4, 4, 4], '-'),
  ]);
}

function address(dice: Dice): string {
  return `${dice.pick(LATIN)}@${dice.pick(HOSTS)}.${dice.pick(ZONES)}`;
}

function speltAddress(dice: Dice): string {
  const [local, host, zone] = [dice.pick(LATIN), dice.pick(HOSTS), dice.pick(ZONES)];
  return dice.pick([
    `${local} [at] ${host} [dot] ${zone}`,
    `${local}(at)${host}.${zone}`,
    `${local} (собака) ${host} (точка) ${zone}`,
    `${local} собака ${host} точка ${zone}`,
    `${local} at ${host} dot ${zone}`,
  ]);
}

/** What a slot of a frame stands for: the class of the finding and the value. */
export type Slot = readonly [found: string, make: (dice: Dice) => string];

/** Slots by the name in a frame. `bic` is not here: it belongs to its account. */
export const SLOTS: Readonly<Record<string, Slot>> = {
  inn: ['inn', (dice) => (dice.roll(3) === 0 ? inn12(dice) : inn10(dice))],
  innSpaced: [
    'inn',
    (dice) =>
      grouped(
        inn10(dice),
        dice.pick([
          [4, 4, 2],
          [2, 2, 6],
          [3, 3, 4],
        ]),
        ' ',
      ),
  ],
  innHidden: ['inn', (dice) => disguised(dice, inn10(dice))],
  snils: [
    'snils',
    (dice) => {
      const digits = snils(dice);
      const dashed = `${grouped(digits.slice(0, 9), [3, 3, 3], '-')} ${digits.slice(9)}`;
      return dice.pick([digits, dashed, dashed, grouped(digits, [3, 3, 3, 2], ' ')]);
    },
  ],
  snilsHidden: ['snils', (dice) => disguised(dice, snils(dice))],
  ogrn: ['ogrn', (dice) => ogrn(dice, 13)],
  ogrnip: ['ogrn', (dice) => ogrn(dice, 15)],
  kpp: [
    'kpp',
    (dice) => dice.pick(['7736', '5024', '1655']) + dice.pick(['01001', '43001', '50001']),
  ],
  card: ['card', card],
  cardHidden: ['card', (dice) => disguised(dice, luhn(`4276${dice.digits(11)}`))],
  iban: ['bank_account', (dice) => dice.pick(IBANS)],
  phone: ['phone', phone],
  barePhone: [
    'phone',
    (dice) => `${dice.pick(['7', '8'])}9${dice.pick(['16', '03'])}${dice.digits(7)}`,
  ],
  phoneHidden: ['phone', (dice) => `+${disguised(dice, `7916${dice.digits(7)}`)}`],
  email: ['email', address],
  speltEmail: ['email', speltAddress],
  passport: [
    'passport',
    (dice) => {
      const [series, number] = [`45${dice.digits(2)}`, dice.digits(6)];
      const split = `${series.slice(0, 2)} ${series.slice(2)}`;
      return dice.pick([`${series} ${number}`, `${split} ${number}`, `${series} № ${number}`]);
    },
  ],
  abroad: [
    'foreign_passport',
    (dice) => dice.pick(['71', '72', '65']) + dice.pick(['', ' ']) + dice.digits(7),
  ],
  licence: [
    'driving_licence',
    (dice) => `${dice.pick(['99', '77'])} ${dice.digits(2)} ${dice.digits(6)}`,
  ],
  oms: [
    'oms_policy',
    (dice) => {
      const digits = luhn(dice.pick(['77', '50', '16', '54']) + dice.digits(13));
      return dice.pick([digits, grouped(digits, [4, 4, 4, 4], ' ')]);
    },
  ],
  birth: ['birth_date', date],
  birthYear: ['birth_date', (dice) => String(1950 + dice.roll(55))],
  plate: ['vehicle_plate', (dice) => plate(dice, 'АВЕКМНОРСТУХ')],
  latinPlate: ['vehicle_plate', (dice) => plate(dice, 'ABEKMHOPCTYX')],
  spacedPlate: [
    'vehicle_plate',
    (dice) => plate(dice, 'АВЕКМНОРСТУХ').replace(/^(.)(\d{3})(..)(\d+)$/, '$1 $2 $3 $4'),
  ],
  name: ['person_name', nameForms],
  nameTo: ['person_name', (dice) => dice.pick(DATIVE)],
  nameOf: ['person_name', (dice) => dice.pick(GENITIVE)],
  firstNames: ['person_name', (dice) => `${dice.pick(FEMALE)} ${dice.pick(FEMALE_PATRONYMICS)}`],
  secret: ['secret', (dice) => dice.pick(SECRETS)(dice)],
};

/** A bank and an account of it. */
export function bankPair(dice: Dice): { readonly bic: string; readonly account: string } {
  const bic = dice.pick(BICS);
  return { bic, account: account(dice, bic) };
}
