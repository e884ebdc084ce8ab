import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownClass, patternFault } from '../../../src/kernel/firewall/own-classes.js';
import { OwnWords } from '../../../src/kernel/firewall/own-words.js';

const CLASS = ownClass({ name: 'own' });

function found(phrases: readonly string[], text: string): string[] {
  const words = new OwnWords(phrases.map((phrase) => ({ class: CLASS, phrase })));
  return words.find(text).map(({ start, end }) => text.slice(start, end));
}

describe('own words', () => {
  it.each([
    [['Заря'], 'ЗАРЯ, заря и Заряд', ['ЗАРЯ', 'заря']],
    [['Ёлка'], 'елка ёлка Елкам', ['елка', 'ёлка']],
    [
      ['Северное сияние'],
      'северное\n сияние; Северное Сияние',
      ['северное\n сияние', 'Северное Сияние'],
    ],
    [
      ['.NET', 'C++', '#альфа'],
      'На .NET и C++ пишут #Альфа, а не C+++.',
      ['.NET', 'C++', '#Альфа', 'C++'],
    ],
    [['x5'], 'x5 x55 _x5', ['x5']],
  ])('%j in «%s» are exactly %j', (phrases, text, expected) => {
    expect(found(phrases, text)).toEqual(expected);
  });

  it('are found wherever they stand alone, in any case, at their place', () => {
    const word = fc.stringMatching(/^[а-яёa-z]{2,12}$/);
    fc.assert(
      fc.property(word, fc.string(), fc.string(), fc.boolean(), (each, before, after, upper) => {
        const written = upper ? each.toUpperCase() : each;
        expect(found([each], `${before} ${written} ${after}`)).toContain(written);
      }),
    );
  });
});

describe('an own pattern', () => {
  it.each(['a*', 'x|', '\\b', '^', '$', '(?i)', '.{0,3}'])(
    '%s is refused: it matches nothing',
    (p) => {
      expect(patternFault(p)).toContain('matches empty text');
    },
  );

  it.each(['(?=a)', '(a', '\\1', '[z-a]'])('%s is refused: it is no RE2', (pattern) => {
    expect(patternFault(pattern)).toContain('is no expression of RE2');
  });

  it('that is small on paper and large when compiled is refused', () => {
    expect(patternFault('(abcdefgh){200}')).toBe('is too large when compiled');
  });

  it.each(['NS-[0-9]{4}', '(?i)договор\\s+№\\s*\\d+'])('%s is taken', (pattern) => {
    expect(patternFault(pattern)).toBeUndefined();
  });
});
