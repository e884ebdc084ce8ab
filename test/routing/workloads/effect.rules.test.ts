import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATA_CLASSES } from '../../../src/kernel/firewall/vocabulary.js';
import type { WorkloadTerms } from '../../../src/routing/workloads/contract-cache.js';
import {
  type PastChat,
  SupposedContractTally,
} from '../../../src/routing/workloads/effect.rules.js';

const OPEN: WorkloadTerms = {
  contractKey: 'default',
  exactCacheEnabled: false,
  exactCacheSeconds: 60,
  exactCacheByClient: null,
  exactCacheScope: null,
  exactCacheBypass: null,
  outputTokensMax: null,
  reasoningEffortMax: null,
  historyMessagesMax: null,
  historyTokensMax: null,
  retrievalTokensMax: null,
  asyncFrom: null,
};
/** What a contract comes to, of requests that are given oldest first. */
function supposedContract(past: readonly PastChat[], terms: WorkloadTerms) {
  const tally = new SupposedContractTally(terms);
  for (const request of [...past].reverse()) tally.add(request);
  return tally.result();
}

const CHAT: PastChat = {
  atMs: 0,
  latencyMs: 0,
  chosenModel: 'm',
  projectId: 'p',
  clientId: null,
  isHit: false,
  fingerprint: 'f',
  dataClass: 'C0',
  outputText: 100,
  outputReasoning: 0,
  outputTextMicroPerMillion: 1_000_000_000n,
  outputReasoningMicroPerMillion: 1_000_000_000n,
  amountMicro: 150_000n,
  streamed: false,
  interactionClass: null,
};

const ANY_CHAT: fc.Arbitrary<PastChat> = fc.record({
  atMs: fc.nat(600_000),
  latencyMs: fc.nat(30_000),
  chosenModel: fc.constantFrom('m', 'n', null),
  projectId: fc.constantFrom('p', 'q'),
  clientId: fc.constantFrom('c', 'd', null),
  isHit: fc.boolean(),
  fingerprint: fc.constantFrom('f', 'g', null),
  dataClass: fc.constantFrom(...DATA_CLASSES.map(({ code }) => code)),
  outputText: fc.nat(2_000),
  outputReasoning: fc.nat(2_000),
  outputTextMicroPerMillion: fc.bigInt(0n, 5_000_000_000n),
  outputReasoningMicroPerMillion: fc.bigInt(0n, 5_000_000_000n),
  amountMicro: fc.bigInt(0n, 30_000_000n),
  streamed: fc.boolean(),
  interactionClass: fc.constantFrom('BATCH', 'REALTIME', 'x', null),
});
const PAST = fc
  .array(ANY_CHAT, { maxLength: 30 })
  .map((all) => all.sort((one, other) => one.atMs - other.atMs));
const TERMS: fc.Arbitrary<WorkloadTerms> = fc.record({
  contractKey: fc.constant('default'),
  exactCacheEnabled: fc.boolean(),
  exactCacheSeconds: fc.integer({ min: 1, max: 300 }),
  exactCacheByClient: fc.constantFrom(true, false, null),
  exactCacheScope: fc.constantFrom('organization', 'project', 'client', null),
  exactCacheBypass: fc.constant(null),
  outputTokensMax: fc.option(fc.integer({ min: 1, max: 3_000 })),
  reasoningEffortMax: fc.constantFrom('low', null),
  historyMessagesMax: fc.option(fc.nat(10)),
  historyTokensMax: fc.option(fc.nat(10)),
  retrievalTokensMax: fc.option(fc.nat(10)),
  asyncFrom: fc.constantFrom('BATCH', null),
});

const bare = ({ atMs, amountMicro }: PastChat) => ({ atMs, amountMicro });

describe('a supposed contract', () => {
  it('saves the tokens beyond its ceiling at their recorded prices', () => {
    const terms = { ...OPEN, outputTokensMax: 40 };
    const short = { ...CHAT, outputText: 40, amountMicro: 90_000n };
    expect(supposedContract([CHAT, short], terms)).toEqual({
      requests: 2,
      chargedMicro: 240_000n,
      savedMicro: 60_000n,
      parts: [
        { part: 'output_tokens', basis: 'at_most', requests: 1, savedMicro: 60_000n, missing: [] },
      ],
    });
  });

  it('saves nine tenths of a request that equals one within its term, after the ceiling', () => {
    const terms = { ...OPEN, exactCacheEnabled: true, outputTokensMax: 40 };
    const past = [CHAT, { ...CHAT, atMs: 59_999 }, { ...CHAT, atMs: 119_999 }];
    expect(supposedContract(past, terms)).toMatchObject({
      savedMicro: 180_000n + 81_000n,
      parts: [
        { part: 'output_tokens', requests: 3, savedMicro: 180_000n },
        // Of the whole amount: what the ceiling would have left is not certain.
        { part: 'cache_seconds', requests: 1, savedMicro: 135_000n },
      ],
    });
  });

  it('rounds every saving up', () => {
    const price = { outputTextMicroPerMillion: 1n, amountMicro: 11n };
    const terms = { ...OPEN, exactCacheEnabled: true, outputTokensMax: 40 };
    const past = [CHAT, CHAT].map((each) => ({ ...each, ...price }));
    expect(supposedContract(past, terms)).toMatchObject({
      savedMicro: 2n + 9n,
      parts: [{ savedMicro: 2n }, { savedMicro: 10n }],
    });
  });

  it('counts an answer that was asked for before its term ended', () => {
    const terms = { ...OPEN, exactCacheEnabled: true };
    const slow = { ...CHAT, atMs: 80_000, latencyMs: 20_001 };
    expect(supposedContract([CHAT, slow], terms).parts).toMatchObject([{ requests: 1 }]);
  });

  it('shares answers by the chosen model, and cannot certify one that is not recorded', () => {
    const terms = { ...OPEN, exactCacheEnabled: true };
    const other = { ...CHAT, chosenModel: 'n' };
    expect(supposedContract([CHAT, other], terms).parts).toMatchObject([{ requests: 0 }]);
    expect(supposedContract([CHAT, { ...CHAT, chosenModel: null }], terms)).toMatchObject({
      savedMicro: null,
      parts: [{ basis: 'cannot_certify', missing: ['chosen_model_not_recorded'] }],
    });
  });

  it('cannot certify a cache where any request that is open to it has no fingerprint', () => {
    const terms = { ...OPEN, exactCacheEnabled: true, outputTokensMax: 40 };
    const long = { ...CHAT, fingerprint: null };
    expect(supposedContract([CHAT, CHAT, long], terms)).toMatchObject({
      savedMicro: 180_000n,
      parts: [
        { basis: 'at_most', savedMicro: 180_000n },
        { basis: 'cannot_certify', savedMicro: null, missing: ['no_fingerprints'] },
      ],
    });
    const closed: PastChat[] = [
      { ...long, dataClass: 'C4' },
      { ...long, isHit: true },
    ];
    expect(supposedContract([CHAT, ...closed], terms).parts[1]).toMatchObject({ basis: 'at_most' });
  });

  it('bounds the savings of any cache that tells equal prompts further apart', () => {
    const asked = fc.tuple(ANY_CHAT, fc.constantFrom('x', 'y'));
    const terms = { ...OPEN, exactCacheEnabled: true };
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 20 }), (drawn) => {
        const past = drawn
          .map(([chat, body]) => ({ ...CHAT, ...bare(chat), body }))
          .sort((one, other) => one.atMs - other.atMs);
        const keptAt = new Map<string, number>();
        let [hits, savedMicro] = [0, 0n];
        for (const { atMs, body, amountMicro } of past) {
          const at = keptAt.get(body);
          if (at === undefined || atMs - at >= 60_000) keptAt.set(body, atMs);
          else [hits, savedMicro] = [hits + 1, savedMicro + (amountMicro * 9n) / 10n];
        }
        const told = supposedContract(past, terms).parts[0];
        expect(told?.requests ?? 0).toBeGreaterThanOrEqual(hits);
        expect(told?.savedMicro ?? 0n).toBeGreaterThanOrEqual(savedMicro);
      }),
    );
  });

  it('says what the recorded requests lack, and what it only advises', () => {
    const terms: WorkloadTerms = {
      ...OPEN,
      exactCacheEnabled: true,
      reasoningEffortMax: 'low',
      historyMessagesMax: 4,
      historyTokensMax: 100,
      retrievalTokensMax: 100,
      asyncFrom: 'DEFERRABLE',
    };
    const past = [
      { ...CHAT, fingerprint: null, interactionClass: 'BATCH' },
      { ...CHAT, fingerprint: null, interactionClass: 'BATCH', streamed: true },
    ];
    const { savedMicro, parts } = supposedContract(past, terms);
    expect(savedMicro).toBeNull();
    const told = parts.map(({ part, basis, requests, missing }) => [
      part,
      basis,
      requests,
      missing,
    ]);
    expect(told).toEqual([
      ['reasoning_effort', 'cannot_certify', null, ['effort_not_recorded']],
      ['history_messages', 'cannot_certify', null, ['messages_not_recorded']],
      ['history_tokens', 'cannot_certify', null, ['messages_not_recorded']],
      ['retrieval_tokens', 'cannot_certify', null, ['blocks_not_recorded']],
      ['cache_seconds', 'cannot_certify', null, ['no_fingerprints']],
      ['async', 'advice', 1, []],
    ]);
    const gaps = supposedContract([], terms).parts.map(({ basis, missing }) => [basis, missing]);
    expect(gaps).toEqual(parts.map(() => ['cannot_certify', ['no_requests']]));
  });

  it('never saves more than was charged, and never less than nothing', () => {
    fc.assert(
      fc.property(PAST, TERMS, (past, terms) => {
        const { chargedMicro, savedMicro, parts } = supposedContract(past, terms);
        for (const each of [savedMicro, ...parts.map((part) => part.savedMicro)]) {
          expect(each ?? 0n).toBeGreaterThanOrEqual(0n);
          expect(each ?? 0n).toBeLessThanOrEqual(chargedMicro);
        }
      }),
    );
  });

  it('with a lower ceiling saves no less by it', () => {
    fc.assert(
      fc.property(PAST, fc.integer({ min: 2, max: 3_000 }), (past, ceiling) => {
        const savedBy = (outputTokensMax: number) =>
          supposedContract(past, { ...OPEN, outputTokensMax }).savedMicro ?? 0n;
        expect(savedBy(ceiling - 1)).toBeGreaterThanOrEqual(savedBy(ceiling));
      }),
    );
  });

  it('that is narrower shares no more answers', () => {
    fc.assert(
      fc.property(PAST, (past) => {
        // The term covers the window, so that only the scope decides.
        const cache = { exactCacheEnabled: true, exactCacheSeconds: 3_600 };
        const hitsBy = (exactCacheScope: WorkloadTerms['exactCacheScope']) =>
          supposedContract(past, { ...OPEN, ...cache, exactCacheScope }).parts[0]?.requests ?? 0;
        expect(hitsBy('project')).toBeLessThanOrEqual(hitsBy('organization'));
        expect(hitsBy('client')).toBeLessThanOrEqual(hitsBy('organization'));
      }),
    );
  });
});
