import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { ProposedChange } from './tables.js';

/** A record as JSON: its fields by name. One that does not exist has no fields. */
export type RecordState = { readonly [field: string]: Sealable };

/**
 * A record after changes: objects are merged, null removes, everything else replaces (RFC 7396,
 * JSON Merge Patch).
 */
export function mergedState(before: RecordState, changes: RecordState): RecordState {
  const after = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) after.delete(name);
    else after.set(name, isState(value) ? mergedState(stateAt(before, name), value) : value);
  }
  return Object.fromEntries(after);
}

/**
 * Every value that differs between two states, by path. Objects and lists are entered, so that only
 * what really differs is named; equal values are no change. There is none exactly when both states
 * are equal as JSON.
 */
export function changesBetween(before: RecordState, after: RecordState): ProposedChange[] {
  return membersChanged('', before, after);
}

/** The same changes the other way round. */
export function inverseOf(changes: readonly ProposedChange[]): ProposedChange[] {
  const opposite = { added: 'removed', removed: 'added', changed: 'changed' } as const;
  return changes.map((change) => ({
    field: change.field,
    kind: opposite[change.kind],
    old: change.new,
    new: change.old,
  }));
}

/** True for a JSON object. */
export function isState(value: unknown): value is RecordState {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersChanged(prefix: string, before: RecordState, after: RecordState): ProposedChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    valueChanged(memberPath(prefix, name), own(before, name), own(after, name)),
  );
}

function itemsChanged(
  prefix: string,
  before: readonly Sealable[],
  after: readonly Sealable[],
): ProposedChange[] {
  const longest = Array.from({ length: Math.max(before.length, after.length) });
  return longest.flatMap((_, at) => valueChanged(`${prefix}[${at}]`, before[at], after[at]));
}

function valueChanged(
  path: string,
  before: Sealable | undefined,
  after: Sealable | undefined,
): ProposedChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [{ field: path, kind: 'added', old: null, new: after ?? null }];
  if (after === undefined) return [{ field: path, kind: 'removed', old: before, new: null }];
  if (isState(before) && isState(after)) return membersChanged(path, before, after);
  if (Array.isArray(before) && Array.isArray(after)) return itemsChanged(path, before, after);
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ field: path, kind: 'changed', old: before, new: after }];
}

/** Names that are no plain words are quoted, so that a path means one value. */
function memberPath(prefix: string, name: string): string {
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) return `${prefix}[${JSON.stringify(name)}]`;
  return prefix === '' ? name : `${prefix}.${name}`;
}

function stateAt(state: RecordState, name: string): RecordState {
  const value = own(state, name);
  return isState(value) ? value : {};
}

/** Inherited members, such as `toString`, are no fields. */
function own(state: RecordState, name: string): Sealable | undefined {
  return Object.hasOwn(state, name) ? state[name] : undefined;
}
