import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptPath, keptReferrer } from '../../../src/growth/analytics/beacon.rules.js';
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
    // Numbers of people, however their digits are written or set apart.
    ['/call/+7-916-123-45-67', '/call/:id'],
    ['/call/8(916)123-45-67', '/call/:id'],
    ['/call/8%20916%20123%2045%2067', '/call/:id'],
    ['/snils/112-233-445 95', '/snils/:id'],
    ['/snils/112–233–445–95', '/snils/:id'],
    ['/u/１２３４５', '/u/:id'],
    ['/u/٠١٢٣٤', '/u/:id'],
    ['/u/anna＠example.com', '/u/:id'],
    ['/u/anna%252540example.com', '/u/:id'],
    ['/reset/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln', '/reset/:id'],
    ['/find/%3Fname=Anna', '/find/:id'],
    ['/basket;jsessionid=AB12/pay', '/basket/pay'],
    ['C:\\Users\\anna@home', '/C:/Users/:id'],
    ['/a\u202eb/\r\nSet-Cookie: a', '/:id/:id'],
    // What names nobody stays.
    ['/blog/2026-11-22-release', '/blog/2026-11-22-release'],
    ['/python/3.11.2', '/python/3.11.2'],
    ['/тарифы', '/тарифы'],
    [`/${'a'.repeat(198)}😀`, `/${'a'.repeat(198)}`],
  ])('%s is %s', (given, kept) => {
    expect(keptPath(given)).toBe(kept);
  });

  it('is short, and has no query, no address and no long number, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: 'binary' }), (given) => {
        const kept = keptPath(given);
        expect(kept.length).toBeLessThanOrEqual(BEACON_BOUNDS.pathCharactersMax);
        expect(kept.startsWith('/')).toBe(true);
        expect(kept).not.toMatch(/[?#@;\\]|\d{5}|\p{C}/u);
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
    ['https://anna.79161234567.shop.example.com/', 'shop.example.com'],
    ['https://f47ac10b-58cc-4372-a567-0e02b2c3d479.app.example/', 'app.example'],
    ['https://12306.cn/', '12306.cn'],
    [`https://${'a.'.repeat(200)}example.com/`, null],
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
