import { asObject, type JsonObject } from '../../../kernel/json.js';
import { type FoundChange, found, type Pair } from './found-change.js';

/** Changes of the members of an object. */
export function diffProperties(pair: Pair): FoundChange[] {
  const { from, to, path, diff } = pair;
  const before = asObject(from.properties) ?? {};
  const after = asObject(to.properties) ?? {};
  const required = { before: namesOf(from.required), after: namesOf(to.required) };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return [
    ...names.flatMap((name): FoundChange[] => {
      const at = `${path}.${name}`;
      if (!Object.hasOwn(after, name)) return [removed(at, required.before.has(name))];
      if (Object.hasOwn(before, name)) return diff(before[name], after[name], at);
      return added(pair, after[name], at);
    }),
    ...diffRequired(required.before, required.after, before, after, path),
    ...diffAdditional(pair),
  ];
}

function removed(at: string, wasRequired: boolean): FoundChange {
  return found('property_removed', at, `the ${wasRequired ? 'required ' : ''}property is gone`);
}

/** What is new must still be what the old schema allowed of members that it did not name. */
function added({ from, diff }: Pair, schema: unknown, at: string): FoundChange[] {
  const allowed = asObject(from.additionalProperties);
  return [
    found('property_added', at, 'the property is new'),
    ...(allowed ? diff(allowed, schema, at) : []),
  ];
}

function diffRequired(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  had: JsonObject,
  has: JsonObject,
  path: string,
): FoundChange[] {
  const isGone = (name: string) => Object.hasOwn(had, name) && !Object.hasOwn(has, name);
  const lost = [...before].filter((name) => !after.has(name) && !isGone(name));
  const gained = [...after].filter((name) => !before.has(name) && Object.hasOwn(had, name));
  return [
    ...lost.map((name) =>
      found('property_not_required', `${path}.${name}`, 'the property may be missing now'),
    ),
    ...gained.map((name) =>
      found('property_required', `${path}.${name}`, 'the property is always there now'),
    ),
  ];
}

/** `false` is closed, absence and `true` are open, a schema is between. */
function diffAdditional({ from, to, path, diff }: Pair): FoundChange[] {
  const before = from.additionalProperties ?? true;
  const after = to.additionalProperties ?? true;
  if (asObject(before) && asObject(after)) return diff(before, after, `${path}.*`);
  if (openness(before) === openness(after)) return [];
  return openness(after) > openness(before)
    ? [found('additional_opened', path, 'members that the schema does not name may come now')]
    : [found('additional_closed', path, 'members that the schema does not name come no more')];
}

function openness(additional: unknown): number {
  if (additional === false) return 0;
  return additional === true ? 2 : 1;
}

function namesOf(required: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? required.map(String) : []);
}
