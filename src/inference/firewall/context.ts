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
} as const;

/**
 * Words by label, in lower case; each begins with two plain letters or signs. None may begin
 * inside a word: `инновации` is no INN. `other` holds words that name a number of another kind, so
 * that an order number beside a real INN stays an order number.
 */
const WORDS: Readonly<Record<keyof typeof LABEL, string>> = {
  inn: 'инн(?![а-яё])|inn(?![a-z])|идентификационн[а-я]{2,3} номер|налогоплательщик|tax.?id',
  snils: 'снилс|snils|страхов[а-я]{2,3} (?:номер|свидетельств)|пенсионн[а-я]{2,3} страхов',
  ogrn: 'огрн|ogrn|регистрационн[а-я]{2,3} номер',
  passport: 'паспорт|passport|сери[яиюй](?![а-яё])|загранпаспорт',
  phone:
    'тел(?![а-яё])|телефон|моб(?![а-яё])|мобильн|сот(?![а-яё])|сотов|факс|звон|позвон|перезвон|' +
    'дозвон|смс(?![а-яё])|ватсап|вотсап|вайбер|phone|tel(?![a-z])|telephone|mobile|fax|' +
    'cell(?![a-z])|whats.?app|viber|sms(?![a-z])|call(?![a-z])',
  card: 'карт[аыуео](?![а-яё])|картой|карточк|card(?![a-z])|visa|mastercard|maestro',
  bank:
    'р/с|к/с|л/с|р/сч|расч[её]тн|корр|сч[её]т(?![а-яё])|сч[её]т[ауе]|банк|бик(?![а-яё])|' +
    'account|iban|bic(?![a-z])|bik(?![a-z])',
  other:
    'кпп|окпо|октмо|оквэд|кбк|уин(?![а-яё])|заказ|артикул|трек|накладн|договор|штрих|отправлени|' +
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

/**
 * What the words within 40 characters say about the number at [start, end), as LABEL bits. Words
 * between the previous number and this one decide alone where there are any (`ИНН/КПП 77…` names
 * both), with those that touch its end; else every word within reach counts, before and after.
 */
export function labelsAround(text: string, start: number, end: number): number {
  const window = text.slice(Math.max(0, start - REACH), start).toLowerCase();
  const adjacent = labelsIn(sinceLastNumber(window), REACH, false);
  if (adjacent !== 0) return adjacent | labelsAfter(text, end, TOUCHING);
  return labelsIn(window, REACH, false) | labelsAfter(text, end, REACH);
}
