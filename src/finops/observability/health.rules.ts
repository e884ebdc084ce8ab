import { HEALTH_TERMS, HEALTH_VERDICTS, type HealthVerdict } from './vocabulary.js';

/** Values of the terms; null where nothing was measured. */
export type HealthValues = Readonly<Record<(typeof HEALTH_TERMS)['codes'][number], number | null>>;

/** A term with what it gives to the score. */
export interface ScoredTerm {
  readonly term: (typeof HEALTH_TERMS)['codes'][number];
  readonly value: number | null;
  readonly best: number;
  readonly worst: number;
  /** The weight of the term where all terms are measured. */
  readonly weight: number;
  /** What it gives of the weight; null where it was not measured. */
  readonly points: number | null;
}

/** A health score with its terms. */
export interface HealthScore {
  readonly score: number;
  readonly verdict: HealthVerdict;
  readonly terms: readonly ScoredTerm[];
}

/**
 * The score of measured values, 0 to 100: the points of the measured terms as a share of their
 * weights, rounded to a tenth. What was not measured neither helps nor harms.
 */
export function healthOf(values: HealthValues): HealthScore {
  const terms = HEALTH_TERMS.rows.map(({ code: term, weight, best, worst }): ScoredTerm => {
    const value = values[term];
    const share =
      value === null ? null : Math.min(1, Math.max(0, (worst - value) / (worst - best)));
    return { term, value, best, worst, weight, points: share === null ? null : weight * share };
  });
  const measured = terms.filter(({ points }) => points !== null);
  const weight = measured.reduce((sum, each) => sum + each.weight, 0);
  const points = measured.reduce((sum, each) => sum + (each.points ?? 0), 0);
  const score = weight === 0 ? 0 : Math.round((points / weight) * 1_000) / 10;
  const reached = ({ scoreMin }: (typeof HEALTH_VERDICTS.rows)[number]) =>
    scoreMin !== null && score >= scoreMin;
  const verdict = HEALTH_VERDICTS.rows.find(reached)?.code;
  return { score, verdict: verdict ?? 'unhealthy', terms };
}
