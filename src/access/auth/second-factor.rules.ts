import { Secret, TOTP } from 'otpauth';

/** Codes as authenticators make them unless told otherwise: SHA-1, six digits, 30 seconds. */
const CODES = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** How many steps the clock of the member may be behind or ahead (RFC 6238, 5.2). */
const STEPS_AROUND = 1;

/** Wrong codes in a row before codes of the authenticator are refused for a while. */
const FAILURES_MAX = 10;

/** For how long they are refused then: at most 240 guesses a day of a million. Milliseconds. */
const LOCK_MS = 3_600_000;

/** 160 bits, as RFC 4226 recommends. */
export function newSecret(): Uint8Array {
  return new Secret({ size: 20 }).bytes;
}

/** How an authenticator is told of a secret: as text to type and as an address for a QR code. */
export function shownSecret(
  bytes: Uint8Array,
  issuer: string,
  label: string,
): { readonly secret: string; readonly uri: string } {
  const secret = secretOf(bytes);
  const uri = new TOTP({ ...CODES, issuer, label, secret }).toString();
  return { secret: secret.base32, uri };
}

/**
 * The time step that a code is of.
 * @param lastStep the step of the last code that was taken; codes of it and before it do not count
 * @returns undefined for a code of no step around this time, or of one that was taken
 */
export function stepOf(
  bytes: Uint8Array,
  code: string,
  lastStep: bigint,
  nowMs: number,
): bigint | undefined {
  const time = { period: CODES.period, timestamp: nowMs };
  const delta = TOTP.validate({
    ...CODES,
    ...time,
    token: code,
    secret: secretOf(bytes),
    window: STEPS_AROUND,
  });
  if (delta === null) return undefined;
  const step = BigInt(TOTP.counter(time) + delta);
  return step > lastStep ? step : undefined;
}

/** What was typed as a code: digits of an authenticator, or a recovery code. */
export type TypedCode =
  | { readonly kind: 'authenticator'; readonly code: string }
  | { readonly kind: 'recovery'; readonly code: string };

/** Reads a code as people type it: spaces, dashes and capitals do not matter. */
export function typedCode(text: string): TypedCode {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return { kind: /^\d{6}$/.test(code) ? 'authenticator' : 'recovery', code };
}

/** A recovery code as it is shown: 80 bits in groups of four. */
export function newRecoveryCode(): string {
  const { base32 } = new Secret({ size: 10 });
  return base32.match(/.{4}/g)?.join('-') ?? base32;
}

/** What is written after a wrong code: the count, and at its bound the lock with a new count. */
export function afterWrongCode(
  failures: number,
  now: Date,
): { readonly failures: number; readonly lockedUntil?: Date } {
  if (failures + 1 < FAILURES_MAX) return { failures: failures + 1 };
  return { failures: 0, lockedUntil: new Date(now.getTime() + LOCK_MS) };
}

function secretOf(bytes: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer });
}
