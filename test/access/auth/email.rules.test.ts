import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emailFaults, normalEmail } from '../../../src/access/auth/email.rules.js';

const isAddress = (email: string) => emailFaults(email).length === 0;

describe('an e-mail address', () => {
  it.each([
    'owner@example.com',
    "o'neill+tag@mail.example.co.uk",
    'иван@почта.рф',
    'иван.петров@example.com',
    'ivan@почта.рф',
    'ёлка_2026@пример.испытание',
    'отдел-кадров@xn--80a1acny.xn--p1ai',
    'jürgen@münchen.de',
    '用户@例子.中国',
  ])('may be %s', (email) => {
    expect(emailFaults(email)).toEqual([]);
  });

  it.each([
    '',
    'иван',
    '@почта.рф',
    'иван@',
    'иван@почта',
    'иван@@почта.рф',
    'иван петров@почта.рф',
    'иван@почта..рф',
    'иван.@почта.рф',
    'иван@-почта.рф',
    'иван@xn--.рф',
    'ivan@ex%61mple.com',
    'ivan@127.0.0.1',
    'ivan@[127.0.0.1]',
    'ivan@example.com/path',
    'ivan\u200b@example.com',
    'ivan\u202e@example.com',
    'ｉｖａｎ@example.com',
    `${'и'.repeat(33)}@почта.рф`,
    `${'a'.repeat(65)}@example.com`,
    `a@${'почта.'.repeat(25)}рф`,
  ])('is not %j', (email) => {
    const message = 'email must be an e-mail address.';
    expect(emailFaults(email)).toEqual([{ path: 'email', code: 'invalid', message }]);
  });
});

describe('one account', () => {
  it.each([
    ['иван@почта.рф', 'иван@xn--80a1acny.xn--p1ai'],
    ['иван@почта.рф', ' ИВАН@ПОЧТА.РФ '],
    ['иван@почта.рф', 'Иван@XN--80A1ACNY.xn--p1ai'],
    ['иван@почта.рф', 'иван@почта。рф'],
    // The letter й as one sign, and as и with a breve.
    ['андре\u0439@почта.рф', 'андре\u0438\u0306@почта.рф'],
    ['owner@münchen.de', 'owner@xn--mnchen-3ya.de'],
    ['Owner@Example.COM', 'owner@example.com'],
  ])('has %s and %s', (one, other) => {
    expect([one, other].filter((email) => !isAddress(email))).toEqual([]);
    expect(normalEmail(one)).toBe(normalEmail(other));
  });

  it('is shown as it is written where all of its domain is Cyrillic, and in punycode else', () => {
    expect(normalEmail('ИВАН@xn--80a1acny.xn--p1ai')).toBe('иван@почта.рф');
    expect(normalEmail('owner@München.de')).toBe('owner@xn--mnchen-3ya.de');
    // Wholly Cyrillic, and looks like arr.com.
    expect(normalEmail('owner@арр.com')).toBe('owner@xn--80a6aa.com');
  });

  it('keeps its form when it is read again, whatever the text is', () => {
    const part = fc.string({ unit: fc.constantFrom(...'abXй.-ЁёПß@。ı9'), maxLength: 12 });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const once = normalEmail(`${local}@${domain}.рф`);
        expect(normalEmail(once)).toBe(once);
      }),
    );
  });
});

describe('addresses that look alike', () => {
  it.each([
    // Cyrillic letters for Latin ones: а, о, е, с, р.
    ['ivan@example.com', 'iv\u0430n@example.com'],
    ['ivan@apple.com', 'ivan@\u0430pple.com'],
    ['ivan@example.com', 'ivan@example.c\u043em'],
    ['иван@почта.рф', 'иван@п\u006fчта.рф'],
    ['иван@почта.рф', 'ив\u0061н@почта.рф'],
    ['ivan@example.com', 'ivan@ex\u03b1mple.com'],
  ])('are never one: %s is an address, and %s is none', (real, mixed) => {
    expect([isAddress(real), isAddress(mixed)]).toEqual([true, false]);
    expect(normalEmail(mixed)).not.toBe(normalEmail(real));
  });

  it('of one script each are two accounts', () => {
    // Wholly Latin and wholly Cyrillic: "cop" and "сор".
    const [latin, cyrillic] = ['cop@example.com', 'сор@example.com'];
    expect([isAddress(latin), isAddress(cyrillic)]).toEqual([true, true]);
    expect(normalEmail(latin)).not.toBe(normalEmail(cyrillic));
    expect(normalEmail('елка@почта.рф')).not.toBe(normalEmail('ёлка@почта.рф'));
  });
});
