import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { readTokens, TURN_CHARACTERS } from '../../../src/inference/firewall/token-text.js';

beforeAll(() => readTokens([[1]]));

/** How often others had their turn while arrays were read. */
async function turnsOf(arrays: readonly (readonly number[])[]): Promise<number> {
  let turns = 0;
  let next = setImmediate(tick);
  function tick() {
    turns += 1;
    next = setImmediate(tick);
  }
  await readTokens(arrays);
  clearImmediate(next);
  return turns;
}

const SPACES = `${' '.repeat(505)}a`;
const spaced = (count: number) => o200k.encode(SPACES.repeat(count));

describe('the reading of a token array', () => {
  it('gives others a turn after so many characters, however few tokens they are', async () => {
    for (const count of [100, 400]) {
      const ids = spaced(count);
      const characters = SPACES.length * count;
      // Each encoding decodes the array; the one that has written it searches and encodes it, too.
      expect(await turnsOf([ids])).toBeGreaterThanOrEqual((3 * characters) / TURN_CHARACTERS - 3);
      expect(ids.length).toBeLessThan(characters / 50);
    }
  });

  it('gives them no turn in a few short arrays', async () => {
    expect(await turnsOf([o200k.encode('Just a few words.'), [1, 2, 3]])).toBeLessThan(2);
  });

  it('knows a text with runs of 511, wherever they stand, and none with one of 512', async () => {
    const known = async (text: string) => {
      const [readings = []] = await readTokens([o200k.encode(text)]);
      return readings.some((reading) => reading.isWritten && reading.text === text);
    };
    for (const before of [0, 1, TURN_CHARACTERS - 512, TURN_CHARACTERS - 256, TURN_CHARACTERS]) {
      for (const sign of [' ', '-', 'x']) {
        const lead = `${'ab '.repeat(before / 3)}${sign === ' ' ? 'a' : ' '}`;
        expect(await known(lead + sign.repeat(511))).toBe(true);
        expect(await known(lead + sign.repeat(512))).toBe(false);
      }
    }
  });
});
