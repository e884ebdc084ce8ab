/** How far from a number a word may stand and still speak about it, in characters. */
const REACH = 40;

/** Bits for what a word near a number says that the number is. */
export const LABEL = {
  inn: 1,
  snils: 2,
  ogrn: 4,
  passport: 8,
  phone: 16,
  card: 32,
  bank: 64,
  other: 128,
  series: 256,
  licence: 512,
  oms: 1024,
  kpp: 2048,
  plate: 4096,
  abroad: 8192,
} as const;

/** A passport of a thing: of a product, of its quality, of a deal. */
const OF_A_THING =
  'издели|качеств|безопасн|сделк|объект|продук|оборудов|прибор|проект|отход|готовн|материал|' +
  'болельщ|здани|трубопров|скважин';

/**
 * Words by label, in lower case; each begins with two plain letters or signs. None may begin
 * inside a word: `инновации` is no INN. `other` holds words that name a number of another kind, so
 * that an order number beside a real INN stays an order number.
 */
const WORDS: Readonly<Record<keyof typeof LABEL, string>> = {
  inn: 'инн(?![а-яё])|inn(?![a-z])|идентификационн[а-я]{2,3} номер|налогоплательщик|tax.?id',
  snils: 'снилс|snils|страхов[а-я]{2,3} (?:номер|свидетельств)|пенсионн[а-я]{2,3} страхов',
  ogrn: 'огрн|ogrn|регистрационн[а-я]{2,3} номер',
  passport: `паспорт(?![а-я]{0,3} (?:${OF_A_THING}))|passport|загранпаспорт`,
  abroad:
    'загранпаспорт|заграничн|загран(?![а-яё])|international passport|foreign passport|' +
    'travel passport|заграниц',
  series: 'сери[яиюй](?![а-яё])|series(?![a-z])',
  licence:
    'вод\\. ?уд|водительск|в/у(?![а-яё])|ву(?![а-яё])|driving licen|driver.?s licen|driver licen',
  oms: 'полис(?![а-я]{0,3} (?:осаго|каско|дмс))|омс(?![а-яё])|енп(?![а-яё])|медполис|oms(?![a-z])',
  kpp: 'кпп(?![а-яё])|kpp(?![a-z])|код причин',
  plate:
    'госномер|гос[а-я]{0,12}\\.? ?(?:рег[а-я]{0,13}\\.? )?(?:номер|знак)|г/н|номерн|' +
    'рег[а-я]{0,13}\\.? (?:номер|знак)|автомобил|автомаш|автобус|грузовик|машин|а/м|' +
    'авто(?![а-яё])|тс(?![а-яё])|грз(?![а-яё])|license plate|plate|number plate|vehicle|' +
    'car(?![a-z])|парковк|пропуск|прицеп|мотоцикл|такси|гос ?номер',
  phone:
    'тел(?![а-яё])|телефон|моб(?![а-яё])|мобильн|сот(?![а-яё])|сотов|факс|звон|позвон|перезвон|' +
    'дозвон|смс(?![а-яё])|ватсап|вотсап|вайбер|phone|tel(?![a-z])|telephone|mobile|fax|' +
    'cell(?![a-z])|whats.?app|viber|sms(?![a-z])|call(?![a-z])|набер',
  card: 'карт[аыуео](?![а-яё])|картой|карточк|card(?![a-z])|visa|mastercard|maestro',
  bank:
    'р/с|к/с|л/с|р/сч|расч[её]тн|корр|сч[её]т(?![а-яё])|сч[её]т[ауе]|банк|бик(?![а-яё])|' +
    'account|iban|bic(?![a-z])|bik(?![a-z])',
  other:
    'окпо|октмо|оквэд|кбк|уин(?![а-яё])|заказ|артикул|трек|накладн|договор|штрих|отправлени|' +
    'обращени|заявк|тикет|order|ticket|invoice|track|sku(?![a-z])|ean(?![a-z])|imei|isbn|' +
    'timestamp',
};

/** One label's words that begin with the same two characters, to be tried at one place. */
interface LabelWords {
  readonly bit: number;
  readonly pattern: RegExp;
}

function wordsByHead(): ReadonlyMap<string, readonly LabelWords[]> {
  const rows = Object.entries(WORDS).flatMap(([label, words]) =>
    words.split(/\|(?![^(]*\))/).map((word) => ({ label: label as keyof typeof LABEL, word })),
  );
  const heads = new Set(rows.map(({ word }) => word.slice(0, 2)));
  return new Map(
    [...heads].map((head) => [
      head,
      rows
        .filter(({ word }) => word.startsWith(head))
        .map(({ label, word }) => ({ bit: LABEL[label], pattern: new RegExp(word, 'y') })),
    ]),
  );
}

const WORDS_BY_HEAD = wordsByHead();

/** A label that its own number follows speaks about that number alone. */
const OWN_NUMBER = /[^\d\n]{0,12}\d{5}/y;
/** A word this close behind a number, as in `7707083893 (ИНН)`, speaks about it in any case. */
const TOUCHING = 4;

function isLowerLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 0x430 && code <= 0x44f) || code === 0x451;
}

/** The labels that begin at a place of a text in lower case without their own number behind. */
function labelAt(window: string, place: number, excludesOwned: boolean): number {
  let bits = 0;
  for (const { bit, pattern } of WORDS_BY_HEAD.get(window.slice(place, place + 2)) ?? []) {
    pattern.lastIndex = place;
    if (!pattern.test(window)) continue;
    OWN_NUMBER.lastIndex = pattern.lastIndex;
    if (!excludesOwned || !OWN_NUMBER.test(window)) bits |= bit;
  }
  return bits;
}

function labelsIn(window: string, reach: number, excludesOwned: boolean): number {
  let bits = 0;
  let wasLetter = false;
  for (let place = 0; place < window.length && place <= reach; place += 1) {
    const isLetter = isLowerLetter(window.charCodeAt(place));
    if (isLetter && !wasLetter) bits |= labelAt(window, place, excludesOwned);
    wasLetter = isLetter;
  }
  return bits;
}

/** The number that a label at the end of the reach may own begins this much later. */
const OWN_NUMBER_REACH = 32;

function labelsAfter(text: string, end: number, reach: number): number {
  const window = text.slice(end, end + reach + OWN_NUMBER_REACH).toLowerCase();
  return labelsIn(window, reach, true);
}

/** The part of a window that stands behind its last number of five digits or more. */
function sinceLastNumber(window: string): string {
  let digits = 0;
  for (let place = window.length - 1; place >= 0; place -= 1) {
    const code = window.charCodeAt(place);
    digits = code >= 48 && code <= 57 ? digits + 1 : 0;
    if (digits === 5) return window.slice(place + 5);
  }
  return window;
}

/** Numbers, and what separates them in a list. */
const IN_LIST = /[\d\s,;()+"'«»[\].-]/;
const IN_LIST_BY_CODE = Uint8Array.from({ length: 0x100 }, (_, code) =>
  IN_LIST.test(String.fromCharCode(code)) ? 1 : 0,
);

function isInList(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code < 0x100 ? IN_LIST_BY_CODE[code] === 1 : IN_LIST.test(text.charAt(place));
}

const JOINER = /\s(?:и|или|and|or)$/i;
/** As far back as a list of numbers is followed to the word before it. */
const LIST_REACH = 240;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;

/** Where the list of numbers begins that a number at `start` continues; `start` without one. */
function startOfList(text: string, start: number): number {
  const floor = Math.max(0, start - LIST_REACH);
  let place = start;
  let digits = 0;
  let longest = 0;
  while (place > floor) {
    if (isInList(text, place - 1)) {
      const code = text.charCodeAt(place - 1);
      digits = code >= DIGIT_ZERO && code <= DIGIT_NINE ? digits + 1 : 0;
      longest = Math.max(longest, digits);
      place -= 1;
      continue;
    }
    const joiner = JOINER.exec(text.slice(Math.max(floor, place - 4), place));
    if (!joiner) break;
    place -= joiner[0].length;
    digits = 0;
  }
  return longest >= 5 ? place : start;
}

/**
 * What the words within 40 characters say about the number at [start, end), as LABEL bits. Words
 * between the previous number and this one decide alone where there are any (`ИНН/КПП 77…` names
 * both), with those that touch its end; else the word before the list of numbers in which it
 * stands, and every word within reach, before and after.
 */
export function labelsAround(text: string, start: number, end: number): number {
  const window = text.slice(Math.max(0, start - REACH), start).toLowerCase();
  const adjacent = labelsIn(sinceLastNumber(window), REACH, false);
  if (adjacent !== 0) return adjacent | labelsAfter(text, end, TOUCHING);
  const listed = startOfList(text, start);
  const before = text.slice(Math.max(0, listed - REACH), listed).toLowerCase();
  const ofList = listed < start ? labelsIn(sinceLastNumber(before), REACH, false) : 0;
  return ofList | labelsIn(window, REACH, false) | labelsAfter(text, end, REACH);
}

/** True where a word within reach says that the number at [start, end) is what the label names. */
export function isLabelled(
  text: string,
  start: number,
  end: number,
  label: keyof typeof LABEL,
): boolean {
  return (labelsAround(text, start, end) & LABEL[label]) !== 0;
}

/** Names of numbers that are no identifiers of people: of goods, documents, parcels, records. */
const THINGS =
  'артикул[а-яё]{0,3}|арт|sku|код[а-яё]{0,2}(?= (?:товар|клиент|контраг|прод|издел|детал|' +
  'позиц|заказ|отсл|' +
  'номен|отпр|опер|брон))|шк|штрих[- ]?код[а-яё]{0,2}|barcode|ean(?:-?13)?|gtin|upc|' +
  'трек[а-яё]{0,3}|track(?:ing)?|посылк[а-яё]{1,2}|отправлени[а-яё]{1,2}|заказ[а-яё]{0,3}|' +
  'order|накладн[а-яё]{2,3}|ттн|упд|сч[её]т[- ]фактур[а-яё]{1,2}|сч[её]т|invoice|inv|' +
  'договор[а-яё]{0,2}|контракт[а-яё]{0,2}|заявк[а-яё]{1,2}|обращени[а-яё]{1,2}|' +
  'тикет[а-яё]{0,2}|ticket|case|инцидент[а-яё]{0,2}|задач[а-яё]{1,2}|парти[а-яё]{1,2}|lot|' +
  'batch|лот[а-яё]{0,2}|позици[а-яё]{1,2}|серийн[а-яё]{2,3}|serial|s/n|p/n|part|' +
  'каталожн[а-яё]{2,3}|инвентарн[а-яё]{2,3}|инв|чек[а-яё]{0,2}|фн|фд|фпд|ккт|' +
  'транзакци[а-яё]{1,2}|transaction|rrn|операци[а-яё]{1,2}|операции|плат[её]ж[а-яё]{0,2}|' +
  'извещени[а-яё]{1,2}|закупк[а-яё]{1,2}|тендер[а-яё]{0,2}|деклараци[а-яё]{1,2}|гтд|дт|' +
  'модел[а-яё]{1,2}|model|издели[а-яё]{1,2}|товар[а-яё]{0,2}|product|item|article|id|uid|' +
  'uuid|guid|ид|unix|timestamp|ts|imei|isbn|уин|окпо|октмо|оквэд|кбк|тн ?вэд|' +
  'идентификатор[а-яё]{0,2}|iccid|акт[а-яё]{0,2}|приказ[а-яё]{0,2}|протокол[а-яё]{0,2}|' +
  'дел[ао]|постановлени[а-яё]{1,2}|сертификат[а-яё]{0,2}|лицензи[а-яё]{1,2}|' +
  'бронировани[а-яё]|брон[ьи]|билет[а-яё]{0,2}|booking|гост|счетчик[а-яё]{0,2}|' +
  'сч[её]тчик[а-яё]{0,2}|прибор[а-яё]{0,2}|версия|version|build|commit|rev|порт|port|' +
  'ставк[а-яё]{1,2}|хэш|hash|скю|wb|ozon|сумм[а-яё]|лс|л/с|лицев[а-яё]{2,3}|' +
  'абонент[а-яё]{0,4}|ключ[а-яё]{0,2}|регистр[а-яё]{0,2}|материал[а-яё]{0,2}|' +
  'детал[а-яё]{1,3}|запчаст[а-яё]{1,2}|nonce|seed|max|min|limit|offset|size|' +
  'номенклатур[а-яё]|промокод[а-яё]{0,2}|купон[а-яё]{0,2}|доставк[а-яё]{1,2}|баркод[а-яё]{0,2}|' +
  'device|user|coupon|voucher|shipment|parcel';
/** What may stand between such a name and its number. */
const BETWEEN =
  '(?:[\\s:№#=("\'«.,/_-]|номер[а-яё]{0,2}|number|no|num|nr|товара|заказа|клиента|id|code|' +
  'код|счета|документа|еаэс|уч[её]та|устройства|по|отправления|партии|wb|ozon|озон|вб|time|' +
  'n(?![a-zа-яё])){0,8}$';
const NAMED_THING = new RegExp(`(?<![а-яёa-z])(?:${THINGS})(?:${BETWEEN})`, 'i');
const CALLED_THING = new RegExp(
  '^["\'»)]?(?:,? ?[(—–-]{0,2} ?(?:это )?(?:наш )?(?:артикул|арт\\.|sku|трек|заказ(?![а-яё]{4})|' +
    'номер (?:заказа|накладной|отправления|посылки|доставки|позиции))|' +
    '[:,]? ?[—–-]? ?\\d{1,6} ?(?:шт|ед\\.|уп\\.|кор\\.|пал|pcs))',
  'i',
);

/** Numbers of one series share this many digits: `артикул 89161234567 заменён на 89161234568`. */
const SERIES_DIGITS = 8;
const SERIES_REACH = 80;

function isCalledThing(text: string, start: number): boolean {
  const listed = startOfList(text, start);
  return NAMED_THING.test(text.slice(Math.max(0, listed - REACH), listed));
}

/** True where words that touch a number call it that of goods, of a document or the like. */
export function isNamedOtherwise(text: string, start: number, end: number): boolean {
  if (isCalledThing(text, start) || CALLED_THING.test(text.slice(end, end + REACH))) return true;
  const head = text.slice(start, start + SERIES_DIGITS);
  const sibling = text.slice(Math.max(0, start - SERIES_REACH), start).lastIndexOf(head);
  return sibling >= 0 && isCalledThing(text, Math.max(0, start - SERIES_REACH) + sibling);
}
