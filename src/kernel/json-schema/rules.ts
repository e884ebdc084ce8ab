import { canonicalJson, type Sealable } from '../canonical.js';
import type { Fault } from '../errors/fail.js';
import { asObject, isDeeperThan, type JsonObject } from '../json.js';
import { nearestNames } from '../near-names.js';
import { keywordNamed } from './keywords.js';
import { patternRefusal } from './patterns.js';

/** What a place takes of JSON Schema (draft 2020-12), and what differs between places. */
export interface SchemaRules {
  /** Who writes the schemas, in the plural, for the texts of faults. */
  readonly users: string;
  /**
   * The keywords that may stand. `standard` are those of the draft, and `any` passes over unknown
   * ones, as the draft has it.
   */
  readonly keywords: readonly string[] | 'standard' | 'any';
  /** The formats that may stand and are checked; `unchecked` takes every name as a remark. */
  readonly formats: readonly string[] | 'standard' | 'unchecked';
  /** Characters of an expression, which runs on RE2; 0 where none may stand. */
  readonly patternCharsMax: number;
  /** Whether references may stand; nothing is ever fetched. */
  readonly references: boolean;
  /** Schemas inside of one schema. */
  readonly nodesMax: number;
  /** Characters of a schema as JSON. */
  readonly charsMax: number;
  /** Milliseconds that compiling may take, and judging one value. */
  readonly workMsMax: number;
  /** Whether work that was stopped is a fault of what was judged, or thrown: no verdict at all. */
  readonly stopped: 'fault' | 'thrown';
}

/** Levels of a schema: one that is deeper is not looked at. */
const LEVELS_MAX = 64;

interface Place {
  readonly path: string;
  readonly schema: unknown;
}

/** Every reason why a schema cannot be judged by safely, each with its path. */
export function boundFaults(rules: SchemaRules, path: string, schema: unknown): Fault[] {
  const whole = wholeFault(rules, path, schema);
  if (whole) return [whole];
  const faults: Fault[] = [];
  const places: Place[] = [{ path, schema }];
  for (const place of places) {
    places.push(...looked(rules, place, faults));
    if (places.length > rules.nodesMax) {
      return [out(path, `must hold at most ${rules.nodesMax} schemas`)];
    }
  }
  return faults;
}

function wholeFault({ charsMax }: SchemaRules, path: string, schema: unknown): Fault | undefined {
  if (!asObject(schema)) return fault(path, 'wrong_type', 'must be an object');
  if (isDeeperThan(schema, LEVELS_MAX)) return out(path, `has at most ${LEVELS_MAX} levels`);
  if (JSON.stringify(schema).length > charsMax) {
    return out(path, `must have at most ${charsMax} characters`);
  }
  try {
    canonicalJson(schema as Sealable);
    return undefined;
  } catch (error) {
    const why = (error as Error).message.slice(0, 200);
    return fault(path, 'invalid', `cannot be used: it cannot be recorded exactly: ${why}`);
  }
}

/** Notes the faults of one schema. @returns the schemas that it holds */
function looked(rules: SchemaRules, { path, schema }: Place, faults: Fault[]): Place[] {
  if (typeof schema === 'boolean') return [];
  const object = asObject(schema);
  if (!object) {
    faults.push(fault(path, 'wrong_type', 'must be a schema: an object, true or false'));
    return [];
  }
  return Object.entries(object).flatMap(([name, value]): Place[] => {
    const at = `${path}.${name}`;
    const found = [...keywordFaults(rules, at, name, value), ...shapeFaults(at, name, value)];
    faults.push(...found);
    return found.length > 0 ? [] : heldBy(at, name, value);
  });
}

function keywordFaults(rules: SchemaRules, at: string, name: string, value: unknown): Fault[] {
  const { power } = keywordNamed(name);
  if (power === 'asynchronous') {
    // What such a schema compiles to answers a promise, which would pass for a yes.
    return [
      fault(at, 'unknown_value', `cannot be used: values are judged at once, without ${name}`),
    ];
  }
  if (power === 'reference' && !rules.references) {
    const what = `cannot be used: the schema must be written in one piece, without ${name}`;
    return [fault(at, 'unknown_value', what)];
  }
  const patterns = power === 'pattern' ? patternsOf(name, value) : [];
  if (power === 'pattern' && rules.patternCharsMax === 0) {
    const such = patterns.map((pattern) => ` such as ${String(pattern).slice(0, 60)}`)[0] ?? '';
    return [fault(at, 'unknown_value', `cannot be used: patterns${such} are not supported here`)];
  }
  if (Array.isArray(rules.keywords) && !rules.keywords.includes(name)) {
    return [unknownKeyword(rules, at, name, rules.keywords)];
  }
  if (name === 'format' && Array.isArray(rules.formats) && !rules.formats.includes(value)) {
    return [fault(at, 'unknown_value', `must be one of ${rules.formats.join(', ')}`)];
  }
  return patterns.flatMap((pattern): Fault[] => {
    const refusal = patternRefusal(pattern, rules.patternCharsMax);
    return refusal === undefined ? [] : [fault(at, 'invalid', refusal)];
  });
}

function patternsOf(name: string, value: unknown): readonly unknown[] {
  return name === 'patternProperties' ? Object.keys(asObject(value) ?? {}) : [value];
}

function unknownKeyword(
  { users }: SchemaRules,
  at: string,
  name: string,
  known: readonly string[],
): Fault {
  const [near] = nearestNames(name, known);
  const cure = near ? `did you mean ${near}?` : `they are ${known.join(', ')}.`;
  const message = `${at} is not a keyword that ${users} may use; ${cure}`;
  return { path: at, code: 'unknown_value', message };
}

function shapeFaults(at: string, name: string, value: unknown): Fault[] {
  const { holds } = keywordNamed(name);
  if (holds === 'list' && !Array.isArray(value)) {
    return [fault(at, 'wrong_type', 'must be a list of schemas')];
  }
  if (holds === 'map' && !asObject(value)) {
    return [fault(at, 'wrong_type', 'must be an object of schemas')];
  }
  return [];
}

function heldBy(at: string, name: string, value: unknown): Place[] {
  const { holds } = keywordNamed(name);
  if (holds === 'nothing') return [];
  if (holds === 'schema') return [{ path: at, schema: value }];
  return Object.entries(value as JsonObject)
    .filter(([, schema]) => !(name === 'dependencies' && Array.isArray(schema)))
    .map(([key, schema]) => ({ path: `${at}.${key}`, schema }));
}

function out(path: string, what: string): Fault {
  return fault(path, 'out_of_range', what);
}

function fault(path: string, code: Fault['code'], what: string): Fault {
  return { path, code, message: `${path} ${what}.` };
}
