/** A guard of a decision: when it applies, what follows, and why. */
export interface Guard<I, O extends string> {
  readonly name: string;
  readonly outcome: O;
  readonly applies: (input: I) => boolean;
  readonly reason: (input: I) => string;
}

/** What was decided, by which guard, and the guards that were passed before it. */
export interface Decided<O extends string> {
  readonly outcome: O;
  readonly guard: string;
  readonly reason: string;
  readonly passed: readonly string[];
}

/** Runs ordered guards; the first that applies wins. The last one must always apply. */
export function decide<I, O extends string>(guards: readonly Guard<I, O>[], input: I): Decided<O> {
  const passed: string[] = [];
  for (const guard of guards) {
    if (guard.applies(input)) {
      return { outcome: guard.outcome, guard: guard.name, reason: guard.reason(input), passed };
    }
    passed.push(guard.name);
  }
  throw new RangeError('a decision table must end with a guard that always applies');
}
