import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../../src/inference/stages/stages.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

/** What is no stage: the list itself, and what a module says of itself. */
const BESIDE = ['errors.ts', 'module.ts', 'schema.ts', 'stages.ts'];

describe('the list of stages', () => {
  it('names exactly the files beside it, one stage each', () => {
    const files = readdirSync(join(projectRoot(), 'src', 'inference', 'stages'));
    const stages = files.filter((file) => !BESIDE.includes(file));
    const named = STAGES.map(({ name }) => `${name.replaceAll('_', '-')}.ts`);
    expect(named.sort()).toEqual(stages.sort());
  });

  it('is in the order in which the documents describe the request path', () => {
    expect(STAGES.map(({ name }) => name)).toEqual([
      'authenticate',
      'prompt',
      'workspace',
      'admit',
      'context',
      'firewall_in',
      'route',
      'token',
      'hold',
      'call',
      'firewall_out',
      'receipts',
      'settle',
    ]);
  });

  it.each(['ARCHITECTURE.md', 'src/inference/README.md'])('is the one that %s tells', (path) => {
    const text = readFileSync(join(projectRoot(), path), 'utf8').replaceAll(/\s+/g, ' ');
    const told = STAGES.map(({ name }) => name.replaceAll('_', ' ')).join(', ');
    expect(text).toContain(told);
    const others = text.match(/\bauthenticate, prompt, (?!workspace)/g);
    expect(others).toBeNull();
  });
});
