import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/platform/config.js';
import {
  clientAddress,
  limitedAddress,
  NO_PROXIES,
  trustedProxies,
} from '../../../src/platform/network/client-address.js';

function clientOf(list: string, peer: string, forwardedFor?: string): string {
  const proxies = trustedProxies(list);
  if (!proxies) throw new Error(`${list} is no list of proxies`);
  return clientAddress(peer, forwardedFor, proxies);
}

const RANGES = '10.0.0.0/8, 192.0.2.7 fd00::/8';

describe('the address of a client', () => {
  it.each([
    ['is the peer where nobody is trusted', '', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is the peer where it is not trusted', RANGES, '203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['is the peer where it says nothing', RANGES, '10.0.0.1', undefined, '10.0.0.1'],
    ['is the peer where it says nothing but blanks', RANGES, '10.0.0.1', ' , ', '10.0.0.1'],
    ['is what a trusted peer says', RANGES, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'is not what a client wrote before',
      RANGES,
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'is what the first of two proxies says',
      RANGES,
      '192.0.2.7',
      '10.0.0.66, 203.0.113.9, 10.9.9.9',
      '203.0.113.9',
    ],
    ['is the farthest proxy where all are', RANGES, '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['ends at a word', RANGES, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['ends at a name', RANGES, '10.0.0.1', 'example.com', '10.0.0.1'],
    ['may have a port', RANGES, '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['of IPv6 may have a port', RANGES, '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['of IPv6 may have brackets', RANGES, 'fd00::1', '[2001:db8::1]', '2001:db8::1'],
    ['of IPv6 is not one of IPv4', '0.0.0.0/0', '2001:db8::1', '1.1.1.1', '2001:db8::1'],
    ['of IPv4 is not one of IPv6', '::/0', '203.0.113.9', '1.1.1.1', '203.0.113.9'],
    ['is known when mapped', RANGES, '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['is known when mapped in hexadecimal', RANGES, '::FFFF:a00:1', '1.1.1.1', '1.1.1.1'],
    [
      'of a mapped peer that is not trusted is plain',
      RANGES,
      '::ffff:1.2.3.4',
      '9.9.9.9',
      '1.2.3.4',
    ],
    ['of a mapped peer is plain without proxies', '', '::ffff:1.2.3.4', undefined, '1.2.3.4'],
    ['follows a mapped range', '::ffff:10.0.0.0/104', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['is behind one hop', '1', '203.0.113.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['is behind two hops', '2', '203.0.113.1', '9.9.9.9, 1.1.1.1, 203.0.113.9', '1.1.1.1'],
    ['is the last of a chain shorter than its hops', '3', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['is the peer behind no hop', '0', '203.0.113.1', '1.1.1.1', '203.0.113.1'],
    ['of a socket that is gone is empty', RANGES, '', '1.1.1.1', ''],
  ])('%s', (_, list, peer, forwardedFor, client) => {
    expect(clientOf(list, peer, forwardedFor)).toBe(client);
  });

  it('does not change by anything that an untrusted client writes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (forged) => {
        expect(clientOf(RANGES, '10.0.0.1', `${forged}, 203.0.113.9`)).toBe('203.0.113.9');
        expect(clientOf('1', '10.0.0.1', `${forged},203.0.113.9`)).toBe('203.0.113.9');
        expect(clientOf(RANGES, '203.0.113.9', forged)).toBe('203.0.113.9');
      }),
    );
  });
});

describe('a list of proxies', () => {
  it.each(['', ' ', ','])('names none by %j', (list) => {
    expect(trustedProxies(list)).toBe(NO_PROXIES);
  });

  it.each([
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::ffff:10.0.0.0/64',
    'fe80::1%eth0',
    '17',
    '1,2',
    '-1',
    '10.0.0.1:80',
    'true',
    '*',
  ])('that is %s stops the start', (list) => {
    expect(() => readConfig({ GW_SECRET: 'x'.repeat(32), GW_TRUSTED_PROXIES: list })).toThrow(
      'GW_TRUSTED_PROXIES: must list addresses and CIDR ranges, ' +
        'or be the number of proxies in front, up to 16',
    );
  });
});

describe('what a client is limited by', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, limited) => {
    expect(limitedAddress(address)).toBe(limited);
  });

  it('is one for all addresses of a network of 64 bits', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 0, max: 0xffff }), (address, last) => {
        const limited = limitedAddress(address);
        const another = address.replace(/[^:.]*$/, last.toString(16));
        if (!address.includes('.') && !address.endsWith(':')) {
          expect(limitedAddress(another)).toBe(limited);
        }
      }),
    );
  });
});
