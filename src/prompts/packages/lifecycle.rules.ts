import { fail } from '../../kernel/errors/fail.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { next } from '../../kernel/lifecycle.js';
import {
  GATED_STATUSES,
  PROMPT_ACTIONS,
  PROMPT_LIFECYCLE,
  PROMPT_STATUSES,
  type PromptEvent,
  type PromptHappening,
  type PromptStatus,
} from './vocabulary.js';

/** A step of the state table, as it is published. */
export const TRANSITION = fieldTable('PromptTransition', 'The state table of versions.', {
  from: code(PROMPT_STATUSES, 'The status before.'),
  event: text('What moves the version.'),
  to: code(PROMPT_STATUSES, 'The status after.'),
  gateRequired: flag('Whether it needs a passing gate receipt of that very version.'),
});

/** Every step of the state table. */
export function transitions() {
  return PROMPT_STATUSES.rows.flatMap(({ code: from }) =>
    Object.entries(PROMPT_LIFECYCLE[from]).map(([event, to]) => ({
      code: `${from}_${event}`,
      description: `${event}: from ${from} to ${to}.`,
      from,
      event,
      to,
      gateRequired: event === 'promote' && GATED_STATUSES.includes(to),
    })),
  );
}

/** Where a version stands. */
export interface Stage {
  readonly version: number;
  readonly status: PromptStatus;
  /** The version that took its place in production; null for any other one. */
  readonly supersededBy: number | null;
}

/** Which version of a package is current, and which ones were before, latest last. */
export interface Course {
  readonly currentVersion: number | null;
  readonly previousVersions: readonly number[];
}

/** What happened to a version, with where it stands after it. */
export interface Move extends Stage {
  readonly value: PromptHappening;
  /** Where it stood before; a rollback of a draft leaves it there. */
  readonly from: PromptStatus;
}

/** What becomes of a package. Moves are in an order that keeps at most one in production. */
export interface Advance extends Course {
  readonly moves: readonly Move[];
}

/**
 * The course with a new version: it becomes current unless the current one is in production, which
 * goes on serving until another one is promoted there.
 */
export function withNewVersion(
  course: Course,
  currentStatus: PromptStatus | undefined,
  version: number,
): Course {
  return currentStatus === 'production' ? course : withCurrent(course, version);
}

/**
 * One promotion. In production a version becomes current, and the one that was there before is
 * superseded.
 * @throws lifecycle_refused where the table has no such step, or `to` is not its end
 */
export function promotion(
  course: Course,
  stage: Stage,
  inProduction: Stage | undefined,
  to?: PromptStatus | null,
): Advance {
  const step = moved(stage, 'promote', 'promoted');
  if (to != null && to !== step.status) {
    const values = { event: `promote to ${to}`, state: stage.status, allowed: step.status };
    fail('lifecycle_refused', { values, param: 'to' });
  }
  if (step.status !== 'production') return { ...course, moves: [step] };
  const superseded = inProduction
    ? [{ ...moved(inProduction, 'supersede', 'superseded'), supersededBy: stage.version }]
    : [];
  return { ...withCurrent(course, stage.version), moves: [...superseded, step] };
}

/**
 * One step back: the version before becomes current. One that is in production leaves it for
 * staging; a superseded one that returns is in production again.
 */
export function rollback(course: Course, leaving: Stage, returning: Stage): Advance {
  const left =
    leaving.status === 'production'
      ? moved(leaving, 'roll_back', 'rolled_back')
      : unmoved(leaving, 'rolled_back');
  const restored =
    returning.supersededBy === null
      ? unmoved(returning, 'restored')
      : moved(returning, 'restore', 'restored');
  return {
    currentVersion: returning.version,
    previousVersions: course.previousVersions.slice(0, -1),
    moves: [left, restored],
  };
}

/** The next status of a promotion; null where there is none. */
function promotedStatus(status: PromptStatus): PromptStatus | null {
  return PROMPT_LIFECYCLE[status].promote ?? null;
}

function moved({ version, status }: Stage, event: PromptEvent, value: PromptHappening): Move {
  const to = next(PROMPT_LIFECYCLE, status, event);
  return { value, version, from: status, status: to, supersededBy: null };
}

function unmoved(stage: Stage, value: PromptHappening): Move {
  return { ...stage, value, from: stage.status };
}

function withCurrent({ currentVersion, previousVersions }: Course, version: number): Course {
  if (currentVersion === version) return { currentVersion, previousVersions };
  const before = currentVersion === null ? [] : [currentVersion];
  return { currentVersion: version, previousVersions: [...previousVersions, ...before] };
}

/** Something that can be done with a package now. */
export const STEP = fieldTable('PromptStep', 'Something that can be done with a package now.', {
  action: code(PROMPT_ACTIONS, 'What can be done with the package.'),
  version: integer('The version that it moves or restores.'),
  to: optional(
    code(
      PROMPT_STATUSES,
      'The status after a promotion; null for a rollback, which keeps or restores.',
    ),
  ),
  gateRequired: flag('Whether it needs that the latest gate run of the version passed.'),
});

/** What can be done next: with the version that a promotion takes, and with the one before. */
export function nextSteps(
  stage: Stage | undefined,
  previousVersions: readonly number[],
): ValuesOf<typeof STEP.fields>[] {
  const to = stage ? promotedStatus(stage.status) : null;
  const previous = previousVersions.at(-1);
  const gateRequired = to !== null && GATED_STATUSES.includes(to);
  return [
    ...(stage && to !== null
      ? [{ action: 'promote' as const, version: stage.version, to, gateRequired }]
      : []),
    ...(previous === undefined
      ? []
      : [{ action: 'rollback' as const, version: previous, to: null, gateRequired: false }]),
  ];
}
