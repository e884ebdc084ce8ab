import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/catalog/providers/model.js';
import { DOCUMENTED_GAPS } from '../../../src/delivery/migration/gaps.js';
import { knownGaps, scoreOf, supportOf } from '../../../src/delivery/migration/scan.rules.js';
import {
  CAPABILITIES,
  SEVERITIES,
  SOURCE_PROVIDERS,
} from '../../../src/delivery/migration/vocabulary.js';

const severity = fc.constantFrom(...SEVERITIES.codes);
const gaps = fc.array(fc.record({ severity }), { maxLength: 20 });
const capability = fc.constantFrom(...CAPABILITIES.codes);
const used = fc.uniqueArray(capability, { minLength: 1 });
const source = fc.constantFrom(...SOURCE_PROVIDERS.codes);
const support = fc.constantFrom('real' as const, 'simulated' as const, 'none' as const);

describe('the score of a scan', () => {
  it('is a whole number from 0 to 100, and 100 exactly without gaps', () => {
    expect(scoreOf([])).toBe(100);
    fc.assert(
      fc.property(gaps, (some) => {
        const score = scoreOf(some);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        expect(score === 100).toBe(some.length === 0);
      }),
    );
  });

  it('is never raised by more gaps, nor by graver ones', () => {
    fc.assert(
      fc.property(gaps, severity, (some, added) => {
        expect(scoreOf([...some, { severity: added }])).toBeLessThanOrEqual(scoreOf(some));
        const graver = some.map(() => ({ severity: 'blocking' as const }));
        expect(scoreOf(graver)).toBeLessThanOrEqual(scoreOf(some));
      }),
    );
  });

  it.each([
    [['minor'], 95],
    [['minor', 'major'], 80],
    [['blocking', 'major', 'minor'], 40],
    [['blocking', 'blocking', 'blocking'], 0],
  ] as const)('of %j is %i by the published penalties', (severities, score) => {
    expect(scoreOf(severities.map((each) => ({ severity: each })))).toBe(score);
  });
});

describe('the known gaps', () => {
  it('are only those of the capabilities in use and of the source', () => {
    fc.assert(
      fc.property(source, used, support, (from, capabilities, has) => {
        for (const gap of knownGaps(from, capabilities, () => has)) {
          expect(capabilities).toContain(gap.capability);
          const row = DOCUMENTED_GAPS.find(({ code }) => code === gap.code);
          if (row?.provider) expect(row.provider).toBe(from);
        }
      }),
    );
  });

  it('only grow with what is used, and score lower the less the models have', () => {
    fc.assert(
      fc.property(source, used, capability, (from, some, more) => {
        const all = [...new Set([...some, more])];
        const scoreWith = (has: 'real' | 'simulated' | 'none') =>
          scoreOf(knownGaps(from, all, () => has));
        expect(scoreWith('none')).toBeLessThanOrEqual(scoreWith('simulated'));
        expect(scoreWith('simulated')).toBeLessThanOrEqual(scoreWith('real'));
        const fewer = knownGaps(from, some, () => 'real').length;
        expect(knownGaps(from, all, () => 'real').length).toBeGreaterThanOrEqual(fewer);
      }),
    );
  });

  it('say what is missing where no model has the capability, and that a sandbox is one', () => {
    expect(knownGaps('openai', ['vision'], () => 'none')).toEqual([
      {
        code: 'no_model',
        capability: 'vision',
        gap: 'No callable model that the policy of the project allows has this.',
        severity: 'blocking',
        workaround: 'Allow a model with the capability in the policy, or ask the operator for one.',
      },
    ]);
    expect(knownGaps('openai', ['vision'], () => 'simulated')).toMatchObject([
      { code: 'only_simulated', severity: 'minor' },
    ]);
    expect(knownGaps('openai', ['vision'], () => 'real')).toEqual([]);
  });
});

describe('what models can do', () => {
  function model(facts: Partial<Model>): Model {
    return { operation: 'chat', capabilities: ['text'], simulated: false, ...facts } as Model;
  }

  it('is simulated only where no real model can', () => {
    const sandbox = model({ simulated: true, capabilities: ['text', 'vision'] });
    const real = model({ capabilities: ['text', 'tools'] });
    expect(supportOf([sandbox, real], 'chat')).toBe('real');
    expect(supportOf([sandbox, real], 'tool_calls')).toBe('real');
    expect(supportOf([sandbox, real], 'vision')).toBe('simulated');
    expect(supportOf([sandbox, real], 'audio')).toBe('none');
  });

  it('counts embeddings on models of embeddings alone', () => {
    const embeds = model({ operation: 'embeddings', capabilities: ['text', 'embeddings'] });
    expect(supportOf([embeds], 'embeddings')).toBe('real');
    expect(supportOf([embeds], 'chat')).toBe('none');
    expect(supportOf([model({})], 'embeddings')).toBe('none');
  });
});
