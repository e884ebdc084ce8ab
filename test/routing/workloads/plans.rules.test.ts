import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { admit, loadOf } from '../../../src/routing/workloads/admission.rules.js';
import { cacheIdentity } from '../../../src/routing/workloads/cache-identity.js';
import { planCache } from '../../../src/routing/workloads/cache-plan.rules.js';
import { classify } from '../../../src/routing/workloads/classify.rules.js';
import { dedup } from '../../../src/routing/workloads/dedup.rules.js';
import { planOutput } from '../../../src/routing/workloads/output.rules.js';
import { planRetrieval } from '../../../src/routing/workloads/retrieval.rules.js';
import { lackingForTransform, transform } from '../../../src/routing/workloads/transform.rules.js';
import { TRANSFORMS, WORKLOAD_DATA_CLASSES } from '../../../src/routing/workloads/vocabulary.js';

const PATIENT = {
  userIsWaiting: false,
  deadlineSeconds: 100_000,
  isStreamed: false,
  task: 'ANALYSIS' as const,
  dataClass: 'C1' as const,
  contextTokens: 900,
  windowTokens: 1_000,
  outputTokensMax: 100_000,
};

describe('classification', () => {
  it('doubt_is_realtime: what is not stated makes a request urgent', () => {
    const classOf = (more: Partial<typeof PATIENT> | object) => {
      const { interactionClass, decidedBy, asyncEligible } = classify({ ...PATIENT, ...more });
      return [interactionClass, decidedBy, asyncEligible];
    };
    expect(classOf({})).toEqual(['BATCH', 'patient', true]);
    expect(classOf({ userIsWaiting: true })).toEqual(['REALTIME', 'somebody_waits', false]);
    expect(classOf({ userIsWaiting: null })).toEqual(['REALTIME', 'waiting_unknown', false]);
    expect(classOf({ isStreamed: true })).toEqual(['REALTIME', 'streamed', false]);
    expect(classOf({ deadlineSeconds: null })).toEqual(['REALTIME', 'deadline_unknown', false]);
    expect(classOf({ deadlineSeconds: 3_599 })).toEqual([
      'NEAR_REALTIME',
      'within_the_hour',
      false,
    ]);
    expect(classOf({ deadlineSeconds: 3_600 })).toEqual(['DEFERRABLE', 'within_the_day', true]);
  });

  it('no_free_summary_of_c3_c4: nor of data whose class is unknown', () => {
    const compression = [...WORKLOAD_DATA_CLASSES.codes, null].map((dataClass) => {
      const found = classify({ ...PATIENT, dataClass });
      return [dataClass, found.compression, found.freeSummaryAllowed];
    });
    expect(compression).toEqual([
      ['C0', 'FREE_SUMMARY', true],
      ['C1', 'FREE_SUMMARY', true],
      ['C2', 'FREE_SUMMARY', true],
      ['C3', 'EXTRACTIVE', false],
      ['C4', 'LOSSLESS', false],
      [null, 'LOSSLESS', false],
    ]);
    expect(classify({ ...PATIENT, contextTokens: 500 }).compression).toBe('NONE');
  });

  it('gives reasoning what the task is worth, and at most half of the answer', () => {
    expect(classify(PATIENT).reasoningTokensMax).toBe(4_096);
    expect(classify({ ...PATIENT, outputTokensMax: 1_001 }).reasoningTokensMax).toBe(500);
    expect(classify({ ...PATIENT, task: null }).reasoningTokensMax).toBe(0);
  });
});

const HASH = 'a'.repeat(64);
const CACHEABLE = {
  tenantId: '018f3b4c-7a10-7003-8000-000000000001',
  requestSha256: HASH,
  model: 'm',
  policy: 'p.1',
  contractEnabled: true,
  dataClass: 'C1' as const,
  writes: false,
  personalized: false,
  similarity: 0.99,
};

describe('a cache plan', () => {
  it('cache_closed_for_personal, semantic_cache_fails_closed: each doubt closes', () => {
    const closed = (more: object) => {
      const { exact, semantic, closedBy } = planCache({ ...CACHEABLE, ...more });
      return [exact, semantic, ...closedBy];
    };
    expect(closed({})).toEqual(['ALLOWED', 'ALLOWED']);
    expect(closed({ tenantId: null })).toEqual(['REFUSED', 'REFUSED', 'tenant_missing']);
    expect(closed({ dataClass: null })).toEqual(['REFUSED', 'REFUSED', 'data_class_unknown']);
    for (const dataClass of ['C3', 'C4']) {
      expect(closed({ dataClass })).toEqual(['REFUSED', 'REFUSED', 'data_class_closed']);
    }
    for (const writes of [true, null]) {
      expect(closed({ writes })).toEqual(['REFUSED', 'REFUSED', 'writes']);
    }
    for (const personalized of [true, null]) {
      expect(closed({ personalized })).toEqual(['REFUSED', 'REFUSED', 'personalized']);
    }
    expect(closed({ contractEnabled: false })).toEqual(['REFUSED', 'REFUSED', 'contract_off']);
    for (const similarity of [0.96, null]) {
      expect(closed({ similarity })).toEqual(['ALLOWED', 'REFUSED', 'similarity_low']);
    }
  });

  it('tenant_in_cache_identity: no two tenants, models or policies share one', () => {
    const part = fc.string({ minLength: 1, maxLength: 4 });
    const parts = fc.record({
      tenantId: part,
      model: part,
      policy: part,
      requestSha256: part,
    });
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const isSame = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(two));
        expect(cacheIdentity(one) === cacheIdentity(two)).toBe(isSame);
      }),
    );
    const shape = { model: 'm', policy: 'p.1', requestSha256: HASH };
    expect(() => cacheIdentity({ tenantId: '', ...shape })).toThrow(TypeError);
    expect(planCache({ ...CACHEABLE, tenantId: null }).identity).toBeNull();
  });
});

describe('a retrieval plan', () => {
  const aPlan = fc.record({
    tokensMax: fc.integer({ min: 1, max: 60 }),
    needs: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')),
    candidates: fc
      .array(
        fc.record({
          tokens: fc.integer({ min: 1, max: 30 }),
          relevance: fc.double({ min: 0, max: 1, noNaN: true }),
          covers: fc.array(fc.constantFrom('a', 'b', 'c', 'x')),
        }),
        { maxLength: 8 },
      )
      .map((found) => found.map((each, at) => ({ ...each, passageId: `p${at}` }))),
  });

  it('minimum_sufficient_evidence: each step adds a need, and the last one ends it', () => {
    fc.assert(
      fc.property(aPlan, (found) => {
        const plan = planRetrieval(found);
        const covered = plan.steps.flatMap(({ adds }) => adds);
        expect(plan.steps.every(({ adds }) => adds.length > 0)).toBe(true);
        expect([...covered, ...plan.uncovered].sort()).toEqual(found.needs.toSorted());
        expect(plan.usedTokens).toBeLessThanOrEqual(found.tokensMax);
        expect(plan.steps.at(-1)?.tokensSoFar ?? 0).toBe(plan.usedTokens);
        const all = found.candidates.reduce((sum, { tokens }) => sum + tokens, 0);
        expect(plan.usedTokens + plan.sparedTokens).toBe(all);
        expect(plan.verdict).toBe(plan.uncovered.length === 0 ? 'SUFFICIENT' : 'INSUFFICIENT');
      }),
    );
  });

  it('prefers more evidence for its tokens, then relevance', () => {
    const passage = (passageId: string, tokens: number, relevance: number, covers: string[]) => ({
      passageId,
      tokens,
      relevance,
      covers,
    });
    const { steps } = planRetrieval({
      tokensMax: 100,
      needs: ['a', 'b', 'c'],
      candidates: [
        passage('dear', 90, 1, ['a', 'b', 'c']),
        passage('dull', 10, 0.1, ['a']),
        passage('apt', 10, 0.9, ['a']),
        passage('both', 10, 0.5, ['b', 'c']),
      ],
    });
    expect(steps.map(({ passageId }) => passageId)).toEqual(['both', 'apt']);
  });
});

describe('an output plan', () => {
  const plan = (more: object) => {
    const asked = { enumValues: [], jsonSchema: null, lengthCharacters: null, stop: [] };
    const { basis, maxTokens } = planOutput({ ...asked, modelTokensMax: 4_096, ...more });
    return [basis, maxTokens];
  };

  it('takes the tightest bound that is known', () => {
    expect(plan({})).toEqual(['MODEL', 4_096]);
    expect(plan({ enumValues: ['да', 'нет'] })).toEqual(['ENUM', 6]);
    expect(plan({ stop: ['\n'] })).toEqual(['STOP', 512]);
    expect(plan({ stop: ['\n'], lengthCharacters: 100 })).toEqual(['LENGTH', 400]);
    expect(plan({ lengthCharacters: 10_000 })).toEqual(['MODEL', 4_096]);
    const open = { type: 'object', properties: { a: { type: 'boolean' } } };
    expect(plan({ jsonSchema: open })).toEqual(['MODEL', 4_096]);
    expect(plan({ jsonSchema: { ...open, additionalProperties: false } })).toEqual(['SCHEMA', 14]);
  });

  it('never cuts an answer that keeps to its schema', async () => {
    const { count } = await loadTokenizer();
    const answer = fc.record({
      kind: fc.constantFrom('да', 'x'),
      note: fc.string({ maxLength: 20 }),
    });
    const jsonSchema = {
      type: 'object',
      additionalProperties: false,
      properties: { kind: { enum: ['да', 'x'] }, note: { type: 'string', maxLength: 20 } },
    };
    const [, maxTokens] = plan({ jsonSchema });
    fc.assert(
      fc.property(answer, (given) => {
        expect(count(JSON.stringify(given))).toBeLessThanOrEqual(maxTokens as number);
      }),
    );
  });
});

describe('admission', () => {
  it('takes what it can, sends what can wait away, and refuses the rest with a time', () => {
    const answer = (inFlight: number, interactionClass: 'REALTIME' | 'BATCH') => {
      const free = { taken: 1, max: 100 };
      const places = { taken: inFlight, max: 10 };
      // The scarcer of the two decides.
      const [load, other] = [
        [free, places],
        [places, free],
      ].map((forChat) => loadOf({ forChat }));
      if (!load) throw new Error('there is a load');
      expect(other).toBe(load);
      const { outcome, retryAfterSeconds } = admit(interactionClass, load);
      return [load, outcome, retryAfterSeconds];
    };
    expect(answer(6, 'BATCH')).toEqual(['LOW', 'accepted', null]);
    expect(answer(7, 'BATCH')).toEqual(['HIGH', 'recommend_async', 60]);
    expect(answer(7, 'REALTIME')).toEqual(['HIGH', 'accepted', null]);
    expect(answer(10, 'REALTIME')).toEqual(['FULL', 'rejected', 2]);
    expect(answer(11, 'BATCH')).toEqual(['FULL', 'recommend_async', 60]);
  });
});

describe('a transform', () => {
  const asked = {
    transforms: TRANSFORMS.codes,
    dataClass: 'C1' as const,
    text: null,
    tokens: 1_000,
  };

  it('no_free_summary_of_c3_c4: is refused, also where the class is unknown', () => {
    const lacking = [...WORKLOAD_DATA_CLASSES.codes, null].map(
      (dataClass) => lackingForTransform({ ...asked, dataClass }).length,
    );
    expect(lacking).toEqual([0, 0, 0, 1, 1, 1]);
    expect(lackingForTransform({ ...asked, tokens: null })).toMatchObject([{ field: 'text' }]);
  });

  it('is computed where it can be applied, and estimated from there on where not', async () => {
    const { count } = await loadTokenizer();
    const text = '{ "a" : 12345678901234567890,\n  "a" : " x  y " }  \n\n\n\n';
    const { steps, basis, afterTokens } = transform(
      { ...asked, text, transforms: ['NORMALIZE_SPACE', 'MINIFY_JSON'] },
      count,
    );
    expect(basis).toBe('computed');
    expect(steps.map((step) => step.basis)).toEqual(['computed', 'computed']);
    expect(afterTokens).toBe(count('{"a":12345678901234567890,"a":" x  y "}'));
    const mixed = transform(
      { ...asked, text: 'a b', transforms: ['FREE_SUMMARY', 'MINIFY_JSON'] },
      count,
    );
    expect([mixed.basis, ...mixed.steps.map((step) => step.basis)]).toEqual(
      Array(3).fill('estimated'),
    );
  });

  it('never makes a text longer', async () => {
    const { count } = await loadTokenizer();
    const any = fc.record({
      text: fc.option(fc.string({ maxLength: 60 })),
      tokens: fc.option(fc.nat(10_000)),
      transforms: fc.array(fc.constantFrom(...TRANSFORMS.codes)),
    });
    fc.assert(
      fc.property(any, (given) => {
        const { savedTokens } = transform({ ...asked, ...given }, count);
        expect(savedTokens).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('deduplication', () => {
  const origin = {
    checksum: HASH,
    parserVersion: 'pdf 1',
    tenantId: 'mine',
    policyVersion: '3',
    encryptionKey: 'k',
  };

  it('reuse_needs_five_matches: one that differs or is missing, and it is read anew', () => {
    expect(dedup({ document: origin, stored: origin }, 'mine')).toEqual({
      verdict: 'ELIGIBLE',
      mismatches: [],
    });
    const parts = ['checksum', 'parser_version', 'tenant', 'policy_version', 'encryption_key'];
    for (const [at, name] of Object.keys(origin).entries()) {
      for (const value of ['other', null]) {
        const stored = { ...origin, [name]: value };
        const { verdict, mismatches } = dedup({ document: origin, stored }, 'mine');
        expect([verdict, mismatches]).toEqual(['NOT_ELIGIBLE', [parts[at]]]);
      }
    }
    expect(dedup({ document: origin, stored: origin }, 'yours').mismatches).toEqual(['tenant']);
  });
});
