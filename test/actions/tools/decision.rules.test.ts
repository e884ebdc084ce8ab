import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../../src/actions/tools/reference.js';
import { ACTION_GUARDS, type ActionFacts, decideAction } from '../../../src/actions/tools/rules.js';
import { REFERENCES } from '../../../src/records/references.js';
import { anyFacts, HARMLESS, HARMLESS_RADIUS } from './facts.js';

const STRICTNESS = ['allow', 'needs_approval', 'block'];

/** For each guard facts that it alone decides, and what follows. */
const DECIDED_BY: Readonly<Record<string, [Partial<ActionFacts>, string, string]>> = {
  verb_not_in_contract: [
    { verbKnown: false },
    'block',
    'the contract does not list the verb update',
  ],
  agent_critical_destruction: [
    { caller: 'agent', risk: 'critical', destructive: true },
    'block',
    'update is critical and destructive, and an agent key asks for it',
  ],
  records_above_maximum: [
    { blastRadius: { ...HARMLESS_RADIUS, records: 10_001 } },
    'block',
    '10001 records are more than the 10000 of one call',
  ],
  budget_read_only: [
    { readOnlyBudget: 'B' },
    'block',
    'the budget B lets nothing be changed any more, and update does',
  ],
  contract_requires_approval: [
    { requiresApproval: true },
    'needs_approval',
    'the contract requires an approval of update',
  ],
  loosened_by_caller: [
    { loosenedByCaller: true },
    'needs_approval',
    'the member behind the call has loosened update; it waits until another member who may ' +
      'approve has registered the tool again',
  ],
  destructive: [{ destructive: true }, 'needs_approval', 'update is destructive'],
  high_risk: [{ risk: 'high' }, 'needs_approval', 'the risk of update is high'],
  agent_medium_risk: [
    { caller: 'agent', risk: 'medium' },
    'needs_approval',
    'an agent key asks, and the risk of update is medium',
  ],
  records_unknown: [
    { blastRadius: { ...HARMLESS_RADIUS, records: null } },
    'needs_approval',
    'the arguments do not say how many records would change',
  ],
  records_above_limit: [
    { blastRadius: { ...HARMLESS_RADIUS, records: 101 } },
    'needs_approval',
    '101 records are more than 100',
  ],
  amount_unknown: [
    { blastRadius: { ...HARMLESS_RADIUS, amountBasis: 'unknown' } },
    'needs_approval',
    'the arguments do not say how much money would move',
  ],
  amount_above_limit: [
    { blastRadius: { ...HARMLESS_RADIUS, amountMicro: 10_000_000_001n } },
    'needs_approval',
    '10000.000001 RUB are more than 10000.00 RUB',
  ],
  within_limits: [{}, 'allow', 'the action is within every limit'],
};

describe('the action policy', () => {
  it.each(Object.entries(DECIDED_BY))('has the guard %s', (guard, [change, outcome, reason]) => {
    const decided = decideAction({ ...HARMLESS, ...change });
    expect(decided).toMatchObject({ decision: outcome, guard });
    expect(decided.reasons[0]).toEqual({ guard, outcome, reason });
  });

  it('is published as it decides, row for row', () => {
    const published = REFERENCES.named('tools.decision_rule');
    expect(published?.entries.map(({ code }) => code)).toEqual(Object.keys(DECIDED_BY));
    expect(published?.entries).toEqual(
      ACTION_GUARDS.map(({ code, outcome, description }) => ({
        code,
        outcome,
        description,
      })),
    );
  });

  it('never allows what blocks or waits by any row', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { decision, guard, reasons } = decideAction(facts);
        const applying = ACTION_GUARDS.filter(({ applies }) => applies(facts));
        const strictest = applying.map(({ outcome }) => STRICTNESS.indexOf(outcome));
        expect(STRICTNESS.indexOf(decision)).toBe(Math.max(...strictest));
        expect(guard).toBe(applying[0]?.code);
        const named = applying.length === 1 ? applying : applying.slice(0, -1);
        expect(reasons.map((reason) => reason.guard)).toEqual(named.map(({ code }) => code));
      }),
    );
  });

  it('never allows an agent what it does not allow a member', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const of = (caller: ActionFacts['caller']) =>
          STRICTNESS.indexOf(decideAction({ ...facts, caller }).decision);
        expect(of('agent')).toBeGreaterThanOrEqual(of('member'));
      }),
    );
  });

  it('never allows what is not known', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { records, amountBasis } = facts.blastRadius;
        fc.pre(records === null || amountBasis === 'unknown' || !facts.verbKnown);
        expect(decideAction(facts).decision).not.toBe('allow');
      }),
    );
  });

  it('takes the limit of amounts from the contract before that of the caller', () => {
    const asked = (amountMicroMaxAuto: bigint | null, caller: ActionFacts['caller']) =>
      decideAction({
        ...HARMLESS,
        caller,
        amountMicroMaxAuto,
        blastRadius: { ...HARMLESS_RADIUS, amountMicro: 2_000_000_000n },
      }).decision;
    expect(asked(null, 'member')).toBe('allow');
    expect(asked(null, 'agent')).toBe('needs_approval');
    expect(asked(2_000_000_000n, 'agent')).toBe('allow');
    expect(asked(1_999_999_999n, 'member')).toBe('needs_approval');
  });
});
