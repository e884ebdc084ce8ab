import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, moscowDay, VAT_RATES, vatRateOn } from '../../src/kernel/time.js';

describe('the VAT rate', () => {
  it('changes on the day from which a law is in force, and not the day before', () => {
    const table: [string, number][] = [
      ['2004-01-01', 1800],
      ['2018-12-31', 1800],
      ['2019-01-01', 2000],
      ['2025-12-31', 2000],
      ['2026-01-01', 2200],
      ['2031-06-15', 2200],
    ];
    for (const [day, rate] of table) expect([day, vatRateOn(day)]).toEqual([day, rate]);
  });

  it('is not known before the first row, and is then not guessed', () => {
    expect(() => vatRateOn('2003-12-31')).toThrow(
      new RangeError('no VAT rate is known for 2003-12-31'),
    );
  });

  it('has its rows in the order of their days', () => {
    const days = VAT_RATES.map(({ effectiveFrom }) => effectiveFrom);
    expect(days).toEqual([...new Set(days)].sort());
  });
});

describe('the day in Moscow', () => {
  it('begins at 21:00 UTC', () => {
    expect(moscowDay(Date.parse('2025-12-31T20:59:59.999Z'))).toBe('2025-12-31');
    expect(moscowDay(Date.parse('2025-12-31T21:00:00.000Z'))).toBe('2026-01-01');
  });

  it('is the day that the time zone database gives, since the last change of the offset', () => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Moscow' });
    const range = { min: Date.parse('2014-10-27T00:00:00Z'), max: Date.parse('2039-01-01') };
    fc.assert(
      fc.property(fc.integer(range), (epochMs) => {
        expect(moscowDay(epochMs)).toBe(format.format(epochMs));
      }),
    );
  });
});

describe('a time as text', () => {
  it('is UTC with milliseconds', () => {
    expect(isoTime(new Date(1_767_214_800_000))).toBe('2025-12-31T21:00:00.000Z');
  });
});
