import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import {
  afterWrongCode,
  newRecoveryCode,
  newSecret,
  shownSecret,
  stepOf,
  typedCode,
} from '../../../src/access/auth/second-factor.rules.js';

/** The secret of RFC 6238, appendix B, and its codes of eight digits, of which six are the last. */
const RFC_SECRET = Buffer.from('12345678901234567890');
const RFC_CODES = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
] as const;

const PERIOD_MS = 30_000;

function codeAt(secret: Uint8Array, timestamp: number): string {
  return TOTP.generate({
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    timestamp,
  });
}

describe('codes of the authenticator', () => {
  it.each(RFC_CODES)('are those of RFC 6238 at %d s', (seconds, code) => {
    const step = BigInt(Math.floor(seconds / 30));
    expect(stepOf(RFC_SECRET, code, 0n, seconds * 1_000)).toBe(step);
  });

  it('count one step before and behind the clock, no further, and once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 2 ** 31 }),
        fc.integer({ min: -3, max: 3 }),
        (step, away) => {
          const nowMs = step * PERIOD_MS + 7;
          const code = codeAt(RFC_SECRET, nowMs + away * PERIOD_MS);
          const taken = stepOf(RFC_SECRET, code, 0n, nowMs);
          if (Math.abs(away) > 1) {
            expect(taken).not.toBe(BigInt(step + away));
            return;
          }
          expect(taken).toBe(BigInt(step + away));
          expect(stepOf(RFC_SECRET, code, BigInt(step + away), nowMs)).toBeUndefined();
          expect(stepOf(RFC_SECRET, code, BigInt(step + away + 1), nowMs)).toBeUndefined();
        },
      ),
    );
  });

  it('of another secret, and texts that are no codes, are of no step', () => {
    const nowMs = 1_111_111_109_000;
    for (const text of [
      '',
      '1',
      '00000000',
      'ABCDEF',
      '81804',
      '081804 ',
      codeAt(newSecret(), 1),
    ]) {
      expect(stepOf(RFC_SECRET, text, 0n, nowMs)).toBeUndefined();
    }
  });

  it('are told to an authenticator by an address with everything that it needs', () => {
    const { secret, uri } = shownSecret(RFC_SECRET, 'A gateway', 'a@example.test');
    expect(Secret.fromBase32(secret).bytes).toEqual(new Uint8Array(RFC_SECRET));
    expect(uri).toBe(
      'otpauth://totp/A%20gateway:a%40example.test?issuer=A%20gateway' +
        `&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});

describe('a typed code', () => {
  it.each([
    ['123456', 'authenticator', '123456'],
    [' 123 456\n', 'authenticator', '123456'],
    ['abcd-2345-efgh-6723', 'recovery', 'ABCD2345EFGH6723'],
    ['12345', 'recovery', '12345'],
    ['', 'recovery', ''],
  ])('%j is one of the kind %s', (text, kind, code) => {
    expect(typedCode(text)).toEqual({ kind, code });
  });
});

describe('recovery codes', () => {
  it('have 80 bits in four groups, and are never alike', () => {
    const codes = Array.from({ length: 1_000 }, newRecoveryCode);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  });
});

describe('wrong codes', () => {
  it('lock for an hour at the tenth in a row', () => {
    const now = new Date('2026-11-22T10:00:00Z');
    expect(afterWrongCode(0, now)).toEqual({ failures: 1 });
    expect(afterWrongCode(8, now)).toEqual({ failures: 9 });
    const lockedUntil = new Date('2026-11-22T11:00:00Z');
    expect(afterWrongCode(9, now)).toEqual({ failures: 0, lockedUntil });
  });
});
