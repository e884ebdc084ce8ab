import { describe, expect, it } from 'vitest';
import { inputValues } from '../../../src/kernel/fields/faults.js';
import { commercialInfluence } from '../../../src/routing/adaptive/commercial.rules.js';
import { STATED_TERMS, type StatedTerms } from '../../../src/routing/adaptive/tables.js';
import { termFaults } from '../../../src/routing/adaptive/terms.rules.js';
import { ROUTING_MODES } from '../../../src/routing/decision/vocabulary.js';
import { askedOf, modelOf } from '../decision/situations.js';

const OFFER = {
  models: new Map([
    ['north/one', ['north']],
    ['south/two', ['south']],
  ]),
  providers: ['north', 'south'],
  inRussia: new Set<string>(),
};
const DEFAULTS = inputValues(STATED_TERMS.fields, {});

const faultsOf = (terms: Partial<StatedTerms>) =>
  termFaults({ ...DEFAULTS, ...terms }, OFFER, 'input').map(({ path, code }) => `${path} ${code}`);

describe('the faults of terms', () => {
  it('are none where every mode is stated as it should be', () => {
    for (const mode of ROUTING_MODES.codes) {
      const pinnedModel = mode === 'FIXED' ? 'north/one' : null;
      expect(faultsOf({ mode, pinnedModel })).toEqual([]);
    }
    const whole = {
      mode: 'BALANCED',
      qualityFloorBasisPoints: 1,
      costMicroMax: 1n,
      latencyMsMax: 1,
      modelsAllowed: ['north/one'],
      providersAllowed: ['north'],
      fallbackModel: 'north/one',
      revenueMicro: 0n,
      marginBasisPointsMin: 0,
      explorationBasisPoints: 1_000,
    } as const;
    expect(faultsOf(whole)).toEqual([]);
  });

  const CASES: readonly (readonly [Partial<StatedTerms>, readonly string[]])[] = [
    [{ mode: 'FIXED' }, ['input.pinnedModel missing']],
    [{ mode: 'BALANCED', pinnedModel: 'north/one' }, ['input.pinnedModel invalid']],
    [
      { mode: 'FIXED', pinnedModel: 'north/one', explorationBasisPoints: 1 },
      ['input.explorationBasisPoints invalid'],
    ],
    [{ mode: 'ASSURED', explorationBasisPoints: 1 }, ['input.explorationBasisPoints invalid']],
    [{ mode: 'BALANCED', whenUnmeasured: 'REFUSE' }, ['input.whenUnmeasured invalid']],
    [
      { mode: 'ASSURED', whenUnmeasured: 'NEXT_BEST', whenNonePasses: 'REFUSE' },
      ['input.whenUnmeasured invalid'],
    ],
    [
      {
        mode: 'FIXED',
        pinnedModel: 'north/one',
        qualityFloorBasisPoints: 0,
        costMicroMax: 0n,
        latencyMsMax: 1,
        fallbackModel: 'south/two',
      },
      [
        'input.qualityFloorBasisPoints invalid',
        'input.costRubMax invalid',
        'input.latencyMsMax invalid',
        'input.fallbackModel invalid',
      ],
    ],
    [{ revenueMicro: 1n }, ['input.revenueRub invalid']],
    [{ marginBasisPointsMin: 1 }, []],
    [{ whenNonePasses: 'REFUSE', fallbackModel: 'north/one' }, ['input.fallbackModel invalid']],
    [
      { modelsAllowed: ['x', 'north/one', 'y'], providersAllowed: ['west'] },
      [
        'input.modelsAllowed.0 unknown_value',
        'input.modelsAllowed.2 unknown_value',
        'input.providersAllowed.0 unknown_value',
      ],
    ],
    [{ modelsAllowed: ['north/one'], fallbackModel: 'south/two' }, ['input.fallbackModel invalid']],
    [{ providersAllowed: ['north'], fallbackModel: 'south/two' }, ['input.fallbackModel invalid']],
  ];

  it('are each named once, by their argument', () => {
    for (const [terms, faults] of CASES) expect(faultsOf(terms)).toEqual(faults);
  });
});

describe('commercial influence', () => {
  it('is looked for in the decision itself, with a margin that takes the best one out', () => {
    const terms = { revenueMicro: 1n, marginBasisPointsMin: 9_000 };
    expect(commercialInfluence(askedOf([modelOf('a'), modelOf('b')], { terms }))).toBe('none');
  });
});
