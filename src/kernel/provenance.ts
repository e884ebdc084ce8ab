import { type CodeOf, vocabulary } from './vocabulary.js';

/** Where a figure comes from. `live_measured` is a claim that only rows can support. */
export const PROVENANCES = vocabulary('Provenance', 'Where a figure comes from.', [
  { code: 'live_measured', description: 'Computed from recorded rows of the organization.' },
  { code: 'declared', description: 'Stated by the caller, and not checked against anything.' },
  { code: 'estimated', description: 'From a model or an assumption that the answer states.' },
]);

/** One of the provenance labels. */
export type Provenance = CodeOf<typeof PROVENANCES>;

declare const brand: unique symbol;

/** A value with its label; the brand keeps other code from writing the label by hand. */
export interface Sourced<T, P extends Provenance = Provenance> {
  readonly value: T;
  readonly provenance: P;
  readonly rowCount: number;
  readonly [brand]: true;
}

function sourced<T, P extends Provenance>(value: T, provenance: P, rowCount: number) {
  return { value, provenance, rowCount } as Sourced<T, P>;
}

/** A figure computed from recorded rows; the rows themselves are the proof that there were any. */
export function measured<T, R>(rows: readonly R[], compute: (rows: readonly R[]) => T) {
  return sourced(compute(rows), 'live_measured', rows.length);
}

/** A figure that the caller stated. */
export function declared<T>(value: T): Sourced<T, 'declared'> {
  return sourced(value, 'declared', 0);
}

/** A figure from a model or an assumption. */
export function estimated<T>(value: T): Sourced<T, 'estimated'> {
  return sourced(value, 'estimated', 0);
}
