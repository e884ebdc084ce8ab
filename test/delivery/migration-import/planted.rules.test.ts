import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMPORT_KINDS } from '../../../src/delivery/migration-import/vocabulary.js';
import { imported } from './imported.js';
import { PLANTINGS, type Planting, piecesOf } from './planted.js';

const TEST_MS_MAX = 120_000;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const WORDY = [LOWER, UPPER, DIGITS, LOWER + DIGITS, UPPER + DIGITS, LOWER + UPPER + DIGITS];
const ALPHABETS = [
  ...[...WORDY, '0123456789abcdef', `${LOWER + UPPER + DIGITS}+/`, `${LOWER + UPPER + DIGITS}-_`],
  ...[`${LOWER + UPPER + DIGITS}.-_~`, `${LOWER + DIGITS}!@#%^&*()-_=+[]{};:,.<>?|/~`],
  ...['абвгдежзиклмнопрстуфхцчшщэюяЁ', `${LOWER}éßøłđ`, '密钥口令漢字仮名交じり文章暗号鍵束'],
];

/** Characters without a bias to the first ones, as a generator of keys chooses them. */
function secretOf(alphabets: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...alphabets),
      fc.array(fc.noBias(fc.nat(9_999)), { minLength: 8, maxLength: 64 }),
    )
    .map(([alphabet, picks]) => {
      const letters = [...alphabet];
      return picks.map((pick) => letters[pick % letters.length]).join('');
    });
}

/** What is answered to texts without their secrets, by kind and text. */
const unplanted = new Map<string, string>();

async function answerTo(kind: Planting['kind'], content: string): Promise<string> {
  return JSON.stringify(await imported(content, kind));
}

async function answerWithout({ kind, plant }: Planting): Promise<string> {
  const key = `${kind} ${plant('')}`;
  const known = unplanted.get(key) ?? (await answerTo(kind, plant('')));
  unplanted.set(key, known);
  return known;
}

/** What of a secret an answer holds; what it says to every secret is not of it. */
async function shownOf(planting: Planting, secret: string): Promise<string[]> {
  const answer = await answerTo(planting.kind, planting.plant(secret));
  const other = await answerWithout(planting);
  return piecesOf(secret).filter((piece) => answer.includes(piece) && !other.includes(piece));
}

describe('a secret leaves the parser nowhere, nor does any six characters of it', () => {
  it(
    'at every place, in every wrapping of every kind',
    async () => {
      const [secret = ''] = fc.sample(secretOf([LOWER + UPPER + DIGITS]), { numRuns: 1, seed: 7 });
      for (const planting of PLANTINGS) {
        const shown = await shownOf(planting, secret);
        expect([planting.plant(secret), shown]).toEqual([planting.plant(secret), []]);
      }
    },
    TEST_MS_MAX,
  );

  it('where a place in a text is never closed, and what follows has no quotes', async () => {
    const secrets = ['aaaaa{a+', 'Zr4{Qe8+tY2wLm9', 'k{8+x0"1'];
    const broken = PLANTINGS.filter(({ kind }) => ['python', 'node'].includes(kind));
    for (const secret of secrets) {
      for (const planting of broken) expect(await shownOf(planting, secret)).toEqual([]);
    }
    expect(broken.length).toBeGreaterThan(10);
  });

  it(
    'whatever it is made of and however long it is',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PLANTINGS),
          secretOf(ALPHABETS),
          async (planting, secret) => {
            expect(await shownOf(planting, secret)).toEqual([]);
          },
        ),
        { numRuns: 2_000 },
      );
    },
    TEST_MS_MAX,
  );

  it(
    'in a text that is given as another kind than it is',
    async () => {
      const kinds = IMPORT_KINDS.rows.flatMap(({ code }) => (code === 'auto' ? [] : [code]));
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PLANTINGS),
          fc.constantFrom(...kinds),
          secretOf(WORDY),
          async ({ plant }, kind, secret) => {
            expect(await shownOf({ kind, plant }, secret)).toEqual([]);
          },
        ),
        { numRuns: 1_500 },
      );
    },
    TEST_MS_MAX,
  );
});
