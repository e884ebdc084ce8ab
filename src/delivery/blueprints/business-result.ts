import { divide } from '../../kernel/money.js';
import { conditionText, type Manifest } from './manifest.js';
import { contentChecks, proofOf } from './proof.rules.js';
import type { Proof } from './proof-vocabulary.js';
import type { BusinessResult, KeptStep } from './run-tables.js';
import { boundValues, holds, type RunValues, valueAt } from './values.js';

/** A run of which it is asked what it was worth. */
interface JudgedRun {
  readonly manifest: Manifest;
  readonly values: RunValues;
  readonly steps: readonly Pick<KeptStep, 'routing' | 'status'>[];
  /** Whether the manifest publishes the input itself. */
  readonly isPublished: boolean;
  readonly costMicro: bigint;
}

/** True where a simulated model answered a step, or no model was asked at all. */
export function isSimulated(steps: readonly Pick<KeptStep, 'routing'>[]): boolean {
  return simulatedAnswers(steps) || steps.every(({ routing }) => routing === null);
}

function simulatedAnswers(steps: readonly Pick<KeptStep, 'routing'>[]): boolean {
  return steps.some(({ routing }) => routing?.simulated);
}

const PUBLISHED = 'the input is published with the blueprint, so no work was done by it';

const FAILED = 'a step of the run failed';

/** Why nothing is claimed, by what the checks of the content came to. */
const UNPROVED: Readonly<Record<Exclude<Proof, 'proved'>, string>> = {
  failed: 'a check of the content failed',
  not_proved: 'no check proves the content',
  simulated: 'a simulated model answered',
};

/**
 * What a run was worth. A result is claimed only where no step failed, the conditions of the
 * manifest hold and the checks of its content prove it; else quantity and minutes are zero.
 * Quantity and facts come from answers of models; minutes are declared by the blueprint; the cost
 * is real. Facts are as they came out: a record holds them as `storable` makes them.
 */
export function businessResult(
  run: JudgedRun,
): Omit<BusinessResult, 'facts'> & { readonly facts: Readonly<Record<string, unknown>> } {
  const { manifest, values, steps, costMicro } = run;
  const rule = manifest.business_result;
  const checks = contentChecks(manifest, values);
  const proof = proofOf(checks, simulatedAnswers(steps));
  const reasons = [
    ...(steps.some(({ status }) => status === 'failed') ? [FAILED] : []),
    ...rule.achieved_when.filter((condition) => !holds(values, condition)).map(conditionText),
    ...(proof === 'proved' ? [] : [UNPROVED[proof]]),
    ...(run.isPublished ? [PUBLISHED] : []),
  ];
  const counted = rule.quantity === undefined ? 1 : valueAt(values, rule.quantity);
  const isCounted = typeof counted === 'number' && Number.isSafeInteger(counted);
  const quantity = reasons.length === 0 && isCounted ? Math.max(0, counted) : 0;
  return {
    event: rule.event,
    unit: rule.unit,
    proof,
    checks,
    achieved: quantity > 0,
    notAchievedBecause: reasons,
    quantity,
    quantityProvenance: 'estimated',
    minutesSaved: quantity * rule.minutes_saved_per_unit,
    minutesSavedProvenance: 'declared',
    costPerUnitMicro: quantity === 0 ? null : divide(costMicro, BigInt(quantity), 'half_up'),
    facts: boundValues(values, rule.facts),
    simulated: isSimulated(steps),
  };
}
