import { describe, expect, it } from 'vitest';
import { decideRoute } from '../../../src/routing/decision/decide.rules.js';
import { explainRoute } from '../../../src/routing/decision/explain.rules.js';
import { reexecute, sealedDecision } from '../../../src/routing/decision/sealed-decision.js';
import type { RouteModel } from '../../../src/routing/decision/tables.js';
import { askedOf, deploymentOf, modelOf } from './situations.js';

/** A model that is equal to every other one but for its name and where it is served. */
function servedIn(jurisdiction: 'rf' | 'outside', model: string, own: Partial<RouteModel> = {}) {
  return modelOf(model, { ...own, deployments: [deploymentOf({ jurisdiction })] });
}

const EQUALS = [servedIn('outside', 'abroad'), servedIn('rf', 'russian')];

describe('of equal candidates, the one that is served in Russia', () => {
  it('answers, whatever the order of their names or of the catalogue', () => {
    for (const models of [EQUALS, [...EQUALS].reverse()]) {
      expect(decideRoute(askedOf(models)).chosen?.model.model).toBe('russian');
    }
  });

  it('answers where all fail the limits and the best quality stands in', () => {
    const terms = { qualityFloorBasisPoints: 9_999 };
    const { verdict, model } = explainRoute(askedOf(EQUALS, { terms }));
    expect([verdict, model]).toEqual(['FALLBACK', 'russian']);
  });

  it('is named by the decision as the reason', () => {
    const { stages, candidates } = explainRoute(askedOf(EQUALS));
    const abroad = candidates.find(({ model }) => model === 'abroad');
    expect(abroad?.reason).toMatch(/^its utility is [\d.]+ % as well, yet russian is in Russia$/);
    expect(stages[1]?.note).toMatch(/; equal utilities: Russia first, then cost\.$/);
  });

  it('gives way to a candidate of higher utility elsewhere', () => {
    const better = servedIn('outside', 'abroad', { qualityBasisPoints: 9_900 });
    const poor = servedIn('rf', 'russian', { qualityBasisPoints: 5_000 });
    const terms = { mode: 'QUALITY_FIRST' } as const;
    expect(decideRoute(askedOf([poor, better], { terms })).chosen?.model.model).toBe('abroad');
  });
});

describe('a decision that was sealed before jurisdiction broke ties', () => {
  it('is made again as it was, under the hash that it had', () => {
    const sealed = sealedDecision(
      'request',
      askedOf(EQUALS, { terms: { whenUnmeasured: null }, ties: null }),
    );
    expect([sealed.model, sealed.situationSha256]).toEqual([
      'abroad',
      '6f5a2b88762f2fc57ab98489592e77147523eaf7cdbfd198b5626495f82940e8',
    ]);
    expect(reexecute(sealed)).toEqual({ identical: true, differences: [] });
  });
});
