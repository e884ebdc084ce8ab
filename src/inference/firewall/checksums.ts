import { crc32 } from 'node:zlib';

/** Arithmetic of identifiers. Every function expects digits only, of the length that it names. */

function digit(digits: string, index: number): number {
  return digits.charCodeAt(index) - 48;
}

function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    sum += digit(digits, index) * (weights[index] ?? 0);
  }
  return sum;
}

const INN_10 = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const INN_12_FIRST = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8];
const INN_12_SECOND = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** INN of 10 or 12 digits: weighted sums modulo 11 modulo 10 (order of the tax service). */
export function isInn(digits: string): boolean {
  if (/^0+$/.test(digits)) return false;
  if (digits.length === 10) return (weighted(digits, INN_10) % 11) % 10 === digit(digits, 9);
  if (digits.length !== 12) return false;
  return (
    (weighted(digits, INN_12_FIRST) % 11) % 10 === digit(digits, 10) &&
    (weighted(digits, INN_12_SECOND) % 11) % 10 === digit(digits, 11)
  );
}

/**
 * SNILS of 11 digits: nine digits times 9 to 1, modulo 101, where 100 is written 00. Numbers up to
 * 001-001-998 were given out without a checksum and are not recognised.
 */
export function isSnils(digits: string): boolean {
  if (digits.length !== 11 || digits.slice(0, 9) <= '001001998') return false;
  const control = (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100;
  return control === Number(digits.slice(9));
}

/** OGRN of 13 digits (first 12 modulo 11 modulo 10) or OGRNIP of 15 (first 14 modulo 13). */
export function isOgrn(digits: string): boolean {
  if (digits.length !== 13 && digits.length !== 15) return false;
  if (digits.startsWith('0')) return false;
  const base = Number(digits.slice(0, -1));
  return (base % (digits.length - 2)) % 10 === digit(digits, digits.length - 1);
}

/** The checksum of payment cards (ISO/IEC 7812). */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = digit(digits, digits.length - 1 - index);
    const counted = index % 2 === 0 ? value : value * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/**
 * The unified number of a health insurance policy (ENP) of 16 digits: the digits at odd places
 * from the right, without the last one, are written as a number and doubled, the others are put in
 * front, and the digits of it all with the control digit give a multiple of ten (order 29n of the
 * ministry of health, 2011). That is the checksum of payment cards.
 */
export function isOmsPolicy(digits: string): boolean {
  return digits.length === 16 && !/^0{2}|^(\d)\1+$/.test(digits) && isLuhn(digits);
}

/**
 * The key of an account of 20 digits against the bank's BIC (Bank of Russia): weights 7, 1, 3 over
 * three digits of the BIC and the account; the sum of the last digits of the products ends in 0.
 * A correspondent account (301…) takes 0 and digits 5 and 6 of the BIC, another the last three.
 */
export function isAccountOfBank(account: string, bic: string): boolean {
  if (account.length !== 20 || bic.length !== 9) return false;
  const ofBank = account.startsWith('301') ? `0${bic.slice(4, 6)}` : bic.slice(6);
  const keyed = ofBank + account;
  let sum = 0;
  for (let index = 0; index < keyed.length; index += 1) {
    sum += (digit(keyed, index) * ([7, 1, 3][index % 3] ?? 0)) % 10;
  }
  return sum % 10 === 0;
}

/** IBAN without spaces, upper case (ISO 13616): modulo 97 of the rearranged number is 1. */
export function isIban(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The six base62 digits of the CRC32 of a text, as GitHub and npm put them at a token's end. */
export function base62Crc(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  while (encoded.length < 6) {
    encoded = BASE62.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
