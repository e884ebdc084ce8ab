import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { coresAtHand } from '../../src/platform/cores.js';

const folders: string[] = [];
let controls: string;

beforeEach(() => {
  controls = mkdtempSync(join(tmpdir(), 'gw-cores-'));
  folders.push(controls);
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const ALL = availableParallelism();

describe('the cores at hand', () => {
  it.each([
    ['max 100000', ALL],
    ['100000 100000', 1],
    ['150000 100000', 1],
    ['20000 100000', 1],
    [`${ALL * 100_000} 100000`, ALL],
    [`${(ALL + 7) * 100_000} 100000`, ALL],
    [`${(ALL - 0.5) * 50_000} 50000`, Math.max(1, ALL - 1)],
    ['nonsense', ALL],
    ['', ALL],
  ])('are those of a container with cpu.max "%s"', (text, cores) => {
    writeFileSync(join(controls, 'cpu.max'), `${text}\n`);
    expect(coresAtHand(controls)).toBe(cores);
  });

  it.each([
    ['-1', ALL],
    ['100000', 1],
    [String((ALL + 1) * 100_000), ALL],
  ])('are those of a container with cpu.cfs_quota_us %s', (quota, cores) => {
    mkdirSync(join(controls, 'cpu'));
    writeFileSync(join(controls, 'cpu', 'cpu.cfs_quota_us'), `${quota}\n`);
    writeFileSync(join(controls, 'cpu', 'cpu.cfs_period_us'), '100000\n');
    expect(coresAtHand(controls)).toBe(cores);
  });

  it('are those of the machine where nobody tells a limit', () => {
    expect(coresAtHand(controls)).toBe(ALL);
  });
});
