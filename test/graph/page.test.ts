import { describe, expect, it } from 'vitest';
import { pageComplexity } from '../../src/graph/page.js';

describe('the price of a connection', () => {
  it('is about one point for each item that it may return', () => {
    expect(pageComplexity({})).toEqual({ field: 1, multiplier: 50 });
    expect(pageComplexity({ first: 200 })).toEqual({ field: 1, multiplier: 200 });
    expect(pageComplexity({ first: null, last: 3 })).toEqual({ field: 1, multiplier: 3 });
  });

  it('is never less than that of one item', () => {
    for (const first of [0, -5]) {
      expect(pageComplexity({ first })).toEqual({ field: 1, multiplier: 1 });
    }
  });
});
