import fc from 'fast-check';
import { GraphQLError, type GraphQLScalarType, parseValue } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  BigIntScalar,
  DateScalar,
  DateTimeScalar,
  IdScalar,
  JsonScalar,
  PeriodBeginScalar,
  PeriodEndScalar,
  RubScalar,
  Sha256Scalar,
} from '../../src/graph/scalars.js';
import { newId } from '../../src/kernel/ids.js';

/** Every value is refused as a variable, and as a literal where it can be written as one. */
function expectRefused(scalar: GraphQLScalarType, values: readonly unknown[]): void {
  for (const value of values) {
    expect(() => scalar.parseValue(value), JSON.stringify(value)).toThrow(GraphQLError);
    const literal = parseValue(JSON.stringify(value) ?? 'null');
    expect(() => scalar.parseLiteral(literal), JSON.stringify(value)).toThrow(GraphQLError);
  }
}

describe('Rub', () => {
  it('reads decimal strings and numbers to the micro-ruble, as variables and literals', () => {
    const table: [unknown, bigint][] = [
      ['12.50', 12_500_000n],
      ['-0.000001', -1n],
      [12.5, 12_500_000n],
      [0.1, 100_000n],
      [7, 7_000_000n],
    ];
    for (const [input, micro] of table) {
      expect(RubScalar.parseValue(input)).toBe(micro);
      expect(RubScalar.parseLiteral(parseValue(JSON.stringify(input)))).toBe(micro);
    }
  });

  it('refuses seven decimals, exponents, what is no number, and other types', () => {
    expectRefused(RubScalar, ['0.0000001', '1e3', 'NaN', '', ' 1', '1,5', true, null, [1], {}]);
    const numbers = [Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1e-7, 0.1 + 0.2];
    for (const value of numbers) {
      expect(() => RubScalar.parseValue(value)).toThrow(GraphQLError);
    }
    expect(() => RubScalar.parseLiteral(parseValue('1e3'))).toThrow(GraphQLError);
  });

  it('says what is expected', () => {
    expect(() => RubScalar.parseValue('1e3')).toThrow(
      '"1e3" is no Rub. An amount in rubles as a decimal string with at most six places, ' +
        'such as "12.50".',
    );
  });

  it('what is written is read back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (micro) => {
        expect(RubScalar.parseValue(RubScalar.serialize(micro))).toBe(micro);
      }),
    );
  });
});

describe('ID', () => {
  it('reads any version in any case and gives lower case', () => {
    const id = newId('Policy');
    expect(IdScalar.parseValue(id.toUpperCase())).toBe(id);
    expectRefused(IdScalar, ['', 'x', `${id} `, id.replaceAll('-', ''), 7, null]);
  });
});

describe('Sha256', () => {
  const hex = 'ab'.repeat(32);

  it('reads 64 lower-case digits and writes bytes as such', () => {
    expect(Sha256Scalar.parseValue(hex)).toBe(hex);
    expect(Sha256Scalar.serialize(Buffer.from(hex, 'hex'))).toBe(hex);
    expect(Sha256Scalar.serialize(hex)).toBe(hex);
    expectRefused(Sha256Scalar, ['', hex.toUpperCase(), hex.slice(1), `${hex}0`, null]);
  });
});

describe('DateTime', () => {
  it('reads RFC 3339 with any offset and writes UTC with milliseconds', () => {
    const moment = DateTimeScalar.parseValue('2026-01-31T12:00:00+03:00');
    expect(DateTimeScalar.serialize(moment)).toBe('2026-01-31T09:00:00.000Z');
  });

  it('refuses what has no offset, what is no moment, and other notations', () => {
    expectRefused(DateTimeScalar, [
      '2026-01-31T12:00:00',
      '2026-01-31',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '31.01.2026',
      1_767_214_800_000,
      null,
    ]);
  });
});

describe('a bound of a period', () => {
  it('is a time, or a day of Moscow: its midnight as a begin, its end as an end', () => {
    const [begin, end] = [PeriodBeginScalar, PeriodEndScalar].map(({ parseValue }) =>
      ['2026-01-31', '2026-01-31T12:00:00+03:00'].map((text) => parseValue(text).toISOString()),
    );
    expect(begin).toEqual(['2026-01-30T21:00:00.000Z', '2026-01-31T09:00:00.000Z']);
    expect(end).toEqual(['2026-01-31T21:00:00.000Z', '2026-01-31T09:00:00.000Z']);
  });

  it('refuses days that the calendar lacks, times without an offset and other notations', () => {
    for (const scalar of [PeriodBeginScalar, PeriodEndScalar]) {
      expectRefused(scalar, ['2026-02-30', '2026-01-31T12:00:00', '31.01.2026', '2026-01', 1, '']);
    }
  });
});

describe('Date', () => {
  it('reads a calendar day and writes it as such', () => {
    expect(DateScalar.parseValue('2024-02-29')).toBe('2024-02-29');
    expect(DateScalar.serialize(new Date('2026-01-31T23:59:59Z'))).toBe('2026-01-31');
  });

  it('refuses days that the calendar lacks, and other notations', () => {
    expectRefused(DateScalar, ['2026-02-29', '2026-02-30', '2026-13-01', '2026-1-1', '', null]);
  });
});

describe('BigInt', () => {
  it('reads and writes integers beyond the safe ones as strings', () => {
    const text = '-9007199254740993';
    expect(BigIntScalar.serialize(BigIntScalar.parseValue(text))).toBe(text);
    expect(BigIntScalar.parseLiteral(parseValue('9007199254740993'))).toBe(9007199254740993n);
    expectRefused(BigIntScalar, ['', '1.0', '1e3', '0x1', '9'.repeat(31), 1.5, true, null]);
  });

  it('refuses a number beyond the safe integers: its digits may not be those sent', () => {
    expect(() => BigIntScalar.parseValue(2 ** 53)).toThrow(GraphQLError);
  });
});

describe('JSON', () => {
  it('hands on the very object that came in', () => {
    const value = { a: [1, { b: null }] };
    expect(JsonScalar.parseValue(value)).toBe(value);
    expect(JsonScalar.serialize(value)).toBe(value);
  });

  it('reads literals with variables in them', () => {
    const literal = parseValue('{ a: [1, "x", $v], b: null }');
    expect(JsonScalar.parseLiteral(literal, { v: 2 })).toEqual({ a: [1, 'x', 2], b: null });
  });

  it('reads a literal as its JSON text is read, to the prototypes of its objects', () => {
    const literal = parseValue('{ a: [{ b: 1 }], __proto__: { c: { d: 2 } } }');
    const text = '{ "a": [{ "b": 1 }], "__proto__": { "c": { "d": 2 } } }';
    expect(JsonScalar.parseLiteral(literal)).toStrictEqual(JSON.parse(text));
  });
});
