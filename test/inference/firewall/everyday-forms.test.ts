import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { FINDING_CLASSES, type FirewallModes } from '../../../src/kernel/firewall/vocabulary.js';

const MODES = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, 'mask']),
) as FirewallModes;

/** What leaves of a text that somebody wrote. */
function sent(text: string): string {
  const { body } = inspectRequest(
    { model: 'm', messages: [{ role: 'user', content: text }] },
    MODES,
  );
  return body.messages[0]?.content ?? '';
}

const decomposed = (text: string) => text.normalize('NFD');

describe('a name of decomposed letters', () => {
  it('is masked to its last mark, and what stands around it is as it was', () => {
    const before = decomposed('Счёт й ');
    const after = decomposed(' ещё ждёт');
    for (const name of ['Зайцев Николай Андреевич', 'Пётр Ильич Чайковский', 'ЁЛКИН ЙОН ИЛЬИЧ']) {
      expect(sent(before + decomposed(name) + after)).toBe(`${before}[[GW_PERSON_NAME_1]]${after}`);
    }
  });

  it('is none where the letters make no name', () => {
    const text = decomposed('Ёлки, йод и ещё Чайковский завод');
    expect(sent(text)).toBe(text);
  });
});

describe('what stands beside a line below', () => {
  it.each([
    ['phone_79161234567', 'phone_[[GW_PHONE_1]]'],
    ['79161234567_phone.txt', '[[GW_PHONE_1]]_phone.txt'],
    ['tel_8_916_123_45_67.txt', 'tel_[[GW_PHONE_1]].txt'],
    ['scan_4276380123456787.pdf', 'scan_[[GW_CARD_1]].pdf'],
    ['паспорт_4509_123456.pdf', 'паспорт_[[GW_PASSPORT_1]].pdf'],
    ['снилс_112-233-445_95.pdf', 'снилс_[[GW_SNILS_1]].pdf'],
    ['inn_7707083893.pdf', 'inn_[[GW_INN_1]].pdf'],
    ['Паспорт_Иванов_Пётр_Сергеевич.pdf', 'Паспорт_[[GW_PERSON_NAME_1]].pdf'],
  ])('is masked where its name or its checksum makes it certain: %s', (text, expected) => {
    expect(sent(text)).toBe(expected);
  });

  it.each([
    'IMG_20240101123456.jpg',
    'order_4276380123456787',
    'user_79161234567',
    'log_1700000000_7707083893',
    'file_500100732259.csv',
    'const most = 4_276_380_123_456_787n;',
    'scan_4276380123456788.pdf',
    'Дом_культуры_Ивановича',
  ])('is left where it may be any number: %s', (text) => {
    expect(sent(text)).toBe(text);
  });
});

describe('a value with marks in it', () => {
  it.each([
    ['паспорт 4509<!-- x --> 123456.', 'паспорт [[GW_PASSPORT_1]].'],
    ['паспорт 4509 <!-- <b>x</b> -->123456.', 'паспорт [[GW_PASSPORT_1]].'],
    ['паспорт **4509** **123456**.', 'паспорт **[[GW_PASSPORT_1]]**.'],
    ['паспорт `4509` `123456`.', 'паспорт `[[GW_PASSPORT_1]]`.'],
    ['карта **4276** **3801** **2345** **6787**.', 'карта **[[GW_CARD_1]]**.'],
    ['https://a.ru/c?passport=4509+123456&x=1', 'https://a.ru/c?passport=[[GW_PASSPORT_1]]&x=1'],
  ])('is masked from its first to its last digit: %s', (text, expected) => {
    expect(sent(text)).toBe(expected);
  });

  it.each([
    'сумма 4509<!-- x --> 123456.',
    'сумма **4509** **123456**.',
    'https://a.ru/c?sum=4509+123456',
    'паспорт: f(4509+123456)',
  ])('is none where nothing names it: %s', (text) => {
    expect(sent(text)).toBe(text);
  });
});

describe('digits in boxes, points and strokes', () => {
  it.each([
    ['карта 4 2 7 6 3 8 0 1 2 3 4 5 6 7 8 7', 'карта [[GW_CARD_1]]'],
    ['телефон 8 9 1 6 1 2 3 4 5 6 7', 'телефон [[GW_PHONE_1]]'],
    ['СНИЛС 112.233.445.95', 'СНИЛС [[GW_SNILS_1]]'],
    ['карта 4276/3801/2345/6787', 'карта [[GW_CARD_1]]'],
  ])('are masked where a word names them: %s', (text, expected) => {
    expect(sent(text)).toBe(expected);
  });

  it.each([
    'ряд 4 2 7 6 3 8 0 1 2 3 4 5 6 7 8 7',
    'ряд 8 9 1 6 1 2 3 4 5 6 7',
    'сервер 112.233.445.95',
    'годы 2012/2013/2014/2015',
  ])('are left where none does: %s', (text) => {
    expect(sent(text)).toBe(text);
  });
});

describe('a SNILS as the user of a request', () => {
  const leaves = (user: string) => inspectRequest({ model: 'm', messages: [], user }, MODES).body;

  it('is masked as it is printed, and the id of anything else is left', () => {
    expect(leaves('112-233-445 95').user).toBe('[[GW_SNILS_1]]');
    for (const id of ['112-233-445 96', '11223344595']) expect(leaves(id).user).toBe(id);
    expect(sent('Заказ 112-233-445 95')).toBe('Заказ 112-233-445 95');
  });
});
