import { describe, expect, it } from 'vitest';
import {
  type AddressRange,
  addressRange,
  isWithin,
  rangeText,
} from '../../../src/platform/network/address-ranges.js';

function rangesOf(...words: readonly string[]): AddressRange[] {
  return words.map(addressRange).filter((range) => range !== undefined);
}

describe('a range of addresses', () => {
  const ranges = rangesOf('203.0.113.0/24', '2001:db8::/32');

  it.each([
    '203.0.113.9',
    '::ffff:203.0.113.9',
    '::ffff:cb00:7109',
    '2001:DB8::1',
    '2001:db8::1%eth0',
  ])('holds %s, in whichever form it is written', (address) => {
    expect(isWithin(address, ranges)).toBe(true);
  });

  it.each([
    '203.0.114.9',
    '::203.0.113.9',
    '::cb00:7109',
    '64:ff9b::203.0.113.9',
    '203.0.113.009',
    '3405803785',
    'fe80::1%eth0',
    '',
  ])('does not hold %s', (address) => {
    expect(isWithin(address, ranges)).toBe(false);
  });

  it('of an address that carries one of version 4, and is not mapped, is of version 6', () => {
    const [carrying, mapped] = rangesOf('::203.0.113.9', '::ffff:203.0.113.9');
    expect([carrying, mapped].map((range) => range && rangeText(range))).toEqual([
      '::cb00:7109',
      '203.0.113.9',
    ]);
    expect(isWithin('203.0.113.9', rangesOf('::203.0.113.0/120'))).toBe(false);
  });
});
