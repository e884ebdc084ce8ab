import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolContract, VerbRule } from '../../../src/actions/tools/contract.js';
import { VERBS } from '../../../src/actions/tools/vocabulary.js';
import { auditContract } from '../../../src/assurance/certification/audit.rules.js';
import {
  isAudited,
  judgeReview,
  listingStatusOf,
  requiredGates,
  statementEnd,
  statusAt,
  validUntilFrom,
} from '../../../src/assurance/certification/gates.rules.js';
import type { Finding } from '../../../src/assurance/certification/tables.js';
import { BADGES, GATES, type Gate } from '../../../src/assurance/certification/vocabulary.js';

const badges = fc.constantFrom(...BADGES.codes);
const gates = fc.array(fc.constantFrom(...GATES.codes), { maxLength: 12 });
const audits = fc
  .record({
    human_oversight: fc.boolean(),
    argument_contract: fc.boolean(),
    blast_radius: fc.boolean(),
  })
  .map((passed): Finding[] =>
    Object.entries(passed).map(([gate, each]) => ({
      gate: gate as Gate,
      passed: each,
      detail: 'x',
    })),
  );

describe('the decision of a review', () => {
  it('is certified exactly when every required gate is stated and, if audited, shown', () => {
    fc.assert(
      fc.property(badges, gates, audits, fc.boolean(), (badge, stated, audit, isProved) => {
        const shown = (gate: Gate) =>
          gate === 'publisher_identity'
            ? isProved
            : audit.some((each) => each.gate === gate && each.passed);
        const isAttested = (gate: Gate) => GATES.find(gate)?.evidence === 'attested';
        const required = requiredGates(badge);
        const holds = required.filter(
          (gate) => stated.includes(gate) && (isAttested(gate) || shown(gate)),
        );
        const { decision, passed, failed, score } = judgeReview(badge, stated, audit, isProved);
        expect(decision).toBe(holds.length === required.length ? 'certified' : 'rejected');
        expect([...passed, ...failed].sort()).toEqual([...required].sort());
        expect(passed).toEqual(holds);
        expect(score === 100).toBe(decision === 'certified');
        expect(score).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('depends on neither order nor repetition, and one gate more never lowers the score', () => {
    fc.assert(
      fc.property(
        badges,
        gates,
        audits,
        fc.constantFrom(...GATES.codes),
        (badge, stated, audit, more) => {
          const judged = judgeReview(badge, stated, audit, true);
          const turned = [...stated].reverse().concat(stated);
          expect(judgeReview(badge, turned, audit, true)).toEqual(judged);
          const { score } = judgeReview(badge, [...stated, more], audit, true);
          expect(score).toBeGreaterThanOrEqual(judged.score);
        },
      ),
    );
  });

  it('is never certified without the audit or the proof that its badge needs', () => {
    for (const { code } of BADGES.rows) {
      const bare = judgeReview(code, GATES.codes, [], false).decision;
      const proved = judgeReview(code, GATES.codes, [], true).decision;
      const needsAudit = requiredGates(code).some(isAudited);
      const needsMore = needsAudit || requiredGates(code).includes('publisher_identity');
      expect([code, proved]).toEqual([code, needsAudit ? 'rejected' : 'certified']);
      expect([code, bare]).toEqual([code, needsMore ? 'rejected' : 'certified']);
    }
  });

  it('every gate is required by a badge, and every badge by its own set of gates', () => {
    const required = new Set(BADGES.rows.flatMap(({ requires }) => requires as readonly string[]));
    expect([...required].sort()).toEqual([...GATES.codes].sort());
    const sets = BADGES.rows.map(({ requires }) => [...requires].sort().join());
    expect(new Set(sets).size).toBe(BADGES.rows.length);
  });
});

describe('time', () => {
  const at = (ms: number) => new Date(ms);
  const row = (validUntil: Date, supersededAt: Date | null = null) => ({
    badge: 'cost_controlled',
    status: 'certified',
    validUntil,
    supersededAt,
  });
  const free = { isProved: false, measure: null };

  it('ends a badge at its very end, and hides a listing with its last one', () => {
    expect(statusAt(row(at(1_001)), free, at(1_000))).toBe('certified');
    expect(statusAt(row(at(1_000)), free, at(1_000))).toBe('expired');
    expect(statusAt(row(at(2_000), at(500)), free, at(1_000))).toBe('superseded');
    expect(statusAt({ ...row(at(2_000)), status: 'revoked' }, free, at(1_000))).toBe('revoked');
    const listing = { status: 'listed', nameReview: null, measure: null };
    expect(listingStatusOf(listing, true)).toBe('listed');
    expect(listingStatusOf(listing, false)).toBe('lapsed');
    expect(listingStatusOf({ ...listing, status: 'draft' }, true)).toBe('draft');
  });

  it('keeps a badge while its proof holds and no operator has halted its listing', () => {
    const publisher = { ...row(at(2_000)), badge: 'verified_publisher' };
    const proved = { ...free, isProved: true };
    const halted = { ...proved, measure: 'suspended' };
    expect(statusAt(publisher, free, at(1_000))).toBe('unproven');
    expect(statusAt(publisher, proved, at(1_000))).toBe('certified');
    expect(statusAt(publisher, halted, at(1_000))).toBe('suspended');
    const listing = { status: 'listed', nameReview: 'waiting', measure: null };
    expect(listingStatusOf(listing, true)).toBe('name_in_review');
    expect(listingStatusOf({ ...listing, nameReview: 'cleared' }, true)).toBe('listed');
    expect(listingStatusOf({ ...listing, measure: 'revoked' }, true)).toBe('revoked');
  });

  it('lets no statement outlive its badge, or seven days', () => {
    const days = fc.integer({ min: 1, max: 400 * 86_400_000 });
    fc.assert(
      fc.property(days, (aheadMs) => {
        const now = at(1_790_000_000_500);
        const end = statementEnd(at(now.getTime() + aheadMs), now);
        expect(end.getTime() % 1_000).toBe(0);
        expect(end.getTime()).toBeLessThanOrEqual(now.getTime() + aheadMs);
        expect(end.getTime()).toBeLessThanOrEqual(now.getTime() + 7 * 86_400_000);
      }),
    );
  });

  it('is that of the published table', () => {
    for (const { code, renewalDays } of BADGES.rows) {
      expect(validUntilFrom(code, at(0)).getTime()).toBe(renewalDays * 86_400_000);
    }
  });
});

describe('the audit of a contract', () => {
  const rule = (verb: string, more: Partial<VerbRule> = {}): VerbRule => {
    const meaning = VERBS.find(verb);
    return {
      verb,
      origin: meaning ? 'published' : 'declared',
      risk: meaning?.risk ?? 'low',
      readOnly: meaning?.scope === 'none',
      destructive: meaning?.destructive ?? false,
      requiresApproval: false,
      compensatingVerb: null,
      argumentsSchema: null,
      amountField: null,
      recordsField: null,
      ...more,
    };
  };
  const contract = (...verbs: VerbRule[]): ToolContract => ({
    toolKey: 'x',
    name: null,
    description: null,
    verbs,
    risk: 'low',
    destructive: false,
    requiresApproval: false,
    connector: 'simulated',
    endpointUrl: null,
    timeoutMs: 1_000,
    approvalExpiresSeconds: 60,
    amountMicroMaxAuto: null,
    signingGeneration: 1,
  });
  const passedBy = (...verbs: VerbRule[]) =>
    auditContract(contract(...verbs))
      .filter(({ passed }) => passed)
      .map(({ gate }) => gate);
  const ALL = ['human_oversight', 'argument_contract', 'blast_radius'];

  it('holds for whatever waits for a person, and for reading', () => {
    for (const verb of VERBS.codes)
      expect(passedBy(rule(verb, { requiresApproval: true }))).toEqual(ALL);
    expect(passedBy(rule('read'), rule('list'))).toEqual(ALL);
  });

  it('goes by what a verb means, whatever the contract says of it', () => {
    const harmless = { risk: 'low', destructive: false } as const;
    const schema = { argumentsSchema: { type: 'object' } } as const;
    for (const { code, destructive, money, risk } of VERBS.rows) {
      const isHarmful = destructive || money || risk === 'high';
      const passed = passedBy(rule(code, { ...harmless, ...schema }));
      expect([code, passed.includes('human_oversight')]).toEqual([code, !isHarmful]);
    }
  });

  it('wants schemas of what changes, and fields of amounts and records', () => {
    expect(passedBy(rule('create'))).toEqual(['human_oversight', 'blast_radius']);
    expect(passedBy(rule('create', { argumentsSchema: { type: 'object' } }))).toEqual(ALL);
    expect(passedBy(rule('pay'))).toEqual(['human_oversight']);
    expect(passedBy(rule('pay', { amountField: '/amount' }))).toEqual([
      'human_oversight',
      'blast_radius',
    ]);
    expect(passedBy(rule('sync'))).toEqual(['human_oversight']);
    expect(passedBy(rule('sync', { recordsField: '/ids' }))).toEqual([
      'human_oversight',
      'blast_radius',
    ]);
  });
});
