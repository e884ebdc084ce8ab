import type { Dice } from '../values.js';
import { between } from './forms.js';

/** Values that are made of words: names, addresses, handles, secrets. */

const MEN = 'Артём Григорий Валерий Роман Павел Фёдор Тимур Марат Глеб Вадим Леонид'.split(' ');
const WOMEN = 'Дарья Светлана Ирина Алла Полина Римма Зоя Вера Лидия Эльвира Жанна'.split(' ');
const FATHERS = 'Андреев Борисов Васильев Дмитриев Егоров Максимов Рашидов Тимофеев'.split(' ');
const FAMILIES = 'Зайцев Орлов Макаров Белов Тарасов Гусев Титов Ковалёв Ермаков'.split(' ');

/** A name with a patronymic, in one of its cases. */
export function nameForm(dice: Dice): string {
  const [family, father] = [dice.pick(FAMILIES), dice.pick(FATHERS)];
  if (dice.roll(2) === 0) {
    const [man, patronymic] = [dice.pick(MEN), `${father}ич`];
    return dice.pick([
      `${family} ${man} ${patronymic}`,
      `${man} ${patronymic} ${family}`,
      `${man} ${patronymic}`,
      `${family}у ${man.replace(/[ий]й?$/, '')}у ${patronymic}у`,
      `${family} ${man} ${patronymic}`.toUpperCase(),
    ]);
  }
  const [woman, patronymic] = [dice.pick(WOMEN), `${father}на`];
  return dice.pick([
    `${family}а ${woman} ${patronymic}`,
    `${woman} ${patronymic} ${family}а`,
    `${woman} ${patronymic}`,
    `${family}ой ${woman.replace(/.$/, 'е')} ${patronymic.replace(/.$/, 'е')}`,
    `${family}А ${woman} ${patronymic}`.toUpperCase(),
  ]);
}

const NICKS = 'kirill lena83 m.egorov pavel-k zhanna_b office dima2011 svetik tender a.n.belov';
const HOSTS = 'gmail.com bk.ru list.ru inbox.ru ya.ru rambler.ru outlook.com stroy-invest.ru';
const RUSSIAN_NICKS = 'кирилл лена павел светик офис тендер жанна дима';
const RUSSIAN_HOSTS = 'яндекс мейл гмейл рамблер бк инбокс';

const spelled = (dice: Dice, text: string, dot: string) =>
  text
    .replaceAll('.', ` ${dot} `)
    .replaceAll('_', dice.pick([' нижнее подчёркивание ', ' подчёркивание ', ' андерскор ']))
    .replaceAll('-', dice.pick([' тире ', ' дефис ']));

/** An address of e-mail as people write it, and spell it, and say it. */
export function emailForm(dice: Dice): string {
  const local = dice.pick(NICKS.split(' '));
  const host = dice.pick(HOSTS.split(' '));
  const [name, zone] = host.split('.') as [string, string];
  const dog = dice.pick(['собака', 'собачка', 'собака']);
  const dot = dice.pick(['точка', 'точка', 'тчк']);
  const [russian, russianHost] = [RUSSIAN_NICKS, RUSSIAN_HOSTS].map((l) => dice.pick(l.split(' ')));
  return dice.pick([
    `${local}@${host}`,
    `${local}@${host}`,
    `${local} @ ${name} . ${zone}`,
    `${local} @${host}`,
    `${local}@ ${host}`,
    `${local} @ ${host}`,
    `${local}(at)${host}`,
    `${local} [at] ${name} [dot] ${zone}`,
    `${local} (собака) ${host}`,
    `${local} ${dog} ${name} ${dot} ${zone}`,
    `${spelled(dice, local, dot)} ${dog} ${spelled(dice, name, dot)} ${dot} ${zone}`,
    `${russian} ${dog} ${russianHost} точка ру`,
    `${russian} ${dog} ${russianHost} точка ${dice.pick(['ру', 'ком', 'рф'])}`,
    `${russian} точка ${dice.pick(RUSSIAN_NICKS.split(' '))} ${dog} ${russianHost} точка ру`,
    `${local} эт ${name} точка ${zone}`,
    `${local} at ${name} dot ${zone}`,
  ]);
}

const CITIES = 'Тула Калуга Самара Пермь Тюмень Омск Уфа Ижевск Нижний_Новгород Ростов-на-Дону';
const STREETS = 'Садовая Гагарина Лесная Октябрьская 8_Марта Космонавтов Чехова Энгельса Южная';
const REGIONS = 'Тульская Калужская Самарская Омская Свердловская Ростовская Пензенская';
const VILLAGES = 'Берёзовка Ольховое Малиновка Заречный Красный_Яр Сосновка';
const pickOf = (dice: Dice, list: string) => dice.pick(list.split(' ')).replaceAll('_', ' ');

/** A postal address, long or short, with and without the usual abbreviations. */
export function addressForm(dice: Dice): string {
  const [city, street] = [pickOf(dice, CITIES), pickOf(dice, STREETS)];
  const [region, village] = [pickOf(dice, REGIONS), pickOf(dice, VILLAGES)];
  const [house, flat] = [between(dice, 1, 190), between(dice, 1, 320)];
  const index = between(dice, 101_000, 692_900);
  const block = dice.pick(['', '', `, корп. ${between(dice, 1, 5)}`, `, стр. 2`, ` к${flat % 7}`]);
  return dice.pick([
    `г. ${city}, ул. ${street}, д. ${house}${block}, кв. ${flat}`,
    `${index}, г. ${city}, ул. ${street}, д. ${house}, кв. ${flat}`,
    `${index}, ${region} обл., г. ${city}, ул. ${street}, д. ${house}${block}`,
    `${region} область, ${city}, улица ${street}, дом ${house}, квартира ${flat}`,
    `город ${city} улица ${street} дом ${house} квартира ${flat}`,
    `${city}, ${street}, ${house}-${flat}`,
    `г ${city}, ул ${street}, ${house}, кв ${flat}`,
    `${index} ${city} ул. ${street} ${house} кв.${flat}`,
    `${region} обл., ${region.replace(/ая$/, 'ий')} р-н, с. ${village}, ул. ${street}, д. ${house}`,
    `пос. ${village}, ул. ${street}, дом ${house}`,
    `ул. ${street}, д.${house}, кв.${flat}, г. ${city}`,
    `${city}, пр-т ${street}, д. ${house}${block}, оф. ${flat}`,
    `г. ${city}, пер. ${street}, ${house}/${(flat % 9) + 1}, кв. ${flat}`,
    `${city}, ул. ${street} ${house}${dice.pick(['', 'а', 'Б'])}`,
  ]);
}

const HANDLES =
  'kirill_zaycev lena_style m_egorov88 pavelkov zhanna.bel dima2011 svetik_s tendering';

/** A name or an address in a messenger, with what says whose it is. */
export function handleForm(dice: Dice): { readonly label: string; readonly value: string } {
  const name = dice.pick(HANDLES.split(' '));
  const plain = name.replaceAll('.', '_');
  const word = dice.pick([
    ...['телеграм', 'телеграмм', 'тг', 'Telegram', 'tg', 'телега', 'мой телеграм', 'в телеге'],
    ...['ник в телеграме', 'телеграм-аккаунт', 'ТГ', 'телеграме'],
  ]);
  return dice.pick([
    { label: word, value: `@${plain}` },
    { label: word, value: `@${plain}` },
    { label: word, value: plain },
    { label: dice.pick(['ссылка', 'пиши сюда', 'я тут', 'link']), value: `t.me/${plain}` },
    { label: word, value: `https://t.me/${plain}` },
    { label: dice.pick(['вк', 'ВК', 'страница', 'VK']), value: `vk.com/${name}` },
    { label: dice.pick(['вк', 'страница вконтакте']), value: `https://vk.com/id${dice.digits(8)}` },
    { label: dice.pick(['скайп', 'skype', 'Skype']), value: `live:${plain}` },
    { label: dice.pick(['скайп', 'skype', 'логин в скайпе']), value: name },
    { label: dice.pick(['инстаграм', 'instagram', 'инста']), value: `@${name}` },
    { label: dice.pick(['пишите мне', 'напиши', 'мой ник']), value: `@${plain}` },
    { label: dice.pick(['дискорд', 'discord']), value: plain },
  ]);
}

const LETTERS = [...'abcdefghijkmnpqrstuvwxyz'];
const MARKS = [...'!#$%&*+-=?@^_~'];

function mixed(dice: Dice, size: number, marks: number): string {
  const letters = Array.from({ length: size }, () =>
    dice.roll(3) === 0
      ? String(dice.roll(10))
      : dice.roll(3) === 0
        ? dice.pick(LETTERS).toUpperCase()
        : dice.pick(LETTERS),
  );
  for (let mark = 0; mark < marks; mark += 1) letters[1 + dice.roll(size - 2)] = dice.pick(MARKS);
  return `${dice.pick(LETTERS).toUpperCase()}${letters.join('')}${dice.roll(10)}`;
}

const encoded = (text: string) => Buffer.from(text).toString('base64url');

/** A credential with the word that stands before it. */
export function secretForm(dice: Dice): { readonly label: string; readonly value: string } {
  const word = dice.pick([
    ...['пароль', 'пароль от базы', 'пароль от почты', 'пасс', 'пассворд', 'пароль к вайфаю'],
    ...['password', 'pass', 'pwd', 'DB_PASSWORD', 'root password', 'новый пароль', 'с паролем'],
  ]);
  const token = dice.pick([
    ...['токен', 'token', 'ключ доступа', 'api key', 'API-ключ', 'секретный ключ', 'access token'],
    ...['secret', 'auth_token', 'apikey', 'X-Api-Key', 'bearer', 'токен бота'],
  ]);
  const hex = () => Array.from({ length: 40 }, () => dice.roll(16).toString(16)).join('');
  const jwt = () =>
    [`{"alg":"HS256","id":${dice.roll(99)}}`, `{"sub":"${dice.digits(9)}","name":"x"}`]
      .map(encoded)
      .concat(mixed(dice, 40, 0))
      .join('.');
  return dice.pick([
    { label: word, value: mixed(dice, between(dice, 6, 14), between(dice, 1, 3)) },
    { label: word, value: mixed(dice, between(dice, 6, 14), between(dice, 0, 2)) },
    { label: word, value: mixed(dice, between(dice, 8, 12), 0) },
    { label: token, value: hex() },
    { label: token, value: mixed(dice, between(dice, 20, 36), 0) },
    { label: token, value: `sk-ant-api03-${mixed(dice, 60, 0)}` },
    { label: token, value: `glpat-${mixed(dice, 18, 0)}` },
    { label: token, value: jwt() },
    { label: token, value: `AQVN${mixed(dice, 33, 0)}` },
    { label: 'база', value: `postgres://crm:${mixed(dice, 9, 0)}@10.20.0.5:5432/crm` },
  ]);
}
