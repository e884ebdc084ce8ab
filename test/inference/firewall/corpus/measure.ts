import { readFileSync } from 'node:fs';
import { scan } from '../../../../src/inference/firewall/scan.js';
import { DEFAULT_MODES, FINDING_CLASSES } from '../../../../src/kernel/firewall/vocabulary.js';
import type { Case } from './make.js';

/** Every class but markers of injection, which have other tests. */
const CLASSES = FINDING_CLASSES.map(({ code }) => code).filter(
  (code) => code !== 'prompt_injection',
);

/** The cases of a file. */
export function read(name: string): Case[] {
  const path = new URL(`./${name}.jsonl`, import.meta.url);
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Case);
}

/** What is found in a text, as class and value. */
export function found({ text }: Case): string[] {
  return scan(text, DEFAULT_MODES)
    .filter(({ class: code }) => code !== 'prompt_injection')
    .map(({ class: code, start, end }) => `${code} ${text.slice(start, end)}`);
}

/** Counts of one class. */
export interface Figures {
  hits: number;
  misses: number;
  alarms: number;
}

/** Counts by class over cases, and the first texts that went wrong. */
export function measured(cases: readonly Case[]) {
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

/** Recall and precision by class. */
export function table(figures: ReadonlyMap<string, Figures>): string {
  const rows = [...figures].map(([code, { hits, misses, alarms }]) => {
    const recall = hits / (hits + misses);
    const precision = hits / (hits + alarms);
    const columns = [code.padEnd(18), `n ${hits + misses}`.padEnd(7), recall.toFixed(4)];
    return `${columns.join('  ')}  ${precision.toFixed(4)}`;
  });
  return ['class               n        recall  precision', ...rows].join('\n');
}
