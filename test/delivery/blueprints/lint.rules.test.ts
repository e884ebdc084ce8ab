import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { lintManifest } from '../../../src/delivery/blueprints/lint.js';
import { LINT_RULES } from '../../../src/delivery/blueprints/lint-vocabulary.js';
import { planted } from './plants.js';

const [SMALLEST] = [...builtIns()].sort((a, b) => a.steps.length - b.steps.length);
const rules = LINT_RULES.codes;

describe('the lint', () => {
  it('finds each planted fault in every blueprint', () => {
    fc.assert(
      fc.property(fc.constantFrom(...builtIns()), fc.constantFrom(...rules), (manifest, rule) => {
        expect(lintManifest(planted(manifest, rule)).map((found) => found.rule)).toContain(rule);
      }),
      { numRuns: 200 },
    );
  });

  it.each(LINT_RULES.rows)(
    'tells of $code with its level, place and remedy',
    ({ code, level, fix }) => {
      const found = SMALLEST && lintManifest(planted(SMALLEST, code)).find((f) => f.rule === code);
      expect(found).toEqual({
        rule: code,
        level,
        fix,
        path: expect.stringMatching(/^\w+/),
        message: expect.stringMatching(/\S/),
      });
    },
  );

  it('judges a document of another shape by its shape alone, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (document) => {
        const found = lintManifest(document);
        expect(found.length).toBeGreaterThan(0);
        const shape = new Set(['manifest_invalid', 'unknown_step_type']);
        expect(found.filter(({ rule }) => !shape.has(rule))).toEqual([]);
      }),
    );
  });
});
