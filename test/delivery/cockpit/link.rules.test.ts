import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpen, linkEnd, linkPlace, linkToken } from '../../../src/delivery/cockpit/link.rules.js';
import { Keyring } from '../../../src/platform/keyring.js';

const SECRET = new Keyring({ secret: 'a secret of this server' });
const ANOTHER = new Keyring({ secret: 'another secret' });
const place = fc.record({
  tenantId: fc.uuid(),
  runId: fc.uuid(),
  version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});

describe('the secret part of a link', () => {
  it('opens the place that it was made for', () => {
    fc.assert(
      fc.property(place, (made) => {
        const token = linkToken(SECRET, made);
        expect(token).toMatch(/^[\w-]{70}$/);
        expect(linkPlace(SECRET, token)).toEqual(made);
      }),
    );
  });

  it('opens nothing once a character is another one', () => {
    fc.assert(
      fc.property(place, fc.nat(69), fc.constantFrom('A', 'B', 'z', '_', '-'), (made, at, by) => {
        const token = linkToken(SECRET, made);
        fc.pre(token[at] !== by);
        expect(linkPlace(SECRET, token.slice(0, at) + by + token.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('opens nothing on another server, and no other text opens anything', () => {
    fc.assert(
      fc.property(place, fc.string(), (made, text) => {
        expect(linkPlace(ANOTHER, linkToken(SECRET, made))).toBeUndefined();
        expect(linkPlace(SECRET, text)).toBeUndefined();
      }),
    );
  });
});

describe('a version of a sharing', () => {
  const createdAt = new Date('2026-11-01T12:00:00.000Z');
  const shared = { version: 1, createdAt, body: { shared: true } };

  it('is open for thirty days to the millisecond', () => {
    expect(linkEnd(createdAt).toISOString()).toBe('2026-12-01T12:00:00.000Z');
    expect(isOpen(shared, new Date('2026-12-01T11:59:59.999Z'))).toBe(true);
    expect(isOpen(shared, new Date('2026-12-01T12:00:00.000Z'))).toBe(false);
  });

  it('is not open where it takes the link back, or where there is none', () => {
    expect(isOpen({ ...shared, body: { shared: false } }, createdAt)).toBe(false);
    expect(isOpen(undefined, createdAt)).toBe(false);
  });
});
