import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  keptPath,
  keptReferrer,
  limitedAddress,
} from '../../../src/growth/analytics/beacon.rules.js';
import { BEACON_BOUNDS } from '../../../src/growth/analytics/vocabulary.js';

describe('what is kept of a path', () => {
  it.each([
    ['/pricing', '/pricing'],
    ['/pricing?email=a@b.c#top', '/pricing'],
    ['https://user:pass@example.com/a/b?x=1', '/a/b'],
    ['/users/anna@example.com/edit', '/users/:id/edit'],
    ['/users/anna%40example.com', '/users/:id'],
    ['/orders/1234567/lines', '/orders/:id/lines'],
    ['/i/0192f0c1-7a3b-7001-8000-3f2b9c4d5e6f', '/i/:id'],
    ['/reset/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', '/reset/:id'],
    ['/docs/v2/errors', '/docs/v2/errors'],
    ['', '/'],
    ['//', '/'],
    ['/%', '/%'],
    ['/a/b/c/d/e/f/g/h/i/j', '/a/b/c/d/e/f/g/h'],
  ])('%s is %s', (given, kept) => {
    expect(keptPath(given)).toBe(kept);
  });

  it('is short, and has no query, no address and no long number, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: 'binary' }), (given) => {
        const kept = keptPath(given);
        expect(kept.length).toBeLessThanOrEqual(BEACON_BOUNDS.pathCharactersMax);
        expect(kept.startsWith('/')).toBe(true);
        expect(kept).not.toMatch(/[?#@]|\d{5}/);
      }),
    );
  });
});

describe('what is kept of a referrer', () => {
  it.each([
    ['https://www.example.com/search?q=secret#x', 'example.com'],
    ['http://user:pass@News.Example.com:8080/', 'news.example.com'],
    ['example.com', 'example.com'],
    ['android-app://com.example.app/x', 'com.example.app'],
    ['http://203.0.113.7/x', null],
    ['http://[2001:db8::1]/x', null],
    ['http://localhost/x', null],
    ['javascript:alert(1)', null],
    ['', null],
    [' ', null],
    [null, null],
  ])('%s is %s', (given, kept) => {
    expect(keptReferrer(given)).toBe(kept);
  });

  it('is the name of a host or nothing, whatever is sent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (given) => {
        expect(keptReferrer(given) ?? 'a.b').toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
      }),
    );
  });
});

describe('what beacons are limited by', () => {
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
