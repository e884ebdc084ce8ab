import { type Dice, grouped, luhn, type Slot } from './values.js';

/** Values as people write them in a hurry, for the tuned part of the corpus. */

function loosePassport(dice: Dice): string {
  const [a, b, number] = ['45', dice.digits(2), `1${dice.digits(5)}`];
  return dice.pick([
    `${a}${b}-${number}`,
    `${a}${b}№${number}`,
    `${a}${b} / ${number}`,
    `${a}-${b}-${number}`,
    `${a}${b}.${number}`,
    `${a} ${b} за номером ${number}`,
    `${a}${b} н ${number}`,
    `${a}${b} ${number.slice(0, 3)} ${number.slice(3)}`,
    `${a}${b}  ${number}`,
  ]);
}

function looseEmail(dice: Dice): string {
  const local = dice.pick(['ivan', 'buh', 'petrova', 'olga_s', 'n.orlov', 'info-2']);
  const [host, zone] = dice.pick([
    ['mail', 'ru'],
    ['yandex', 'ru'],
    ['firma', 'com'],
    ['sever', 'рф'],
  ] as const);
  const word = dice.pick(['иван', 'бухгалтерия', 'ольга']);
  return dice.pick([
    `${local} @ ${host}.${zone}`,
    `${local} @ ${host} . ${zone}`,
    `${local}@ ${host}.${zone}`,
    `${local} собачка ${host} точка ${zone}`,
    `${local} собака ${host}.${zone}`,
    `${local} (эт) ${host} (точка) ${zone}`,
    `${local} эт ${host} точка ${zone}`,
    `${word} собака ${dice.pick(['мейл', 'яндекс', 'джимейл'])} точка ${dice.pick(['ру', 'ком'])}`,
    `${word} тире ${word} собака яндекс точка ру`,
    `${local} тчк ${local} собака ${host} тчк ${zone}`,
    `${word} нижнее подчёркивание ${local} собака ${host} точка ${zone}`,
  ]);
}

const SMALL = [...'abcdefghjkmnpqrstuvwxyz'];

function password(dice: Dice): string {
  const letters = (count: number) => Array.from({ length: count }, () => dice.pick(SMALL)).join('');
  const big = () => dice.pick(SMALL).toUpperCase();
  const mark = () => dice.pick([...'!@#$%^&*-_=+?~']);
  return dice.pick([
    `${big()}${letters(4)}${mark()}${dice.digits(3)}`,
    `${big()}${letters(6)}${dice.digits(2)}`,
    `${letters(2)}${mark()}${dice.digits(2)}${big()}${letters(2)}${mark()}${dice.digits(1)}`,
    `${dice.digits(1)}${big()}${mark()}${letters(5)}`,
    `${letters(3)}${big()}${dice.digits(4)}${letters(2)}`,
    `${big()}${dice.digits(1)}${mark()}${letters(3)}${dice.digits(1)}`,
  ]);
}

function token(dice: Dice): string {
  const hex = Array.from({ length: 32 }, () => dice.roll(16).toString(16)).join('');
  return dice.pick([`${hex}a1`, `${password(dice).replace(/\W/g, 'x')}${dice.digits(6)}aB9x`]);
}

const TOWNS = ['Орёл', 'Псков', 'Великий Новгород', 'Комсомольск-на-Амуре', 'Сочи', 'Казань'];
const STREETS = ['Ленина', 'Льва Толстого', '1-я Парковая', 'Тверская', 'Мира', '9 Мая'];

function address(dice: Dice): string {
  const [town, street] = [dice.pick(TOWNS), dice.pick(STREETS)];
  const [house, flat] = [1 + dice.roll(150), 1 + dice.roll(300)];
  const index = 101_000 + dice.roll(500_000);
  return dice.pick([
    `г. ${town}, ул. ${street}, д. ${house}, кв. ${flat}`,
    `${index}, г. ${town}, ул. ${street}, д. ${house}`,
    `${town}, ул. ${street}, ${house}, кв ${flat}`,
    `Орловская обл., Ливенский р-н, пос. Красная Заря, ул. ${street}, д. ${house}`,
    `Республика Татарстан, г. ${town}, пер. ${street}, д. ${house}, корп. 2, кв. ${flat}`,
    `${index} ${town} улица ${street} ${house} кв ${flat}`,
    `город ${town}, улица ${street}, дом ${house}, квартира ${flat}`,
    `${town}, наб. ${street}, д. ${house} стр. 1, оф. ${flat}`,
    `ул. ${street} д. ${house} кв. ${flat}`,
    `${town}, Лесной проспект, д. ${house}, кв. ${flat}`,
    `${town}, ${street}, ${house}-${flat}`,
    `г.${town}, ул.${street}, д.${house}/2, кв.${flat}`,
  ]);
}

const NAMES = ['ivan_petrov', 'olga.s', 'nik77', 'kate_design', 'petr_ivanov_1980', 'rusagro'];

/** Slots for values that are written in a hurry. */
export const LOOSE_SLOTS: Readonly<Record<string, Slot>> = {
  loosePassport: ['passport', loosePassport],
  looseEmail: ['email', looseEmail],
  password: ['secret', password],
  token: ['secret', token],
  address: ['postal_address', address],
  handle: ['messenger_handle', (dice) => `@${dice.pick(NAMES).replace('.', '_')}`],
  handleName: ['messenger_handle', (dice) => dice.pick(NAMES)],
  handleUrl: [
    'messenger_handle',
    (dice) => dice.pick(['t.me/', 'https://t.me/', 'vk.com/']) + dice.pick(NAMES).replace('.', '_'),
  ],
  looseAbroad: [
    'foreign_passport',
    (dice) => `7${dice.digits(1)}${dice.pick(['-', ' № ', '№', ' номер '])}1${dice.digits(6)}`,
  ],
  looseLicence: [
    'driving_licence',
    (dice) => `99${dice.digits(2)}${dice.pick(['-', ' № ', ' номер ', '/'])}1${dice.digits(5)}`,
  ],
  looseBirth: [
    'birth_date',
    (dice) => {
      const mark = dice.pick([' ', '.', '/', '-']);
      return `1${dice.roll(9)}${mark}0${1 + dice.roll(8)}${mark}19${50 + dice.roll(49)}`;
    },
  ],
  looseCard: [
    'card',
    (dice) => grouped(luhn(`4276${dice.digits(11)}`), [4, 4, 4, 4], dice.pick(['  ', '.', '-'])),
  ],
  loosePlate: [
    'vehicle_plate',
    (dice) =>
      dice.pick([
        `а${100 + dice.roll(899)}вс77`,
        `М ${100 + dice.roll(899)} ТТ 178`,
        `Е${100 + dice.roll(899)}КХ 99`,
      ]),
  ],
};
