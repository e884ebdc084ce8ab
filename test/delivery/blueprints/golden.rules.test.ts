import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { businessResult } from '../../../src/delivery/blueprints/business-result.js';
import { blueprintById, builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import {
  inputOf,
  isPublished,
  judgedCases,
} from '../../../src/delivery/blueprints/golden.rules.js';
import { contentChecks, proofOf, proves } from '../../../src/delivery/blueprints/proof.rules.js';
import { CHECK_RESULTS, GOLDEN_KINDS } from '../../../src/delivery/blueprints/proof-vocabulary.js';

const named = builtIns().map((manifest) => [manifest.id, manifest] as const);

describe('the golden cases', () => {
  it.each(named)('of %s try every kind of input', (_id, manifest) => {
    const kinds = new Set(manifest.golden_cases?.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([...GOLDEN_KINDS.codes].sort());
  });

  it.each(named)('of %s end as they say, and every lie claims nothing', (_id, manifest) => {
    expect(
      judgedCases(manifest).map(({ golden, judged, lies, faults }) => ({
        id: golden.id,
        judged,
        faults,
        through: lies.filter((isCaught) => !isCaught).length,
      })),
    ).toEqual(
      manifest.golden_cases?.map(({ id, expected }) => ({
        id,
        judged: expected,
        faults: [],
        through: 0,
      })),
    );
  });

  it.each(named)('of %s have a lie for every bad input', (_id, manifest) => {
    const bare = judgedCases(manifest).filter(
      ({ golden, lies }) => golden.kind !== 'normal' && lies.length === 0,
    );
    expect(bare).toEqual([]);
  });

  it('are inputs that the manifest publishes, and so is the example; another one is not', () => {
    for (const manifest of builtIns()) {
      for (const each of manifest.golden_cases ?? []) {
        expect(isPublished(manifest, inputOf(manifest, each))).toBe(true);
      }
      expect(isPublished(manifest, { ...manifest.example_input })).toBe(true);
      expect(isPublished(manifest, { ...manifest.example_input, other: 1 })).toBe(false);
    }
  });
});

const check = fc.record({
  code: fc.constant('check'),
  result: fc.constantFrom(...CHECK_RESULTS.codes),
  proves: fc.boolean(),
  demands: fc.constant(''),
  message: fc.constant(null),
});

describe('a run of which a step failed', () => {
  it('claims nothing, whatever its answers prove', () => {
    const manifest = blueprintById('crm-lead-qualification');
    const { answers = {} } = manifest.golden_cases?.[0] ?? {};
    const outputs = new Map<string, unknown>(Object.entries(answers));
    outputs.set('named', { facts: 3 });
    const values = { input: manifest.example_input, outputs };
    const routing = null;
    const resultOf = (status: 'completed' | 'failed') =>
      businessResult({
        manifest,
        values,
        steps: [{ routing, status }],
        isPublished: false,
        costMicro: 5n,
      });
    expect(resultOf('completed')).toMatchObject({ achieved: true, minutesSaved: 12 });
    expect(resultOf('failed')).toMatchObject({
      proof: 'proved',
      achieved: false,
      minutesSaved: 0,
      notAchievedBecause: ['a step of the run failed'],
    });
  });
});

describe('a proof', () => {
  it('is not given by the output of a tool that shows what an input says', () => {
    const steps = [
      { id: 'a', type: 'tool', title: 'A', with: { x: 'input.x' }, tool_key: 'k', verb: 'read' },
    ] as const;
    const must = { ref: 'steps.a.arguments.x', operator: 'quoted_in', other: 'input.x' } as const;
    expect(proves({ steps }, { code: 'c', must, message: 'M.' })).toBe(false);
  });

  it('needs a check that proves and held, no failed one, and no simulated answer', () => {
    fc.assert(
      fc.property(fc.array(check), fc.boolean(), (checks, isSimulated) => {
        const isProved =
          !isSimulated &&
          checks.every(({ result }) => result !== 'failed') &&
          checks.some(({ result, proves }) => proves && result === 'held');
        expect(proofOf(checks, isSimulated) === 'proved').toBe(isProved);
        if (isSimulated) expect(proofOf(checks, true)).toBe('simulated');
      }),
    );
  });

  it('is never given by a check that compares an input with an input', () => {
    const manifest = blueprintById('tender-document-analysis');
    const values = { input: manifest.example_input, outputs: new Map() };
    const checks = contentChecks(manifest, values);
    const price = checks.find(({ code }) => code === 'price_in_the_document');
    expect(price).toMatchObject({ result: 'held', proves: false, message: null });
    expect(proofOf(checks, false)).toBe('not_proved');
  });
});
