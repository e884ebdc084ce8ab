import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_PHRASES, WANTED_PHRASES } from '../../src/delivery/cockpit/check-phrases.js';
import { REPORT_PHRASES } from '../../src/growth/devex/debug/report-phrases.js';
import { CALL_PHRASES, TITLE_PHRASES } from '../../src/growth/readiness/item-phrases.js';
import { ERRORS, type ErrorCode } from '../../src/kernel/errors/catalogue.js';
import { type Fault, failOnFaults, GatewayError } from '../../src/kernel/errors/fail.js';
import { EXPECTED_PHRASES, FAULT_PHRASES } from '../../src/kernel/errors/fault-phrases.js';
import { count, fault, length, oneOf, present, range } from '../../src/kernel/errors/faults.js';
import { PLACE_PHRASES } from '../../src/kernel/errors/place-phrases.js';
import type { ErrorRow } from '../../src/kernel/errors/row.js';
import { describedIn, told } from '../../src/kernel/errors/told.js';
import { LANGUAGES, preferredLanguage } from '../../src/kernel/language/languages.js';
import { Phrases } from '../../src/kernel/language/phrases.js';
import { filled } from '../../src/kernel/language/template.js';
import { englishWords } from '../support/english-words.js';
import { faultTextsOf } from '../support/fault-texts.js';
import { codeBelow } from '../tidy/files.js';
import { thrownBy } from './thrown.js';

const ROWS = Object.entries(ERRORS) as [ErrorCode, ErrorRow][];
/** The names of the places of a template, each once and in the order of the alphabet. */
function placesOf(template: string): string[] {
  const places = template.matchAll(/\{(\w+)(?:\|[^{}]*)?\}/g);
  return [...new Set([...places].map((match) => match[1] ?? ''))].sort();
}

const TABLES = [
  FAULT_PHRASES,
  EXPECTED_PHRASES,
  CHECK_PHRASES,
  WANTED_PHRASES,
  TITLE_PHRASES,
  CALL_PHRASES,
  REPORT_PHRASES,
  ...Object.values(PLACE_PHRASES),
];
const PHRASES = TABLES.flat();

describe('the preferred language', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['ru', 'ru'],
    ['RU', 'ru'],
    ['ru-RU', 'ru'],
    ['ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'ru'],
    ['en-US,en;q=0.9,ru;q=0.8', 'en'],
    ['en;q=0.3, ru;q=0.7', 'ru'],
    ['de, ru;q=0.1', 'ru'],
    ['de', 'en'],
    ['*', 'en'],
    ['ru, *;q=0.5', 'ru'],
    ['en;q=0', 'en'],
    ['en;q=0, *', 'ru'],
    ['ru;q=0', 'en'],
    ['ru;q=0, en;q=0', 'en'],
    ['ru;q=x', 'en'],
    [' ,, ; ru', 'en'],
  ])('of %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });

  it('is what stands in for one where the header names none', () => {
    expect([undefined, '*', 'de', 'en'].map((header) => preferredLanguage(header, 'ru'))).toEqual([
      'ru',
      'ru',
      'ru',
      'en',
    ]);
  });

  it('is there for every header', () => {
    const mixed = fc.string({ unit: fc.constantFrom(...'ruen-;,=q0.91* "\\'), maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(mixed, fc.string()), (header) => {
        expect(LANGUAGES).toContain(preferredLanguage(header));
      }),
    );
  });
});

describe('a number and what it counts', () => {
  it.each([
    [0, '0 запросов'],
    [1, '1 запрос'],
    [2, '2 запроса'],
    [5, '5 запросов'],
    [11, '11 запросов'],
    [21, '21 запрос'],
    [104, '104 запроса'],
    [112, '112 запросов'],
    [1.5, '1.5 запроса'],
    ['22', '22 запроса'],
    [1_000_001n, '1000001 запрос'],
    ['много', 'много запросов'],
  ])('%s is %s', (limit, shown) => {
    expect(filled('{limit|запрос|запроса|запросов}', { limit }, 'ru')).toBe(shown);
  });

  it('takes values as they are: as no pattern, and with their own braces', () => {
    expect(filled('{a} и {b}', { a: '$& {b}', b: "$'" }, 'ru')).toBe("$& {b} и $'");
    expect(filled('{a}: {n|раз|раза|раз}', {}, 'ru')).toBe('{a}: {n} раз');
  });
});

describe('the error catalogue in Russian', () => {
  it('has every row: a module adds `ru` to each row of its errors.ts', () => {
    // A row without it does not compile; here its code is named.
    const without = ROWS.filter(([, { ru }]) => !(ru?.message && ru.cause && ru.fix?.length));
    expect(without.map(([code]) => code)).toEqual([]);
  });

  it('has the places and as many steps as the English row', () => {
    const places = ({ message, cause, fix }: Pick<ErrorRow, 'message' | 'cause' | 'fix'>) => ({
      message: placesOf(message),
      cause: placesOf(cause),
      steps: fix.length,
      fix: placesOf(fix.join(' ')),
    });
    for (const [code, row] of ROWS) {
      expect({ code, ...places(row.ru) }).toEqual({ code, ...places(row) });
    }
  });

  it('is in sentences, with its own quotes and dashes', () => {
    for (const [code, { ru }] of ROWS) {
      const isPassedOn = /^\{\w+\}$/.test(ru.message);
      const texts = isPassedOn ? [ru.cause, ...ru.fix] : [ru.message, ru.cause, ...ru.fix];
      for (const text of texts) {
        expect([code, text]).toEqual([code, expect.stringMatching(/^[А-ЯЁ].{9,}[.}]$/)]);
        const prose = text.replace(/\{"[^}]*\}|"metadata": \{[^}]*\}+/g, '');
        expect([code, prose]).toEqual([code, expect.not.stringMatching(/"| - |--|\.\.\./)]);
      }
    }
  });

  it('has no English word but names and code', () => {
    for (const [code, { ru }] of ROWS) {
      const words = englishWords([ru.message, ru.cause, ...ru.fix].join('\n'));
      expect([code, words]).toEqual([code, []]);
    }
  });

  it.each(LANGUAGES)('is told in %s with every place filled', (language) => {
    for (const [code, row] of ROWS) {
      const values = Object.fromEntries(placesOf(row.message).map((name) => [name, 21]));
      const { message } = told(new GatewayError(code, { values }), language);
      expect([code, message]).toEqual([code, expect.not.stringMatching(/[{}|]/)]);
      const described = describedIn(row, language);
      expect([code, described.message]).toEqual([code, expect.not.stringMatching(/\|/)]);
    }
  });

  it('is filled in by what is said of the place', () => {
    const shown = (code: ErrorCode, values: Record<string, string | number>) =>
      told(new GatewayError(code, { values }), 'ru').message;
    expect(shown('api_key_revoked', {})).toBe('Ключ API отозван.');
    expect(shown('rate_limit_requests', { limit: 21 })).toBe('Больше 21 запроса в минуту.');
    expect(shown('rate_limit_requests', { limit: 60 })).toBe('Больше 60 запросов в минуту.');
    expect(shown('not_found', { subject: 'member', id: 'x' })).toBe(
      'Объект не найден: участник, идентификатор x.',
    );
    expect(shown('invalid_token', { reason: 'it has expired' })).toBe(
      'Токен недействителен: срок его действия истёк.',
    );
    // A budget that is called as a phrase of the code keeps its name.
    expect(shown('budget_exhausted', { budget: 'day', spent: '1.00', cap: '1.00' })).toBe(
      'Бюджет «day» исчерпан: потрачено 1.00 из 1.00 ₽.',
    );
  });
});

const IN_ONE_PIECE = 'the schema must be written in one piece';

describe('faults in Russian', () => {
  const said = (faults: Fault[]) => {
    const failure = thrownBy(() => failOnFaults(faults)) as GatewayError;
    return told(failure, 'ru');
  };

  it.each([
    [range('n', 0, { min: 1, max: 5 }), 'Поле n: значение должно быть от 1 до 5.'],
    [range('n', 0, { min: 1 }), 'Поле n: значение должно быть не меньше 1.'],
    [range('n', 9, { max: 5 }), 'Поле n: значение должно быть не больше 5.'],
    [length('name', '', { min: 1, max: 21 }), 'Поле name: длина должна быть от 1 до 21 символа.'],
    [length('name', 'long', { max: 2 }), 'Поле name: длина — не больше 2 символов.'],
    [count('tags', [1, 2], { max: 1 }), 'Поле tags: не больше 1 элемента.'],
    [
      oneOf('mode', 'maskk', ['mask', 'block']),
      'Поле mode: допустимы значения mask, block; возможно, вы имели в виду mask?',
    ],
    [oneOf('mode', '?', ['mask', 'block']), 'Поле mode: допустимы значения mask, block.'],
    [present('a.0.b', null), 'Поле a.0.b обязательно.'],
    [
      [fault('from', 'out_of_range', 'must be before to, by at most 21 days')],
      'Поле from должно быть раньше to не больше чем на 21 день.',
    ],
    [
      [fault('period', 'invalid', 'must be a month, such as 2026-10')],
      'Поле period: укажите месяц, например 2026-10.',
    ],
    [
      [fault('schema.$ref', 'unknown_value', `cannot be used: ${IN_ONE_PIECE}, without $ref`)],
      'Поле schema.$ref нельзя использовать: схема должна быть записана целиком, без $ref.',
    ],
    [
      [fault('name', 'invalid', 'must not hold the character U+0000')],
      'В поле name не допускается: символ U+0000.',
    ],
    [[fault('email', 'invalid', 'must be an e-mail address')], /^Поле email: укажите адрес/],
  ])('are said of each rule of input', (faults, message) => {
    const shown = said(faults);
    expect(shown.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
    expect(shown.faults).toEqual([{ ...faults[0], message: shown.message }]);
  });

  it('are counted, and one of a special case keeps its English words', () => {
    const special = fault('b', 'invalid', 'is what no table knows');
    const shown = said([...present('a', null), special]);
    expect(shown.message).toBe('В запросе 2 ошибки. Поле a обязательно. b is what no table knows.');
    expect(shown.faults?.[1]).toEqual(special);
  });
});

/** Names of fields and values that phrases write as they are. */
const FIELDS =
  'from to first after last before alias target key content https rotate revoke none input ' +
  'messages simulated reason signed true false tokens firewall PINNED FIXED REFUSE NOMINAL ' +
  'EVALUATION PROVIDER each path json items name model';

describe('phrases', () => {
  it('have the same places in both languages', () => {
    for (const [said, translated] of PHRASES) {
      const unused = said.includes('{noun}') ? ['noun'] : [];
      const places = placesOf(said).filter((name) => !unused.includes(name));
      expect([said, placesOf(translated)]).toEqual([said, places]);
    }
  });

  it('are found by their own wording, before any other that fits', () => {
    for (const rows of TABLES) {
      const phrases = new Phrases('ru', rows);
      for (const [said, translated] of rows) {
        const values = Object.fromEntries(placesOf(said).map((name) => [name, `«${name}»`]));
        const whole = filled(said, values, 'en');
        expect([whole, phrases.find(whole)]).toEqual([whole, filled(translated, values, 'ru')]);
      }
    }
  });

  it('have no English word in Russian but names and code', () => {
    const fields = FIELDS.split(' ');
    const found = PHRASES.map(
      ([said, translated]) => [said, englishWords(translated, fields)] as const,
    );
    expect(found.filter(([, words]) => words.length > 0)).toEqual([]);
  });

  it('are ones that the code says', () => {
    const files = codeBelow('src', 'rest-compat').filter(({ path }) => !/-phrases\.ts$/.test(path));
    const code = files
      .map(({ text }) => text.replace(/['`] \+\s+['`]/g, '').replaceAll('\\`', '`'))
      .concat(files.flatMap(({ text }) => faultTextsOf(text)))
      .join('\n');
    const unsaid = PHRASES.filter(([said]) =>
      said
        // Sentences, clauses and what stands behind a verb are put together by the code.
        .split(
          /\{\w+\}|[.:;?] |must be |such as |(?=at position)|(?= of at most|periods of|are not)/,
        )
        .map((piece) => piece.trim().replace(/[.:;?]$/, ''))
        .some((piece) => !code.includes(piece)),
    );
    expect(unsaid.map(([said]) => said)).toEqual([]);
  });
});
