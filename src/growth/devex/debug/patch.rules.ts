import { asObject, type JsonObject } from '../../../kernel/json.js';
import type { Operation } from './tables.js';

/** A place in a JSON value: names of members and indices, from the outside in. */
export type Place = readonly string[];

/** The JSON Pointer (RFC 6901) of a place. */
export function pointerOf(place: Place): string {
  return place.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place of a JSON Pointer. */
export function placeOf(pointer: string): Place {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The place that a dotted path means in a body. Names may hold dots themselves: the longest member
 * that is there is meant.
 */
export function dottedPlace(body: unknown, path: string): Place {
  if (path === '') return [];
  const members = Object.keys(asObject(body) ?? {});
  const known = members
    .filter((name) => path === name || path.startsWith(`${name}.`))
    .sort((one, other) => other.length - one.length)[0];
  const step = known ?? path.split('.', 1)[0] ?? path;
  const rest = path.slice(step.length + 1);
  return [step, ...dottedPlace(memberOf(body, step), rest)];
}

/** What stands at a place; undefined where nothing does. */
export function valueAt(body: unknown, place: Place): unknown {
  let value = body;
  for (const step of place) value = memberOf(value, step);
  return value;
}

function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return INDEX.test(step) ? value[Number(step)] : undefined;
  const members = asObject(value);
  return members && Object.hasOwn(members, step) ? members[step] : undefined;
}

const INDEX = /^(0|[1-9]\d*)$/;

/**
 * The body after a patch; what is not touched is shared with the body before it. Undefined where
 * an operation has no place in it: RFC 6902 fails the patch as a whole then.
 */
export function patched(body: JsonObject, patch: readonly Operation[]): JsonObject | undefined {
  let made: unknown = body;
  for (const operation of patch) {
    made = applied(made, placeOf(operation.path), operation);
    if (made === undefined) return undefined;
  }
  return asObject(made);
}

function applied(value: unknown, place: Place, operation: Operation): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return operation.op === 'remove' ? undefined : operation.value;
  const isThere = memberOf(value, step) !== undefined;
  if (rest.length > 0) {
    if (!isThere) return undefined;
    const inner = applied(memberOf(value, step), rest, operation);
    return inner === undefined ? undefined : withMember(value, step, inner);
  }
  if (operation.op === 'add') return withAdded(value, step, operation.value);
  if (!isThere) return undefined;
  if (operation.op === 'replace') return withMember(value, step, operation.value);
  return withoutMember(value, step);
}

function withAdded(value: unknown, step: string, added: unknown): unknown {
  if (!Array.isArray(value)) return withMember(value, step, added);
  const index = step === '-' ? value.length : Number(step);
  if (!Number.isInteger(index) || index < 0 || index > value.length) return undefined;
  return value.toSpliced(index, 0, added);
}

function withMember(value: unknown, step: string, inner: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(step), inner);
  const members = asObject(value);
  return members && { ...members, [step]: inner };
}

function withoutMember(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value.toSpliced(Number(step), 1);
  return Object.fromEntries(
    Object.entries(asObject(value) ?? {}).filter(([name]) => name !== step),
  );
}

/** Single values in a value: texts, numbers, flags and nulls; an empty list or object is one. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.values(value);
  return members.length === 0 ? 1 : members.reduce<number>((sum, one) => sum + valuesIn(one), 0);
}

/** Single values that an operation changes, adds or loses in a body. */
export function sizeOf(body: unknown, { op, path, value }: Operation): number {
  const place = placeOf(path);
  const before = valueAt(body, place);
  const isInsertion = Array.isArray(valueAt(body, place.slice(0, -1)));
  if (op === 'add' && (before === undefined || isInsertion)) return valuesIn(value);
  if (op === 'remove') return valuesIn(before);
  return changesBetween(before, value);
}

/** Single values by which two values differ. */
function changesBetween(before: unknown, after: unknown): number {
  if (Array.isArray(before) && Array.isArray(after)) {
    const both = Math.max(before.length, after.length);
    let sum = 0;
    for (let index = 0; index < both; index += 1) {
      if (index >= before.length) sum += valuesIn(after[index]);
      else if (index >= after.length) sum += valuesIn(before[index]);
      else if (before[index] !== after[index]) sum += changesBetween(before[index], after[index]);
    }
    return sum;
  }
  return Math.max(valuesIn(before), valuesIn(after));
}
