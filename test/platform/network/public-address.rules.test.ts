import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { addressKey, isPublicAddress } from '../../../src/platform/network/public-address.js';

/** Every range of version 4 that is not of the public internet. */
const INSIDE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Every range of version 6 that is not of the public internet. */
const INSIDE_V6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fd00:ec2::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** An address of a range of version 4, as a number. */
const insideV4 = fc.constantFrom(...INSIDE_V4).chain((range) => {
  const [network, bits] = ipaddr.IPv4.parseCIDR(range);
  const base = network.toByteArray().reduce((sum, byte) => sum * 256 + byte, 0);
  return fc.nat(2 ** (32 - bits) - 1).map((rest) => base + rest);
});

const insideV6 = fc.constantFrom(...INSIDE_V6).chain((range) => {
  const [network, bits] = ipaddr.IPv6.parseCIDR(range);
  const base = BigInt(`0x${Buffer.from(network.toByteArray()).toString('hex')}`);
  return fc.bigInt(0n, 2n ** BigInt(128 - bits) - 1n).map((rest) => textV6(base + rest));
});

function textV4(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function textV6(value: bigint): string {
  return value
    .toString(16)
    .padStart(32, '0')
    .replace(/(.{4})(?=.)/g, '$1:');
}

/** The forms of version 6 that carry an address of version 4. */
const EMBEDDINGS: readonly ((v4: bigint) => bigint)[] = [
  (v4) => v4,
  (v4) => (0xffffn << 32n) | v4,
  (v4) => (0xffffn << 48n) | v4,
  (v4) => (0x64ff9bn << 96n) | v4,
  (v4) => (0x64ff9b0001n << 80n) | v4,
  (v4) => (0x2002n << 112n) | (v4 << 80n),
  (v4) => (0x20010000n << 96n) | (v4 ^ 0xffffffffn),
];

describe('the guard of addresses', () => {
  it('refuses every address of every range of version 4 that is not public', () => {
    fc.assert(fc.property(insideV4, (value) => !isPublicAddress(textV4(value))));
  });

  it('refuses every address of every range of version 6 that is not public', () => {
    fc.assert(fc.property(insideV6, (text) => !isPublicAddress(text)));
  });

  it('refuses addresses inside in every form of version 6 that can carry them', () => {
    fc.assert(
      fc.property(insideV4, fc.constantFrom(...EMBEDDINGS), (value, embed) => {
        return !isPublicAddress(textV6(embed(BigInt(value))));
      }),
    );
  });

  it('refuses what is no address, and addresses with a zone', () => {
    for (const text of ['', 'localhost', '1.1.1', '2130706433', '0177.0.0.1', '1.1.1.1 ']) {
      expect(isPublicAddress(text), text).toBe(false);
    }
    expect(isPublicAddress('2a00:1450:4010:c05::71%eth0')).toBe(false);
  });

  it('allows hosts of the public internet', () => {
    for (const text of ['1.1.1.1', '77.88.55.242', '2a02:6b8:a::a', '2606:4700:4700::1111']) {
      expect(isPublicAddress(text), text).toBe(true);
    }
  });

  it('recognises an address in every spelling', () => {
    expect(addressKey('::ffff:10.0.0.5')).toBe('10.0.0.5');
    expect(addressKey('FD00:0:0::0005')).toBe(addressKey('fd00::5'));
    expect(addressKey('hooks.example.com')).toBe('hooks.example.com');
  });
});
