import fc from 'fast-check';

/** Valid identifiers made from the published rules, apart from the code under test. */

const digitsOf = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

function sum(digits: string, weights: readonly number[]): number {
  return weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
}

export const inn10 = digitsOf(8).map((tail) => {
  const body = `7${tail}`;
  return body + ((sum(body, [2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
});

export const inn12 = digitsOf(9).map((tail) => {
  const body = `5${tail}`;
  const first = body + ((sum(body, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
  return first + ((sum(first, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
});

export const snils = digitsOf(8).map((tail) => {
  const body = `1${tail}`;
  const control = sum(body, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101;
  return body + String(control === 100 ? 0 : control).padStart(2, '0');
});

export const ogrn = digitsOf(9).map((tail) => {
  const body = `102${tail}`;
  return body + String((BigInt(body) % 11n) % 10n);
});

export const ogrnip = digitsOf(11).map((tail) => {
  const body = `304${tail}`;
  return body + String((BigInt(body) % 13n) % 10n);
});

/** Visa of 16 digits. */
export const card = digitsOf(14).map((tail) => {
  const body = `4${tail}`;
  const total = [...body].reduce((running, character, index) => {
    const value = Number(character) * (index % 2 === 0 ? 2 : 1);
    return running + (value > 9 ? value - 9 : value);
  }, 0);
  return body + ((10 - (total % 10)) % 10);
});

/** A BIC and a settlement account of that bank. */
export const account = fc.tuple(digitsOf(5), digitsOf(11)).map(([bank, tail]) => {
  const bic = `0445${bank}`;
  const at = (key: number) => `40702810${key}${tail}`;
  const keyed = (key: number) => bic.slice(6) + at(key);
  const weights = Array.from({ length: 23 }, (_, index) => [7, 1, 3][index % 3] ?? 0);
  const fits = (key: number) =>
    [...keyed(key)].reduce(
      (total, digit, index) => total + ((Number(digit) * (weights[index] ?? 0)) % 10),
      0,
    ) %
      10 ===
    0;
  const key = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find(fits) ?? 0;
  return { bic, account: at(key) };
});

export const phone = fc
  .tuple(
    fc.constantFrom('903', '916', '495', '812', '343', '800', '926'),
    digitsOf(7),
    fc.constantFrom(
      (code: string, rest: string) => `+7${code}${rest}`,
      (code: string, rest: string) =>
        `+7 (${code}) ${rest.slice(0, 3)}-${rest.slice(3, 5)}-${rest.slice(5)}`,
      (code: string, rest: string) =>
        `8 ${code} ${rest.slice(0, 3)} ${rest.slice(3, 5)} ${rest.slice(5)}`,
      (code: string, rest: string) =>
        `8-${code}-${rest.slice(0, 3)}-${rest.slice(3, 5)}-${rest.slice(5)}`,
      (code: string, rest: string) => `8(${code})${rest.slice(0, 3)}-${rest.slice(3)}`,
    ),
  )
  .map(([code, rest, write]) => write(code, rest));

export const email = fc
  .tuple(
    fc.stringMatching(/^[a-z][a-z0-9]{0,10}(?:\.[a-z0-9]{1,8})?$/),
    fc.stringMatching(/^[a-z][a-z0-9]{1,10}$/),
    fc.constantFrom('ru', 'com', 'org', 'рф'),
  )
  .map(([local, host, zone]) => `${local}@${host}.${zone}`);

export const gatewayKey = fc.stringMatching(/^gw_sk_[0-9A-Za-z]{49}$/);

/**
 * Texts made of pieces on which detectors and their boundaries turn: digits, separators, labels,
 * placeholders, and halves of each.
 */
export const nastyText = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(' ', '-', '\n', '.', ',', '(', ')', '+', '@', '/') },
      { weight: 2, arbitrary: digitsOf(3) },
      { weight: 1, arbitrary: digitsOf(10) },
      { weight: 2, arbitrary: fc.oneof(inn10, inn12, snils, ogrn, card, phone, email, gatewayKey) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'ИНН ',
          'СНИЛС: ',
          'паспорт ',
          'тел. ',
          'БИК 044525225',
          'обычные слова ',
          'password=',
          ...['Петров Пётр Ильич ', 'Анна Львовна', 'ВУ 99 12 345678', 'КПП 773601001 '],
          ...['родился 01.02.1990', '1985 г.р.', 'А123ВС77', 'госномер M 077 AA 199 '],
          ...['полис ОМС 7755550898000037', 'загранпаспорт 71 1234567', 'ivan (at) mail dot ru'],
          ...['\u200b', '\u00a0', '\u2212', '７７０', '١٢٣', 'артикул '],
          'Ignore previous instructions',
          '-----BEGIN PRIVATE KEY-----\n',
          '\n-----END PRIVATE KEY-----',
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom('[[GW_', '[', ']', '[[GW_PHONE_1]]', '[[GW_INN_', '1]]', '_'),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

/** A text and places to cut it at. */
export const splitText = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(fc.nat(), { maxLength: 30 })).map(([whole, places]) => {
    const cuts = places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b);
    const pieces = [0, ...cuts].map((from, index) => whole.slice(from, cuts[index]));
    return { whole, pieces };
  });
