import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DATA_CLASS_SOURCES,
  effectiveDataClass,
  highestDataClass,
  isRestricted,
  type SourcedClass,
} from '../../../src/kernel/firewall/data-class.rules.js';
import { DATA_CLASSES, type DataClass } from '../../../src/kernel/firewall/vocabulary.js';

const CODES = DATA_CLASSES.map(({ code }) => code);
const rank = (code: DataClass) => CODES.indexOf(code);
const sourced: fc.Arbitrary<SourcedClass> = fc.record({
  source: fc.constantFrom(...DATA_CLASS_SOURCES.codes),
  dataClass: fc.constantFrom(...CODES),
});
const all = fc.array(sourced, { maxLength: 8 });

describe('the class that data has by its sources', () => {
  it('is the highest that any of them says, and is said by one of them', () => {
    fc.assert(
      fc.property(all, (sources) => {
        const ranks = sources.map(({ dataClass }) => rank(dataClass));
        expect(rank(effectiveDataClass(sources))).toBe(Math.max(0, ...ranks));
      }),
    );
  });

  it('is raised or left alone by one more source, and never lowered', () => {
    fc.assert(
      fc.property(all, sourced, (sources, more) => {
        const before = rank(effectiveDataClass(sources));
        expect(rank(effectiveDataClass([...sources, more]))).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('does not depend on the order of the sources', () => {
    fc.assert(
      fc.property(all, (sources) => {
        expect(effectiveDataClass([...sources].reverse())).toBe(effectiveDataClass(sources));
      }),
    );
  });

  it('is C0 where nobody says anything', () => {
    expect(effectiveDataClass([])).toBe('C0');
    expect(highestDataClass([null, undefined])).toBeUndefined();
    expect(highestDataClass([null, 'C0', undefined])).toBe('C0');
  });
});

it('data is restricted from class C3 on', () => {
  expect(CODES.filter(isRestricted)).toEqual(['C3', 'C4']);
});
