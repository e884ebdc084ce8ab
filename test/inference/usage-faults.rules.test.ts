import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFar, mayBeFar } from '../../src/inference/usage-faults.rules.js';

const counts = fc.integer({ min: 0, max: 1_000_000 });

describe('the published distance of usage', () => {
  it('is four times either way, beyond what templates add', () => {
    expect([464, 465].map((reported) => isFar(reported, 100, false))).toEqual([false, true]);
    expect([976, 977].map((reported) => isFar(reported, 100, true))).toEqual([false, true]);
    expect([84, 83].map((reported) => isFar(reported, 400, false))).toEqual([false, true]);
  });

  it('is symmetric, and no count is far from itself', () => {
    fc.assert(
      fc.property(counts, counts, fc.boolean(), (one, other, hasTools) => {
        expect(isFar(one, other, hasTools)).toBe(isFar(other, one, hasTools));
        expect(isFar(one, one, hasTools)).toBe(false);
      }),
    );
  });

  it('counts every text whose count may be far, at 3 to 16 bytes for each token', () => {
    const bytesPerToken = fc.integer({ min: 3, max: 16 });
    const shareSeen = fc.double({ min: 0, max: 1, noNaN: true });
    const any = [counts, counts, bytesPerToken, shareSeen, fc.boolean()] as const;
    fc.assert(
      fc.property(...any, (reported, local, each, share, hasTools) => {
        if (!isFar(reported, local, hasTools)) return;
        const text = { bytes: local * each, tokensMin: () => Math.floor(local * share) };
        expect(mayBeFar(reported, text, hasTools)).toBe(true);
      }),
    );
  });

  it('spares a text that has plainly as many tokens, and looks at it only beyond its bytes', () => {
    const asked: string[] = [];
    const text = (name: string, tokens: number) => ({
      bytes: 900,
      tokensMin: () => {
        asked.push(name);
        return tokens;
      },
    });
    expect(mayBeFar(280, text('prose', 0), false)).toBe(false);
    expect(mayBeFar(400, text('digits', 350), false)).toBe(false);
    expect(mayBeFar(400, text('short', 80), false)).toBe(true);
    expect(mayBeFar(50, text('silent', 350), false)).toBe(true);
    expect(asked).toEqual(['digits', 'short']);
  });
});
