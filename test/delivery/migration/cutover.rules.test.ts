import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CHECKLIST,
  type CutoverFacts,
  checklistOf,
  decideCutover,
} from '../../../src/delivery/migration/cutover.rules.js';
import {
  MIGRATION_LIFECYCLE,
  type MigrationEvent,
  TRANSITIONS,
} from '../../../src/delivery/migration/lifecycle.js';
import { rollbackPlanOf } from '../../../src/delivery/migration/rollback.rules.js';
import { STATUSES, type Status } from '../../../src/delivery/migration/vocabulary.js';
import { GatewayError } from '../../../src/kernel/errors/fail.js';
import { next } from '../../../src/kernel/lifecycle.js';

const PLAN = rollbackPlanOf({
  sourceProvider: 'openai',
  sourceBaseUrl: null,
  sourceModel: null,
  useCases: [],
  wish: {},
});

const DONE: CutoverFacts = {
  status: 'ready',
  score: 90,
  decision: 'conditional',
  decisionReason: 'why',
  simulated: false,
  conditions: ['quality_unknown'],
  rollbackPlan: PLAN,
  keyCount: 1,
  hybrids: ['rf_only'],
  budgetCount: 1,
  answeredCount: 1,
  aliasCount: 1,
  aliasConflicts: [],
  availableMicro: 1n,
};

const ALL = ['quality_unknown', 'evidence_short', 'slower', 'dearer'];

function decide(change: Partial<CutoverFacts>, needsApproval = false, acknowledged = ALL) {
  const facts = { ...DONE, ...change };
  const checklist = checklistOf('x', facts);
  return decideCutover({ ...facts, checklist, needsApproval, acknowledged });
}

/** For each item, facts that leave it alone open. */
const OPEN: Readonly<Record<(typeof CHECKLIST)[number]['code'], Partial<CutoverFacts>>> = {
  scan: { score: undefined },
  comparison: { decision: undefined },
  scoped_keys: { keyCount: 0 },
  data_route: { hybrids: [] },
  monitoring: { budgetCount: 0 },
  live_traffic: { answeredCount: 0 },
  rollback_plan: { rollbackPlan: { ...PLAN, baseUrl: null } },
  aliases: { aliasConflicts: ['gpt-4o stands for gw:auto'] },
  balance: { availableMicro: 0n },
};

describe('the decision of a cutover', () => {
  it('is blocked when the comparison says hold, before anything else is looked at', () => {
    for (const change of Object.values(OPEN)) {
      expect(decide({ ...change, decision: 'hold' }, true)).toMatchObject({
        outcome: 'blocked',
        guard: 'hold',
        reason: 'the comparison says hold: why',
      });
    }
  });

  it.each(Object.entries(OPEN))('is blocked while %s alone is open', (code, change) => {
    const open = checklistOf('x', { ...DONE, ...change }).filter(({ done }) => !done);
    expect(open.map((item) => item.code)).toEqual([code]);
    expect(decide(change)).toMatchObject({ outcome: 'blocked', reason: `open items: ${code}` });
  });

  it('is blocked on simulated answers, whatever else is done and acknowledged', () => {
    const statuses = fc.constantFrom(...STATUSES.codes);
    const conditions = fc.subarray(ALL);
    fc.assert(
      fc.property(statuses, conditions, fc.boolean(), (status, codes, needsApproval) => {
        const change = { status, conditions: codes, simulated: true };
        expect(decide(change, needsApproval).outcome).toBe('blocked');
      }),
    );
  });

  it('happens only where every condition is acknowledged, and names the others', () => {
    fc.assert(
      fc.property(fc.subarray(ALL), fc.subarray(ALL), (conditions, acknowledged) => {
        const open = conditions.filter((code) => !acknowledged.includes(code));
        const decided = decide({ conditions }, false, acknowledged);
        expect(decided.outcome).toBe(open.length === 0 ? 'cut_over' : 'blocked');
        if (open.length > 0) expect(decided.reason).toContain(open.join(', '));
      }),
    );
  });

  it('waits for an approval only when all else is done', () => {
    expect(decide({}, true).outcome).toBe('pending_approval');
    expect(decide({ keyCount: 0 }, true).outcome).toBe('blocked');
    expect(decide({}).outcome).toBe('cut_over');
  });

  it.each(['draft', 'scanned', 'compared', 'rolled_back'] as const)(
    'is blocked for a migration that is %s',
    (status) => {
      expect(decide({ status })).toMatchObject({ outcome: 'blocked', guard: 'not_ready' });
    },
  );
});

describe('the checklist', () => {
  it('names the call that closes each item, with the id of the migration', () => {
    for (const item of checklistOf('some-id', DONE)) {
      expect(item.closedBy).toMatch(/^(GET|POST) \//);
      expect(item.closedBy).not.toContain('{id}');
    }
  });
});

describe('the states of a migration', () => {
  const EVENTS: readonly MigrationEvent[] = ['scan', 'hold', 'mark_ready', 'cut_over', 'roll_back'];
  const { codes } = STATUSES;

  it('are closed: every event leads to a known state or is refused by name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.constantFrom(...EVENTS), (state, event) => {
        try {
          expect(codes).toContain(next(MIGRATION_LIFECYCLE, state, event));
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect(error).toMatchObject({ code: 'lifecycle_refused' });
        }
      }),
    );
  });

  it('can be rolled back from everywhere', () => {
    for (const state of codes) {
      expect(next(MIGRATION_LIFECYCLE, state, 'roll_back')).toBe('rolled_back');
    }
  });

  it('are cut over from ready alone', () => {
    const before = TRANSITIONS.filter(({ event }) => event === 'cut_over').map(({ from }) => from);
    expect(before).toEqual(['ready']);
  });

  it('can all be reached from a draft', () => {
    const reached = new Set<Status>(['draft']);
    for (let round = 0; round < codes.length; round += 1) {
      for (const { from, to } of TRANSITIONS) if (reached.has(from as Status)) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...codes].sort());
  });
});
