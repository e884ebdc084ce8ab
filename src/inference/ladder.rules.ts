import { QUALITY_TIERS, type QualityTier } from '../catalog/providers/vocabulary.js';
import type { LadderBudget } from '../finops/budgets/spend-controls.js';
import { holds } from '../finops/budgets/standing.rules.js';
import type { LadderStep } from '../finops/unit-economics/vocabulary.js';
import type { InferenceRequest } from './request.js';

/** What ladders of budgets take from a router; null where they take nothing. */
export interface LadderLimits {
  readonly modelsBarred: readonly string[] | null;
  readonly explores: boolean | null;
}

/** Where no budget has a say. */
export const NO_LIMITS: LadderLimits = { modelsBarred: null, explores: null };

/** The first of some budgets on whose ladder a step holds. */
export function holding(
  budgets: readonly LadderBudget[],
  step: LadderStep,
): LadderBudget | undefined {
  return budgets.find((budget) => holds(step, budget.step));
}

/** Whether the step restrict_premium keeps a model out: by the tier that the catalogue declares. */
export function isPremium({ quality }: { readonly quality: QualityTier }): boolean {
  return QUALITY_TIERS.find(quality)?.isPremium === true;
}

/** The interaction classes of requests for which nobody waits. */
const PATIENT: readonly unknown[] = ['DEFERRABLE', 'BATCH'];

/** What the ladder reads of a request. */
type Laddered = Pick<InferenceRequest, 'stream' | 'needs' | 'metadata'>;

/** Steps that refuse a request, the highest first, with what they refuse. */
const REFUSALS = [
  { step: 'hard_stop', code: 'budget_hard_stop', refuses: () => true },
  {
    step: 'read_only',
    code: 'budget_read_only',
    refuses: ({ needs }: Laddered) => needs.includes('tools'),
  },
  {
    step: 'force_batch',
    code: 'budget_batch_only',
    refuses: ({ stream, metadata }: Laddered) =>
      stream || !PATIENT.includes(metadata.rest.interaction_class),
  },
] as const;

/** The refusal of a request by the ladders of budgets that concern it, the highest step first. */
export function refusalOf(request: Laddered, budgets: readonly LadderBudget[]) {
  for (const { step, code, refuses } of REFUSALS) {
    const budget = holding(budgets, step);
    if (budget && refuses(request)) return { code, budget };
  }
  return undefined;
}
