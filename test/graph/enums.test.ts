import { describe, expect, it } from 'vitest';
import { enumValues } from '../../src/graph/enums.js';
import { pageComplexity } from '../../src/graph/page.js';
import { FINDING_CLASSES } from '../../src/kernel/firewall/vocabulary.js';

describe('the values of an enum', () => {
  it('are the codes of the vocabulary with their descriptions, in its order', () => {
    expect(
      enumValues([
        { code: 'b', description: 'Second.' },
        { code: 'a', description: 'First.' },
      ]),
    ).toEqual({
      b: { value: 'b', description: 'Second.' },
      a: { value: 'a', description: 'First.' },
    });
    expect(Object.keys(enumValues(FINDING_CLASSES))).toEqual(
      FINDING_CLASSES.map(({ code }) => code),
    );
  });
});

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
