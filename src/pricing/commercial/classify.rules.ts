import { type DecisionTable, decide } from '../../kernel/decision.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { DealFacts } from './tables.js';
import {
  CLASSIFICATION_GUARDS,
  DEAL_OUTCOMES,
  DEAL_REASONS,
  type DealOutcome,
} from './vocabulary.js';

type Guard = CodeOf<typeof CLASSIFICATION_GUARDS>;

const APPLIES: Readonly<Record<Guard, (facts: DealFacts) => boolean>> = {
  signed: ({ signed }) => signed === true,
  reason_of_win: ({ reason }) => outcomeOfReason(reason) === 'win',
  reason_of_loss: ({ reason }) => outcomeOfReason(reason) === 'loss',
  reason_of_no_decision: ({ reason }) => outcomeOfReason(reason) === 'no_decision',
  stated_win: ({ outcome }) => outcome === 'win',
  stated_loss: ({ outcome }) => outcome === 'loss',
  undecided: () => true,
};

const TABLE: DecisionTable<DealFacts, DealOutcome> = CLASSIFICATION_GUARDS.rows.map((row) => ({
  ...row,
  applies: APPLIES[row.code],
}));

/** How a deal has ended by its facts. Silence is no decision, and no decision is no loss. */
export function classify(facts: DealFacts) {
  const { guard, outcome, reason: explanation } = decide(TABLE, facts);
  const decidedBy = CLASSIFICATION_GUARDS.parse(guard);
  return { outcome, reason: facts.reason, decidedBy, explanation, ...countingOf(outcome) };
}

/** How an outcome counts. */
export function countingOf(outcome: DealOutcome) {
  const inWinRate = DEAL_OUTCOMES.find(outcome)?.inWinRate ?? false;
  return { isLoss: outcome === 'loss', inWinRate };
}

/** Facts that say nothing, or contradict one another, with every fault. */
export function factFaults({ outcome, reason, signed }: DealFacts): Fault[] {
  if (outcome === null && reason === null && signed === null) {
    return [fault('input.outcome', 'missing', 'or reason or signed is needed to classify a deal')];
  }
  const others = [outcome, outcomeOfReason(reason)].filter((each) => each !== null);
  const isSignedRight = others.every((each) => signed !== true || each === 'win');
  const isUnsignedRight = others.every((each) => signed !== false || each !== 'win');
  return [
    ...reasonFaults(outcome, reason),
    ...fits('input.signed', isSignedRight, 'is true, so the deal is a win and nothing else'),
    ...fits('input.signed', isUnsignedRight, 'is false, so the deal is no win'),
  ];
}

/** A reason that belongs to another outcome. */
export function reasonFaults(outcome: DealOutcome | null, reason: DealFacts['reason']): Fault[] {
  const belongsTo = outcomeOfReason(reason);
  const isRight = outcome === null || belongsTo === null || belongsTo === outcome;
  return fits('input.reason', isRight, `is a reason of ${belongsTo} and not of ${outcome}`);
}

function outcomeOfReason(reason: DealFacts['reason']): DealOutcome | null {
  return reason === null ? null : (DEAL_REASONS.find(reason)?.outcome ?? null);
}
