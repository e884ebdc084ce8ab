import { divide } from '../../../kernel/money.js';
import type { Sourced } from '../../../kernel/provenance.js';
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
  readonly measured: Sourced<Reached>;
  /** By the word of the customer. */
  readonly declared: Sourced<Reached>;
  readonly production: Readiness;
}

/** How an onboarding stands. What rows show is measured, whatever was declared beside it. */
export function progressOf(facts: OnboardingFacts): Progress {
  const { onboardingId, startedAt, registeredAt, measured, declared, production } = facts;
  const milestones = MILESTONES.rows.map(({ code, description, closedBy }): Item => {
    const shown = [measured, declared].find(({ value }) => value[code]);
    const reachedAt = shown?.value[code] ?? null;
    const provenance = shown?.provenance ?? null;
    return { code, title: description, done: reachedAt !== null, provenance, reachedAt, closedBy };
  });
  const countOf = (by: Sourced<Reached>) =>
    milestones.filter(({ provenance }) => provenance === by.provenance).length;
  const done = milestones.filter((item) => item.done).length;
  const first = measured.value.first_request ?? null;
  return {
    onboardingId,
    startedAt,
    percent: Number(divide(BigInt(done) * 100n, BigInt(milestones.length), 'floor')),
    measured: countOf(measured),
    declared: countOf(declared),
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
