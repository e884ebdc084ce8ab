import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { FINDING_CLASSES, type FirewallModes } from '../../../src/kernel/firewall/vocabulary.js';

const MASKING = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, code === 'prompt_injection' ? 'off' : 'mask']),
) as FirewallModes;

/** What leaves of a text, or of an object in arguments of a call. */
function sent(given: unknown) {
  const body =
    typeof given === 'string'
      ? { model: 'm', messages: [{ role: 'user', content: given }] }
      : { model: 'm', messages: [{ role: 'user', content: 'а' }], x: given };
  const { dataClass, body: masked } = inspectRequest(body, MASKING);
  return { dataClass, text: JSON.stringify(masked) };
}

const PASSPORTS: readonly unknown[] = [
  { passport_series: '4509', passport_number: '123456' },
  { passportSeries: '4509', passportNumber: '123456' },
  { passport_series: 4509, passport_number: 123456 },
  { passport: { series: 4509, issued: '2010', number: 123456 } },
  { серия: '4509', номер: '123456' },
  { number: '123456', series: '4509' },
  '{"passport_series":"4509","passport_number":"123456"}',
  '{\n  "passportSeries": 4509,\n  "issued": "2010-02-03",\n  "passportNumber": 123456\n}',
  '<passport><series>4509</series><number>123456</number></passport>',
  '<passport_series>4509</passport_series>\n<passport_number>123456</passport_number>',
  '<Серия>4509</Серия><Номер>123456</Номер>',
  'passport:\n  series: "4509"\n  issued: 2010-02-03\n  number: "123456"',
  '| Серия | Номер |\n|---|---|\n| 4509 | 123456 |',
  '| Город | Серия паспорта | Номер паспорта |\n|:--|---|---|\n| Тула | 4509 | 123456 |',
  '**Серия:** 4509 **Номер:** 123456',
  '*Серия* — `4509`, *номер* — `123456`',
  '<td>Серия</td><td>4509</td><td>Номер</td><td>123456</td>',
  '<b>Серия:</b> 4509<br><b>Номер:</b> 123456',
  'паспорт <b>4509</b> <b>123456</b>',
  '№ 123456 серия 4509',
  'паспорт № 123456, серия 45 09',
  'пасп. 4509 123456',
  'паспорт 4 5 0 9  1 2 3 4 5 6',
  'паспорт ④⑤⓪⑨ ①②③④⑤⑥',
  'паспорт ⁴⁵⁰⁹ ¹²³⁴⁵⁶',
  'паспорт ₄₅₀₉ ₁₂₃₄₅₆',
  'паспорт 4\u03015\u03010\u03019\u0301 123456',
  'серия;номер;город\n4509;123456;Тула\n4509;123456;Омск',
];

describe('a passport', () => {
  it.each(PASSPORTS)('leaves in no part: %j', (given) => {
    const { dataClass, text } = sent(given);
    expect(dataClass).toBe('C3');
    expect(text).toContain('[[GW_PASSPORT_1]]');
    const plain = text.normalize('NFKC').replace(/[\s\p{Mn}]/gu, '');
    expect(plain).not.toMatch(/4509|45<|123456/);
  });

  it.each([
    'Третья серия сериала вышла в номере 1234 567890 журнала',
    'Серия 4509, выпуск номер 123456 сериала',
    'Код услуги 4509123456',
    'Код услуги 79161234567',
    'Партия: серия 4509, артикул номер 123456',
    { series: [4509, 4510], total: 123456 },
    'Площадь 4509 м², ещё 123456 м²',
    'value = matrix[4509] ** 123456',
  ])('is none in %j', (given) => {
    expect(sent(given).dataClass).toBe('C0');
  });
});

describe('fields and columns of a person', () => {
  it.each<[unknown, readonly string[]]>([
    [
      'серия;номер;ФИО;дата рождения\n4509;123456;Иванов Иван Ильич;12.03.1985\n' +
        '4510;654321;Петрова Анна;01.02.1990',
      ['4509', '123456', 'Иванов', '12.03', '4510', '654321', 'Петрова', '1990'],
    ],
    [
      'Фамилия,Имя,Дата рождения,Адрес\nИванов,Иван,1985-03-12,"Тула, Садовая, 15-32"',
      ['Иванов', '1985', 'Садовая'],
    ],
    [{ last_name: 'Иванов', first_name: 'Иван', birth_date: '1985-03-12' }, ['Иванов', '1985']],
    [
      'Фамилия: Иванов\nИмя: Иван\nДата рождения: 12.03.1985\n' +
        'Улица: Садовая\nДом: 15\nКвартира: 32',
      ['Иванов', '1985', 'Садовая', '15', '32'],
    ],
  ])('are masked, each by itself: %j', (given, values) => {
    const { dataClass, text } = sent(given);
    expect(dataClass).toBe('C3');
    for (const value of values) expect(text).not.toContain(value);
  });
});

describe('marks within a value', () => {
  it.each([
    ['карта 2202<b> 2031</b> 2345 6784', 'CARD'],
    ['карта 2202`2031`2345`6784', 'CARD'],
    ['паспорт 4509<b>123456', 'PASSPORT'],
    ['паспорт 4509 <span class="a">123456', 'PASSPORT'],
    ['паспорт 4509<номер>123456', 'PASSPORT'],
    ['карта 2202<i>2031<i>2345<i>6784', 'CARD'],
    ['+7916<font color="red">123-45-67', 'PHONE'],
    ['ivan@<em>yandex.ru', 'EMAIL'],
    ['тел. +7 <b>916</b> 123-45-67', 'PHONE'],
    ['+7 **916** 123-45-67', 'PHONE'],
    ['ivan&#64;yandex.ru', 'EMAIL'],
    ['ivan﹫yandex.ru', 'EMAIL'],
    ['ivan@yandex․ru', 'EMAIL'],
    ['ivan＠yandex｡ru', 'EMAIL'],
    ['ivan<b>@</b>yandex.ru', 'EMAIL'],
    ['ivan@<wbr>yandex.ru', 'EMAIL'],
  ])('do not hide it: %s', (given, name) => {
    const { text } = sent(given);
    expect(text).toContain(`[[GW_${name}_1]]`);
    expect(text).not.toMatch(/yandex|2345|6784|123-45|4509|123456/);
  });
});

describe('an address in a field with an English name', () => {
  it.each<[unknown, string]>([
    [{ address: 'Lenina 5-12, Moscow' }, 'Lenina'],
    [{ home_address: 'Moscow, Lenina street 5, apt 12' }, 'Lenina'],
    [{ homeAddress: '221B Baker Street, London' }, 'Baker'],
    [{ street: 'Sadovaya 15' }, 'Sadovaya'],
    [{ address_line_1: '15 Sadovaya st.' }, 'Sadovaya'],
    [{ customer: { name: 'a', shipping_address: '12 Nevsky prospekt, Spb' } }, 'Nevsky'],
    [{ residence: 'Казань, Баумана 7' }, 'Баумана'],
    ['{"name": "a", "address": "Lenina 5-12, Moscow"}', 'Lenina'],
    ['name: a\naddress: Lenina 5-12, Moscow\nage: 30', 'Lenina'],
    ['Address: Lenina 5-12, Moscow. Please call before you come', 'Lenina'],
  ])('is masked, and its class is not C0: %j', (given, part) => {
    const { dataClass, text } = sent(given);
    expect(dataClass).not.toBe('C0');
    expect(text).toContain('[[GW_POSTAL_ADDRESS_1]]');
    expect(text).not.toContain(part);
  });

  it.each([
    { address: '192.168.1.15' },
    { address: '10.0.0.5:8080' },
    { address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
    { ip_address: 'host 5' },
    { email_address: 'box 5' },
    { street: 'Main Street', house: '' },
    { address: 'https://example.com/page/12' },
    'address: string; // up to 100 characters',
    "address: 'required|string|max:255',",
    'const address = server.address(8080)',
    'address: text NOT NULL DEFAULT 12.5',
    { addressed: 'to 5 people' },
  ])('is none in %j', (given) => {
    expect(sent(given).dataClass).toBe('C0');
  });
});

describe('a table with an address', () => {
  it('has its cells read in time that grows with their length', () => {
    const cell = 'ул'.repeat(40_000);
    const rows = `Дата рождения;Адрес\n12.03.1985;${cell}\n12.03.1985;Тула, Садовая 15`;
    const { dataClass, text } = sent(rows);
    expect(dataClass).toBe('C3');
    expect(text).toContain('[[GW_POSTAL_ADDRESS_1]]');
  });

  it('is found below other lines', () => {
    const table = 'серия;номер\n4509;123456\n4510;654321';
    const { text } = sent(`Добрый день, вот список\nза 2026 год:\n${table}\n\nСпасибо`);
    expect(text).not.toMatch(/4509|4510|654321/);
    expect(text).toContain('2026 год');
  });
});
