/** An answer that refuses: which verdict, why, and what data would lift it. */
export interface Refusal<V extends string> {
  readonly verdict: V;
  readonly reason: string;
  readonly needed: readonly string[];
}

/** Evidence that a rule needs: each named part with whether it is there. */
export interface Evidence<E> {
  readonly value: E;
  readonly missing: readonly string[];
}

/**
 * Fail closed: runs the rule only on complete evidence. With a part missing, the answer is the
 * group's refusal, and the rule cannot be reached.
 */
export function whenEnough<E, V extends string, R>(
  evidence: Evidence<E>,
  refusal: { readonly otherwise: V; readonly reason: string },
  rule: (value: E) => R,
): R | Refusal<V> {
  if (evidence.missing.length > 0) {
    return { verdict: refusal.otherwise, reason: refusal.reason, needed: evidence.missing };
  }
  return rule(evidence.value);
}
