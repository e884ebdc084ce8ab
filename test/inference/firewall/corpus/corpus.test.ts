import { describe, expect, it } from 'vitest';
import { FRAMES } from './frames.js';
import { HELD_OUT_FRAMES } from './held-out-frames.js';
import { asLines, type Case, casesOf, harmlessCases } from './make.js';
import { found, measured, read, table } from './measure.js';

function expectAccurate(cases: readonly Case[], least: number, fewest: number): void {
  const { figures, wrong } = measured(cases);
  const report = `${table(figures)}\n${wrong.slice(0, 40).join('\n')}`;
  for (const [code, { hits, misses, alarms }] of figures) {
    expect(hits + misses, `${code}: too few cases\n${report}`).toBeGreaterThanOrEqual(fewest);
    expect(hits / (hits + misses), `recall of ${code}\n${report}`).toBeGreaterThanOrEqual(least);
    expect(hits / (hits + alarms), `precision of ${code}\n${report}`).toBeGreaterThanOrEqual(least);
  }
}

describe('the corpus', () => {
  it('is what its frames make from their seeds', async () => {
    await expect(asLines(casesOf(FRAMES, 12, 20261121))).toMatchFileSnapshot('made.jsonl');
    await expect(asLines(casesOf(HELD_OUT_FRAMES, 8, 71121))).toMatchFileSnapshot('held-out.jsonl');
    await expect(asLines(harmlessCases(6, 4711))).toMatchFileSnapshot('harmless-made.jsonl');
  });

  it('has at least 1,500 cases, 500 of them harmless', () => {
    const harmless = [...read('harmless'), ...read('harmless-made')];
    expect(harmless.length).toBeGreaterThanOrEqual(500);
    const others = [...read('by-hand'), ...read('made'), ...read('held-out')];
    expect(harmless.length + others.length).toBeGreaterThanOrEqual(1_500);
  });
});

describe('recall and precision of each class', () => {
  const harmless = [...read('harmless'), ...read('harmless-made')];

  it('are 0.99 or better over sentences by hand, made ones and harmless ones', () => {
    expectAccurate([...read('by-hand'), ...read('made'), ...harmless], 0.99, 20);
  });

  it('are 0.99 or better over phrasings that were held out', () => {
    expectAccurate([...read('held-out'), ...harmless], 0.99, 15);
  });
});

describe('harmless business texts', () => {
  it('raise an alarm in at most one of a hundred', () => {
    const harmless = [...read('harmless'), ...read('harmless-made')];
    const alarms = harmless.filter((each) => found(each).length > 0);
    const shown = alarms.map((each) => `${each.text}: ${found(each).join(', ')}`).join('\n');
    expect(alarms.length / harmless.length, shown).toBeLessThanOrEqual(0.01);
  });
});
