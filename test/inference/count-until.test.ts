import { beforeAll, describe, expect, it } from 'vitest';
import { loadTokenizer, type Tokenizer } from '../../src/catalog/providers/tokenizer.js';
import { countUntil } from '../../src/inference/count-in-turns.js';

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await loadTokenizer();
});

/** Counts as the tokenizer does, and how much it was asked for. */
function watched() {
  let characters = 0;
  const count = (text: string) => {
    characters += text.length;
    return tokenizer.count(text);
  };
  return { count, asked: () => characters };
}

describe('tokens that are counted up to a bound', () => {
  const text = 'Раз два три четыре пять, вышел зайчик погулять. '.repeat(4_000);

  it('are all of them where the bound is not passed', () => {
    const { count, asked } = watched();
    const all = tokenizer.count(text);
    const counted = countUntil({ count }, text, all);
    expect(Math.abs(counted - all)).toBeLessThanOrEqual(text.length / 32_768 + 1);
    expect(asked()).toBe(text.length);
  });

  it('are more than the bound where it is passed, and the rest is not looked at', () => {
    const { count, asked } = watched();
    expect(countUntil({ count }, text, 1_000)).toBeGreaterThan(1_000);
    expect(asked()).toBeLessThanOrEqual(32_768);
  });
});
