import { fail } from './errors/fail.js';

/** A state table: state → event → next state. The same object is published in the reference. */
export type Lifecycle<S extends string, E extends string> = {
  readonly [state in S]: { readonly [event in E]?: S };
};

/**
 * The next state.
 * @throws lifecycle_refused when the table has no such step; the error names the possible ones
 */
export function next<S extends string, E extends string>(
  table: Lifecycle<S, E>,
  state: S,
  event: E,
): S {
  const row: { readonly [event in E]?: S } = table[state];
  // Inherited properties, such as `toString`, are no events.
  const to = Object.hasOwn(row, event) ? row[event] : undefined;
  if (to === undefined) {
    const allowed = Object.keys(row).join(', ') || 'nothing';
    fail('lifecycle_refused', { values: { event, state, allowed }, param: 'event' });
  }
  return to;
}
