import { describe, expect, it } from 'vitest';
import { CONTENT_TESTS } from '../../../src/delivery/blueprints/content.rules.js';

const isWritten = (value: unknown, source: unknown) => CONTENT_TESTS.numbers_in(value, source);

describe('a number of an answer', () => {
  it.each<[unknown, unknown]>([
    [12_000, 'Итого 12.000,00 руб.'],
    [1_250, 'Total 1,250.00 RUB'],
    [1_234_567, 'Итого 1\u2009234\u2009567 руб.'],
    [12_500_000, 'Бюджет 12,5 млн руб.'],
    [40_000, 'около 40 тыс. рублей'],
    [3, 'рассрочка на три месяца'],
    [3, 'опыт от трёх лет'],
    ['15.12', 'оплата до 15 декабря'],
    ['15 декабря 2026', 'до 15.12.2026'],
    ['15.12.2026', 'до 15 декабря, год 2026'],
    ['15.12.2026', '2026-12-15'],
    ['до 15 числа', 'до 15.12.2026'],
    ['in 2026', 'by May 5, 2026'],
    ['узел 192.168.1.1', 'адрес 192.168.1.1'],
  ])('%j is written in %j', (value, source) => {
    expect(isWritten(value, source)).toBe(true);
  });

  it.each<[unknown, unknown]>([
    [15, 'до 15.12.2026'],
    [2_026, 'до 15.12.2026'],
    [15.12, 'до 15.12.2026'],
    ['16.12.2026', 'до 15.12.2026, 16 дней'],
    ['15.12.2027', 'до 15 декабря'],
    [12, 'Итого 12.500,00 руб.'],
    [500, 'Итого 12.500,00 руб.'],
    ['50 процентов', 'Цена 12,50 руб.'],
    [12.5, 'Бюджет 12,5 млн руб.'],
    ['узел 192.168', 'адрес 192.168.1.1'],
    [4, 'рассрочка на три месяца'],
  ])('%j is not written in %j', (value, source) => {
    expect(isWritten(value, source)).toBe(false);
  });
});
