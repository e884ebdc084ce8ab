import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealedContent } from '../../../src/kernel/fields/sealed.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import {
  SEALED_DECISION_FIELDS,
  sealedDecision,
} from '../../../src/routing/decision/sealed-decision.js';
import type { SealedDecisions } from './decide-child.js';
import { anyQuestion, openQuestion } from './situations.js';

const outDir = join(projectRoot(), '.cache', `decide-${process.pid}`);

beforeAll(() => {
  const source = join('test', 'routing', 'decision', 'decide-child.ts');
  const options = '--ignoreConfig --noCheck --skipLibCheck --types node --rootDir .'.split(' ');
  execFileSync(
    join('node_modules', '.bin', 'tsc'),
    [source, ...options, '--module', 'nodenext', '--target', 'es2023', '--outDir', outDir],
    { cwd: projectRoot() },
  );
});
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

describe('same_inputs_same_decision', () => {
  it('holds in another process, of another language and time zone', () => {
    const asked = [
      ...fc.sample(anyQuestion, { numRuns: 300, seed: 7 }),
      ...fc.sample(openQuestion, { numRuns: 300, seed: 7 }),
    ];
    const contents = asked.map((one, at) => sealedDecision(`request-${at}`, one));
    expect(contents.filter(({ explored }) => explored).length).toBeGreaterThan(0);
    const sealed: SealedDecisions = contents.map((content) =>
      sealedContent(SEALED_DECISION_FIELDS, content),
    );
    const script = join(outDir, 'test', 'routing', 'decision', 'decide-child.js');
    const printed = execFileSync(process.execPath, ['--no-opt', script], {
      cwd: projectRoot(),
      input: JSON.stringify(sealed),
      env: { ...process.env, TZ: 'Asia/Kamchatka', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(sealed)));
  });
});
