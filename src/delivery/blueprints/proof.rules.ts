import {
  asksModel,
  type ContentCheck,
  conditionText,
  type Manifest,
  type Step,
} from './manifest.js';
import { PROVING_OPERATORS } from './operators.js';
import type { CheckResult, Proof } from './proof-vocabulary.js';
import { holds, judged, type RunValues } from './values.js';

/** A check of content, as it was judged. */
export interface JudgedCheck {
  readonly code: string;
  readonly result: CheckResult;
  /** Whether it compares what a model answered with the input. */
  readonly proves: boolean;
  readonly demands: string;
  /** Why it failed; null for every other result. */
  readonly message: string | null;
}

/** Judges every check of the content that a manifest has, in its order. Pure. */
export function contentChecks(manifest: Manifest, values: RunValues): JudgedCheck[] {
  return (manifest.business_result.proof ?? []).map((check) => {
    const { code, when, must, message } = check;
    const applies = when === undefined || holds(values, when);
    const result = applies ? judged(values, must) : ('not_applicable' as const);
    return {
      code,
      result,
      proves: proves(manifest, check),
      demands: conditionText(must),
      message: result === 'failed' ? message : null,
    };
  });
}

/**
 * The proof that follows from the checks of a run. A simulated answer proves nothing, whatever its
 * checks say. One failed check outweighs all others, and only a proving check can prove a result.
 */
export function proofOf(checks: readonly JudgedCheck[], isSimulated: boolean): Proof {
  if (isSimulated) return 'simulated';
  if (checks.some(({ result }) => result === 'failed')) return 'failed';
  const proving = checks.some((check) => check.proves && check.result === 'held');
  return proving ? 'proved' : 'not_proved';
}

/**
 * A check proves something where another answer could have failed it: it compares what a model
 * answered with what no model has written. Pure.
 */
export function proves({ steps }: Pick<Manifest, 'steps'>, { must }: ContentCheck): boolean {
  if (!PROVING_OPERATORS.has(must.operator) || must.other === undefined) return false;
  return isAnswered(steps, must.ref) !== isAnswered(steps, must.other);
}

/** Whether a value comes from the answer of a model, directly or by way of other steps. */
function isAnswered(steps: readonly Step[], path: string): boolean {
  const [root, id] = path.split('.');
  if (root !== 'steps') return false;
  const at = steps.findIndex((step) => step.id === id);
  const step = steps[at];
  if (!step) return false;
  if (asksModel(step)) return true;
  // Only earlier steps are followed, so that a circle, which the lint names, ends.
  const earlier = steps.slice(0, at);
  if (step.type === 'retrieve' || step.type === 'transform' || step.type === 'tool') {
    return Object.values(step.with).some((each) => isAnswered(earlier, each));
  }
  return true;
}
