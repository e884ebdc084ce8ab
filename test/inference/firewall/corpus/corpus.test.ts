import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scan } from '../../../../src/inference/firewall/scan.js';
import { DEFAULT_MODES, FINDING_CLASSES } from '../../../../src/kernel/firewall/vocabulary.js';
import { FRAMES } from './frames.js';
import { HELD_OUT_FRAMES } from './held-out-frames.js';
import { asLines, type Case, casesOf, harmlessCases } from './make.js';

/** Every class but markers of injection, which have tests of their own. */
const CLASSES = FINDING_CLASSES.map(({ code }) => code).filter(
  (code) => code !== 'prompt_injection',
);

function read(name: string): Case[] {
  const path = new URL(`./${name}.jsonl`, import.meta.url);
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Case);
}

function found({ text }: Case): string[] {
  return scan(text, DEFAULT_MODES)
    .filter(({ class: code }) => code !== 'prompt_injection')
    .map(({ class: code, start, end }) => `${code} ${text.slice(start, end)}`);
}

interface Figures {
  hits: number;
  misses: number;
  alarms: number;
}

/** Counts by class over cases, and the first texts that went wrong. */
function measured(cases: readonly Case[]) {
  const figures = new Map<string, Figures>(
    CLASSES.map((code) => [code, { hits: 0, misses: 0, alarms: 0 }]),
  );
  const wrong: string[] = [];
  const note = (finding: string, what: keyof Figures) => {
    const row = figures.get(finding.split(' ', 1)[0] ?? '');
    if (row) row[what] += 1;
  };
  for (const each of cases) {
    const rest = found(each);
    const missed: string[] = [];
    for (const { class: code, value } of each.findings) {
      const at = rest.indexOf(`${code} ${value}`);
      if (at >= 0) rest.splice(at, 1);
      else missed.push(`${code} ${value}`);
      note(code, at >= 0 ? 'hits' : 'misses');
    }
    for (const alarm of rest) note(alarm, 'alarms');
    if (missed.length + rest.length > 0) {
      wrong.push(`${each.text}\n    missed: ${missed.join(', ')}; alarms: ${rest.join(', ')}`);
    }
  }
  return { figures, wrong };
}

function table(figures: ReadonlyMap<string, Figures>): string {
  const rows = [...figures].map(([code, { hits, misses, alarms }]) => {
    const recall = hits / (hits + misses);
    const precision = hits / (hits + alarms);
    const columns = [code.padEnd(18), `n ${hits + misses}`.padEnd(7), recall.toFixed(4)];
    return `${columns.join('  ')}  ${precision.toFixed(4)}`;
  });
  return ['class               n        recall  precision', ...rows].join('\n');
}

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
