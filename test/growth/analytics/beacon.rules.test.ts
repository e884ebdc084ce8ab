import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptPath, keptReferrer, routesOf } from '../../../src/growth/analytics/beacon.rules.js';
import { BEACON_BOUNDS, HIDDEN_PART } from '../../../src/growth/analytics/vocabulary.js';

const ROUTES = routesOf('/pricing, /docs/:page, /docs/:page/history, /тарифы, /docs/errors');

describe('what is kept of a path', () => {
  it.each([
    ['/pricing', '/pricing'],
    ['/pricing?email=a@b.c#top', '/pricing'],
    ['https://user:pass@example.com/pricing?x=1', '/pricing'],
    ['/pricing/Иванов Иван', '/pricing/:id'],
    ['/клиент/Иванов Иван', '/:id/:id'],
    ['/users/anna/edit', '/:id/:id/:id'],
    ['/docs/ivanov', '/docs/:page'],
    ['/docs/ivanov/history', '/docs/:page/history'],
    ['/docs/ivanov/ivan', '/docs/:page/:id'],
    ['/docs', '/docs'],
    ['/%D1%82%D0%B0%D1%80%D0%B8%D1%84%D1%8B', '/тарифы'],
    ['/Pricing', '/:id'],
    ['/pricing;jsessionid=AB12', '/pricing'],
    ['\\pricing\\anna', '/pricing/:id'],
    ['/%', '/:id'],
    ['', '/'],
    ['//', '/'],
    ['/a/b/c/d/e/f/g/h/i/j', '/:id/:id/:id/:id/:id/:id/:id/:id'],
  ])('%s is %s', (given, kept) => {
    expect(keptPath(given, ROUTES)).toBe(kept);
  });

  it('is made of words of the listed routes and place-holders, whatever is sent', () => {
    const words = new Set([...ROUTES.flat(), HIDDEN_PART, '']);
    const part = fc.oneof(fc.constantFrom(...ROUTES.flat()), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const kept = keptPath(parts.join('/'), ROUTES);
        expect(kept.startsWith('/')).toBe(true);
        expect(kept.split('/').filter((word) => !words.has(word))).toEqual([]);
        expect(kept.split('/').length - 1).toBeLessThanOrEqual(BEACON_BOUNDS.pathPartsMax);
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
