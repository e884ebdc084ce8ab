import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Advance,
  type Course,
  nextSteps,
  promotion,
  rollback,
  type Stage,
  transitions,
  withNewVersion,
} from '../../../src/prompts/packages/lifecycle.rules.js';
import { PROMPT_STATUSES } from '../../../src/prompts/packages/vocabulary.js';

/** A package as the service keeps it. */
interface Package extends Course {
  readonly stages: ReadonlyMap<number, Stage>;
}

const EMPTY: Package = { currentVersion: null, previousVersions: [], stages: new Map() };

type Step = { readonly kind: 'write' | 'rollback' } | { readonly kind: 'promote'; at: number };

function stageOf({ stages }: Package, version: number): Stage {
  const stage = stages.get(version);
  if (!stage) throw new Error(`there is no version ${version}`);
  return stage;
}

function inProduction({ stages }: Package): Stage[] {
  return [...stages.values()].filter(({ status }) => status === 'production');
}

function advanced(before: Package, { moves, ...course }: Advance): Package {
  let after: Package = { ...before, ...course };
  for (const { version, status, supersededBy } of moves) {
    const stages = new Map(after.stages).set(version, { version, status, supersededBy });
    after = { ...after, stages };
    expect(inProduction(after).length).toBeLessThanOrEqual(1);
  }
  return after;
}

/** One step, as the service would make it; steps that are refused change nothing. */
function stepped(before: Package, step: Step): Package {
  const { currentVersion, previousVersions, stages } = before;
  if (step.kind === 'write') {
    const version = stages.size + 1;
    const status = currentVersion === null ? undefined : stageOf(before, currentVersion).status;
    const stage: Stage = { version, status: 'draft', supersededBy: null };
    const course = withNewVersion(before, status, version);
    return { ...course, stages: new Map(stages).set(version, stage) };
  }
  if (step.kind === 'promote') {
    if (stages.size === 0) return before;
    const stage = stageOf(before, 1 + (step.at % stages.size));
    if (stage.status === 'deprecated') return before;
    return advanced(before, promotion(before, stage, inProduction(before)[0]));
  }
  const previous = previousVersions.at(-1);
  if (currentVersion === null || previous === undefined) return before;
  const leaving = stageOf(before, currentVersion);
  return advanced(before, rollback(before, leaving, stageOf(before, previous)));
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ kind: 'write' } as const),
  fc.constant({ kind: 'rollback' } as const),
  fc.record({ kind: fc.constant('promote' as const), at: fc.nat({ max: 20 }) }),
);

describe('the lifecycle, whatever is done', () => {
  it('has at most one version in production, and that one is current', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
        const end = steps.reduce(stepped, EMPTY);
        const [serving, ...others] = inProduction(end);
        expect(others).toEqual([]);
        if (serving) expect(end.currentVersion).toBe(serving.version);
      }),
      { numRuns: 500 },
    );
  });

  it('remembers only versions that exist, and never the current one on top', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
        const { currentVersion, previousVersions, stages } = steps.reduce(stepped, EMPTY);
        for (const version of previousVersions) expect(stages.has(version)).toBe(true);
        if (currentVersion !== null) expect(previousVersions.at(-1)).not.toBe(currentVersion);
        expect(previousVersions.length).toBeLessThan(2 * Math.max(1, stages.size));
      }),
      { numRuns: 500 },
    );
  });

  it('marks as superseded only what is deprecated, so that only that is restored', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
        for (const stage of steps.reduce(stepped, EMPTY).stages.values()) {
          if (stage.supersededBy !== null) expect(stage.status).toBe('deprecated');
        }
      }),
    );
  });

  it('a rollback undoes a promotion to production', () => {
    const before = ['promote', 'promote', 'promote'].reduce(
      (at) => stepped(at, { kind: 'promote', at: 0 }),
      stepped(EMPTY, { kind: 'write' }),
    );
    let after = stepped(before, { kind: 'write' });
    for (let step = 0; step < 3; step += 1) after = stepped(after, { kind: 'promote', at: 1 });
    expect(after.currentVersion).toBe(2);
    const undone = stepped(after, { kind: 'rollback' });
    expect(undone.currentVersion).toBe(1);
    expect(undone.previousVersions).toEqual(before.previousVersions);
    expect(undone.stages.get(1)).toEqual(before.stages.get(1));
    expect(undone.stages.get(2)).toMatchObject({ status: 'staging', supersededBy: null });
  });
});

describe('the state table', () => {
  it('is published with every step and needs a gate only before staging and production', () => {
    const codes = PROMPT_STATUSES.codes;
    const table = transitions();
    expect(new Set(table.map(({ code }) => code)).size).toBe(table.length);
    for (const { from, to } of table) expect(codes).toEqual(expect.arrayContaining([from, to]));
    expect(table.filter(({ gateRequired }) => gateRequired).map(({ to }) => to)).toEqual([
      'staging',
      'production',
    ]);
  });

  it.each([
    { status: 'draft', to: 'review', gateRequired: false },
    { status: 'review', to: 'staging', gateRequired: true },
    { status: 'staging', to: 'production', gateRequired: true },
    { status: 'production', to: 'deprecated', gateRequired: false },
  ] as const)('offers $to after $status, and a rollback where a version was before', (row) => {
    const stage: Stage = { version: 3, status: row.status, supersededBy: null };
    const { to, gateRequired } = row;
    expect(nextSteps(stage, [1, 2])).toEqual([
      { action: 'promote', version: 3, to, gateRequired },
      { action: 'rollback', version: 2, to: null, gateRequired: false },
    ]);
  });

  it('offers nothing without a version', () => {
    expect(nextSteps(undefined, [])).toEqual([]);
  });
});
