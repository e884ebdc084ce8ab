import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { scan } from '../../../../src/inference/firewall/scan.js';
import { DEFAULT_MODES } from '../../../../src/kernel/firewall/vocabulary.js';
import { found, measured, read } from './measure.js';
import { harmlessTexts } from './unseen/harmless.js';
import { type UnseenCase, unseenCases } from './unseen/make.js';

/**
 * The part of the corpus on which no detector was tuned. How it is used:
 *
 * 1. Its rules (`unseen/`) were written before the detectors that they measure, apart from them.
 * 2. Nobody looks at a text in which something was missed, and no test shows one. Only the totals
 *    of classes are read. A class that is low gets other phrasings in the tuned part (`frames.ts`,
 *    `by-hand.jsonl`), and detectors change until those hold.
 * 3. The rules and the seeds stay as they are: the hash below says so. Whoever has to change them
 *    writes new ones, notes the first figure and does not go back to the old ones.
 */
const CASES = unseenCases(12, 20261125);
const HARMLESS = harmlessTexts(12, 1126);
const HASH = '3c0a36ac673cd2d4a31f20b5266a13a753101094e2e513e06e5f5e86a507c093';

const CLASS_FLOOR = 0.85;

/** More than the value and the words beside it is no hit: what is masked must stay legible. */
const OVERHANG_MAX = 40;

function isFound({ class: code, text, start, end }: UnseenCase): boolean {
  return scan(text, DEFAULT_MODES).some(
    (finding) =>
      finding.class === code &&
      finding.start <= start &&
      finding.end >= end &&
      finding.end - finding.start <= end - start + OVERHANG_MAX,
  );
}

const alarms = (texts: readonly string[]) =>
  texts.filter((text) => found({ text, findings: [] }).length > 0).length;

/** Cases and hits by class, or by what else a case is named after. */
function counted(nameOf: (each: UnseenCase) => string) {
  const rows = new Map<string, { cases: number; hits: number }>();
  for (const each of CASES) {
    const row = rows.get(nameOf(each)) ?? { cases: 0, hits: 0 };
    row.cases += 1;
    row.hits += isFound(each) ? 1 : 0;
    rows.set(nameOf(each), row);
  }
  return rows;
}

const share = (part: number, whole: number) => (part / whole).toFixed(3);

describe('the unseen part of the corpus', () => {
  const byClass = counted(({ class: code }) => code);
  const hits = [...byClass.values()].reduce((sum, row) => sum + row.hits, 0);

  it('has at least 2,000 mentions and 1,000 harmless texts, and they stay as they were', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(2_000);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(1_000);
    const lines = JSON.stringify([CASES, HARMLESS]);
    expect(createHash('sha256').update(lines).digest('hex')).toBe(HASH);
  });

  it('has its figures beside those of the part on which detectors were tuned', async () => {
    const { figures } = measured([...read('by-hand'), ...read('made')]);
    const harmless = [...read('harmless'), ...read('harmless-made')].map(({ text }) => text);
    let tuned = 0;
    let tunedHits = 0;
    const rows = [...byClass].map(([code, row]) => {
      const own = figures.get(code) ?? { hits: 0, misses: 0, alarms: 0 };
      tuned += own.hits + own.misses;
      tunedHits += own.hits;
      const left = own.hits + own.misses > 0 ? share(own.hits, own.hits + own.misses) : '-';
      return [code, own.hits + own.misses, left, row.cases, share(row.hits, row.cases)];
    });
    const lines = [
      ['class', 'tuned', 'recall', 'unseen', 'recall'],
      ...rows,
      ['all', tuned, share(tunedHits, tuned), CASES.length, share(hits, CASES.length)],
      ['harmless', harmless.length, '', HARMLESS.length, ''],
      ['false alarms', alarms(harmless), '', alarms(HARMLESS), ''],
    ];
    const registers = [...counted(({ register }) => register)].map(([name, row]) => [
      name,
      row.cases,
      share(row.hits, row.cases),
    ]);
    const written = [...lines, [], ['register', 'unseen', 'recall'], ...registers];
    const text = written.map((row) =>
      row
        .map((cell) => String(cell).padEnd(18))
        .join('')
        .trimEnd(),
    );
    await expect(`${text.join('\n')}\n`).toMatchFileSnapshot('figures.txt');
  });

  it('is recalled to at least 0.97, and no class below 0.85', () => {
    expect(hits / CASES.length).toBeGreaterThanOrEqual(0.97);
    const low = [...byClass].filter(([, row]) => row.hits / row.cases < CLASS_FLOOR);
    expect(low).toEqual([]);
  });

  it('raises an alarm in at most one of a hundred harmless texts', () => {
    expect(alarms(HARMLESS) / HARMLESS.length).toBeLessThanOrEqual(0.01);
  });
});
