import { RE2JS } from 're2js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Where the value of a keyword holds further schemas. */
type Holds = 'nothing' | 'schema' | 'list' | 'map';

/**
 * The keywords of JSON Schema (2020-12) that a manifest may use, with what their values hold. Each
 * is checked in a time that grows with the schema times the value: no reference leads in a circle,
 * no element is compared with every other, and patterns run in linear time (RE2).
 */
const KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...(['title', 'description', 'default', 'examples'] as const).map(plain),
  ...(['type', 'enum', 'const', 'format', 'pattern', 'required'] as const).map(plain),
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf'] as const).map(plain),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const).map(plain),
  ...(['minProperties', 'maxProperties'] as const).map(plain),
  ['properties', 'map'],
  ['additionalProperties', 'schema'],
  ['items', 'schema'],
  ['prefixItems', 'list'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['not', 'schema'],
]);

function plain(name: string): [string, Holds] {
  return [name, 'nothing'];
}

/** The formats of texts; others would be checked by expressions of a library. */
const FORMATS = new Set(['date', 'date-time', 'uuid']);

interface Place {
  readonly path: string;
  readonly schema: unknown;
}

/** Every reason why a schema cannot be checked in bounded time, each with its path. */
export function schemaBoundFaults(path: string, schema: unknown): Fault[] {
  const faults: Fault[] = [];
  const open: Place[] = [{ path, schema }];
  const { schemaNodesMax } = BLUEPRINT_BOUNDS;
  for (let nodes = 0; open.length > 0; nodes += 1) {
    if (nodes >= schemaNodesMax) {
      return [out(path, `${path} must hold at most ${schemaNodesMax} schemas.`)];
    }
    const place = open.pop();
    if (place) open.push(...looked(place, faults));
  }
  return faults;
}

/** Notes the faults of one schema. @returns the schemas that it holds */
function looked({ path, schema }: Place, faults: Fault[]): Place[] {
  if (typeof schema === 'boolean') return [];
  const object = asObject(schema);
  if (!object) {
    const message = `${path} must be a schema: an object, true or false.`;
    faults.push({ path, code: 'wrong_type', message });
    return [];
  }
  return Object.entries(object).flatMap(([name, value]): Place[] => {
    const at = `${path}.${name}`;
    const holds = KEYWORDS.get(name);
    const fault = holds === undefined ? unknownKeyword(at) : valueFault(at, name, value, holds);
    if (fault) faults.push(fault);
    if (fault || holds === undefined || holds === 'nothing') return [];
    if (holds === 'schema') return [{ path: at, schema: value }];
    return Object.entries(value as JsonObject).map(([key, inner]) => ({
      path: `${at}.${key}`,
      schema: inner,
    }));
  });
}

function unknownKeyword(path: string): Fault {
  const names = [...KEYWORDS.keys()].join(', ');
  const message = `${path} is not a keyword that manifests may use: ${names}.`;
  return { path, code: 'unknown_value', message };
}

function valueFault(path: string, name: string, value: unknown, holds: Holds): Fault | undefined {
  if (holds === 'list' && !Array.isArray(value)) {
    return { path, code: 'wrong_type', message: `${path} must be a list of schemas.` };
  }
  if (holds === 'map' && !asObject(value)) {
    return { path, code: 'wrong_type', message: `${path} must be an object of schemas.` };
  }
  if (name === 'format' && !FORMATS.has(String(value))) {
    const message = `${path} must be one of ${[...FORMATS].join(', ')}.`;
    return { path, code: 'unknown_value', message };
  }
  return name === 'pattern' ? patternFault(path, value) : undefined;
}

function patternFault(path: string, pattern: unknown): Fault | undefined {
  const { patternCharactersMax } = BLUEPRINT_BOUNDS;
  if (typeof pattern !== 'string' || pattern.length > patternCharactersMax) {
    return out(path, `${path} must be a text of at most ${patternCharactersMax} characters.`);
  }
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    const message = `${path} is no pattern of RE2, which has no look-around and no back-reference.`;
    return { path, code: 'invalid', message };
  }
}

function out(path: string, message: string): Fault {
  return { path, code: 'out_of_range', message };
}

/** Levels of a document: one that is deeper is not looked at. */
const LEVELS_MAX = 40;

/** Why a document cannot be looked at at all; undefined where it can. */
export function documentFault(path: string, document: unknown): Fault | undefined {
  if (!asObject(document)) {
    return { path, code: 'wrong_type', message: `${path} must be an object.` };
  }
  if (isTooDeep(document)) return out(path, `${path} is nested deeper than ${LEVELS_MAX} levels.`);
  const { manifestBytesMax } = BLUEPRINT_BOUNDS;
  const bytes = Buffer.byteLength(JSON.stringify(document));
  if (bytes > manifestBytesMax) {
    return out(path, `${path} has ${bytes} bytes as JSON; at most ${manifestBytesMax} are taken.`);
  }
  const odd = unstorable(document);
  return odd === undefined ? undefined : { path, code: 'invalid', message: `${path} ${odd}.` };
}

/** A manifest is hashed as canonical JSON, which has to be able to carry it. */
function unstorable(document: unknown): string | undefined {
  try {
    canonicalJson(document as Sealable);
    return undefined;
  } catch (error) {
    return `cannot be written exactly: ${(error as Error).message.slice(0, 200)}`;
  }
}

function isTooDeep(document: unknown): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LEVELS_MAX) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}
