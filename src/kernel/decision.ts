/** A row of a decision table: what follows where it applies, and why. */
export interface Guard<I, O extends string> {
  /** The row's name, as decisions and the published table give it. */
  readonly code: string;
  readonly outcome: O;
  /** When it applies, for the published table. */
  readonly description: string;
  readonly applies: (input: I) => boolean;
  /** Why it applies to this input; without it, the description says so. */
  readonly reason?: (input: I) => string;
}

/** Ordered rows, of which the first that applies decides. The last one must always apply. */
export type DecisionTable<I, O extends string> = readonly Guard<I, O>[];

/** A row that applies, with what it says. */
export interface Reason<O extends string> {
  readonly guard: string;
  readonly outcome: O;
  readonly reason: string;
}

/** What was decided, by which row, and everything that speaks about it. */
export interface Decided<O extends string> extends Reason<O> {
  /**
   * Every row that applies, the deciding one first. The last row always applies, so it is a reason
   * only where it decides.
   */
  readonly reasons: readonly Reason<O>[];
}

/**
 * Decides by a table. Rows after the deciding one are asked as well, for their reasons, so a row
 * must not rely on those before it.
 * @throws RangeError where the last row does not apply
 */
export function decide<I, O extends string>(table: DecisionTable<I, O>, input: I): Decided<O> {
  if (!table.at(-1)?.applies(input)) {
    throw new RangeError('a decision table must end with a row that always applies');
  }
  const applying = table.filter((row, index) => index < table.length - 1 && row.applies(input));
  const reasons = (applying.length > 0 ? applying : table.slice(-1)).map((row) => ({
    guard: row.code,
    outcome: row.outcome,
    reason: row.reason?.(input) ?? row.description,
  }));
  const [first] = reasons as [Reason<O>];
  return { ...first, reasons };
}

/** A row of a decision table, as reference lists publish it. */
export type PublishedGuard<O extends string> = Pick<
  Guard<never, O>,
  'code' | 'outcome' | 'description'
>;

/** The rows of a table, in the order in which they decide. */
export function publishedGuards<I, O extends string>(
  table: DecisionTable<I, O>,
): PublishedGuard<O>[] {
  return table.map(({ code, outcome, description }) => ({ code, outcome, description }));
}
