import { divide } from '../../../kernel/money.js';
import type { Readiness } from '../../readiness/rules.js';
import type { Item, Progress } from './tables.js';
import { MILESTONES, type Milestone } from './vocabulary.js';

/** When each milestone was reached; null where it was not. */
export type Reached = Readonly<Partial<Record<Milestone, Date | null>>>;

/** What an onboarding is judged by. */
export interface OnboardingFacts {
  readonly onboardingId: string;
  readonly startedAt: Date;
  readonly registeredAt: Date;
  /** By the rows of the organization. */
  readonly measured: Reached;
  /** By the word of the customer. */
  readonly declared: Reached;
  readonly production: Readiness;
}

/** How an onboarding stands. What rows show is measured, whatever was declared beside it. */
export function progressOf(facts: OnboardingFacts): Progress {
  const { onboardingId, startedAt, registeredAt, measured, declared, production } = facts;
  const milestones = MILESTONES.rows.map(({ code, description, closedBy }): Item => {
    const seen = measured[code] ?? null;
    const told = declared[code] ?? null;
    const provenance = seen ? 'live_measured' : told ? 'declared' : null;
    const reachedAt = seen ?? told;
    return { code, title: description, done: reachedAt !== null, provenance, reachedAt, closedBy };
  });
  const done = milestones.filter((item) => item.done).length;
  const first = measured.first_request ?? null;
  return {
    onboardingId,
    startedAt,
    percent: Number(divide(BigInt(done) * 100n, BigInt(milestones.length), 'floor')),
    measured: milestones.filter(({ provenance }) => provenance === 'live_measured').length,
    declared: milestones.filter(({ provenance }) => provenance === 'declared').length,
    milestones,
    timeToFirstSuccessSeconds: first && secondsBetween(registeredAt, first),
    production,
    nextStep: nextStep(milestones, production),
  };
}

/** The first open milestone; after the last, the first open item of the production checklist. */
function nextStep(milestones: readonly Item[], { remaining }: Readiness): Progress['nextStep'] {
  const open = milestones.find((item) => !item.done) ?? remaining[0];
  return open ? { title: open.title, closedBy: open.closedBy } : null;
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1_000));
}
