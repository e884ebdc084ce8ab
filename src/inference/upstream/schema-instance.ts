import { beginningOf } from '../firewall/cut.js';
import { textForPattern } from './pattern-text.js';

/** A JSON Schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;

/** Deeper than this only what is required is made, and the smallest branches are taken. */
const GENEROUS_DEPTH = 3;
/** A schema that still demands more here has no finite instance. */
const DEPTH_MAX = 48;
const TEXT_LENGTH = 120;

/** The schema has no finite instance, or refers to something that is not there. */
export class SchemaWithoutInstance extends Error {}

/**
 * Makes an instance that is valid for a JSON Schema: types, const, enum, properties, required,
 * items, prefixItems, bounds, multipleOf, uniqueItems, pattern, common formats, `$ref` into the
 * document, allOf, anyOf, oneOf. Deterministic; strings take the beginning of the hint, and an enum
 * takes the value that the hint mentions.
 * @throws SchemaWithoutInstance
 */
export function instanceOf(schema: unknown, hint: string): unknown {
  return new Maker(schema, beginningOf(hint, TEXT_LENGTH)).make(schema, 0);
}

class Maker {
  constructor(
    private readonly root: unknown,
    private readonly hint: string,
  ) {}

  make(part: unknown, depth: number): unknown {
    if (depth > DEPTH_MAX) throw new SchemaWithoutInstance('the schema never ends');
    if (part === false) throw new SchemaWithoutInstance('a part of the schema allows nothing');
    const schema = this.#resolved(asSchema(part), depth);
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#chosen(schema.enum);
    switch (typeOf(schema, depth)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'string':
        return this.#text(schema);
      case 'integer':
        return numberIn(schema, 1);
      case 'number':
        return numberIn(schema, undefined);
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  /** The schema with its references followed and its combinations merged into one. */
  #resolved(schema: Schema, depth: number): Schema {
    let merged = schema;
    for (let step = 0; step < DEPTH_MAX; step += 1) {
      if (typeof merged.$ref === 'string') {
        const { $ref, ...beside } = merged;
        merged = merge(this.#referred($ref as string), beside);
      } else if (Array.isArray(merged.allOf)) {
        const { allOf, ...beside } = merged;
        merged = (allOf as unknown[]).map(asSchema).reduce(merge, beside);
      } else if (Array.isArray(merged.anyOf) || Array.isArray(merged.oneOf)) {
        const { anyOf, oneOf, ...beside } = merged;
        const branches = ((anyOf ?? oneOf) as unknown[]).filter((branch) => branch !== false);
        merged = merge(beside, this.#branch(branches.map(asSchema), depth));
      } else return merged;
    }
    throw new SchemaWithoutInstance('the references of the schema go in a circle');
  }

  #branch(branches: readonly Schema[], depth: number): Schema {
    const [first] = branches;
    if (first === undefined) throw new SchemaWithoutInstance('anyOf has no branch');
    if (depth < GENEROUS_DEPTH) {
      return branches.find((branch) => branch.type !== 'null' && branch.const !== null) ?? first;
    }
    return branches.reduce((least, branch) => (weight(branch) < weight(least) ? branch : least));
  }

  #referred(reference: string): Schema {
    if (!reference.startsWith('#')) {
      throw new SchemaWithoutInstance(`${reference} is outside the schema`);
    }
    let at: unknown = this.root;
    for (const step of decodeURIComponent(reference.slice(1)).split('/').slice(1)) {
      at = asSchema(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    if (at === undefined) throw new SchemaWithoutInstance(`${reference} leads nowhere`);
    return asSchema(at);
  }

  #chosen(values: readonly unknown[]): unknown {
    if (values.length === 0) throw new SchemaWithoutInstance('an enum has no value');
    const mentioned = (value: unknown) =>
      typeof value === 'string' && value !== '' && this.hint.includes(value);
    return values.find(mentioned) ?? values[0];
  }

  #object(schema: Schema, depth: number): unknown {
    const properties = asSchema(schema.properties);
    const required = new Set(textsOf(schema.required));
    const made: Record<string, unknown> = {};
    for (const [name, part] of Object.entries(properties)) {
      const optional = !required.has(name);
      if (optional && (depth >= GENEROUS_DEPTH || part === false)) continue;
      made[name] = this.make(part, depth + 1);
      required.delete(name);
    }
    for (const name of required) made[name] = this.make(schema.additionalProperties, depth + 1);
    const fewest = numberOf(schema.minProperties) ?? 0;
    for (let index = 1; Object.keys(made).length < fewest; index += 1) {
      made[`property_${index}`] = this.make(schema.additionalProperties, depth + 1);
    }
    return made;
  }

  #array(schema: Schema, depth: number): unknown {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const fewest = Math.max(numberOf(schema.minItems) ?? 0, depth < GENEROUS_DEPTH ? 1 : 0);
    const length = Math.min(fewest, numberOf(schema.maxItems) ?? fewest);
    const made: unknown[] = [];
    for (let index = 0; index < length; index += 1) {
      const part = index < first.length ? first[index] : schema.items;
      if (part === false) break;
      made.push(this.#distinct(schema, asSchema(part), made, depth));
    }
    return made;
  }

  /** An item unlike those before it where the schema wants them distinct. */
  #distinct(array: Schema, part: Schema, before: readonly unknown[], depth: number): unknown {
    const item = this.make(part, depth + 1);
    if (array.uniqueItems !== true) return item;
    const seen = new Set(before.map((one) => JSON.stringify(one)));
    if (!seen.has(JSON.stringify(item))) return item;
    const resolved = this.#resolved(part, depth + 1);
    if (Array.isArray(resolved.enum)) {
      const unused = resolved.enum.find((value) => !seen.has(JSON.stringify(value)));
      if (unused !== undefined) return unused;
    }
    const step = numberOf(resolved.multipleOf) ?? 1;
    if (typeof item === 'number') return item + before.length * step;
    if (typeof item === 'string') return new Maker(this.root, `${before.length}`).make(part, depth);
    if (typeof item === 'boolean') return !item;
    throw new SchemaWithoutInstance('distinct items cannot be made');
  }

  #text(schema: Schema): string {
    const format = FORMATS[String(schema.format)];
    if (format !== undefined) return format;
    const shortest = numberOf(schema.minLength) ?? 0;
    const longest = numberOf(schema.maxLength) ?? Number.MAX_SAFE_INTEGER;
    if (typeof schema.pattern === 'string') return textForPattern(schema.pattern, shortest);
    const hint = this.hint === '' ? 'sandbox' : this.hint;
    const within = [...hint].slice(0, longest).join('');
    const characters = [...beginningOf(hint, within.length)];
    while (characters.length < shortest) characters.push('x');
    return characters.join('');
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  time: '12:00:00Z',
  'date-time': '2026-01-15T12:00:00Z',
  duration: 'P1D',
  email: 'sandbox@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function typeOf(schema: Schema, depth: number): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) {
    const usual = type.find((one) => one !== 'null');
    return depth >= GENEROUS_DEPTH && type.includes('null') ? 'null' : String(usual ?? 'null');
  }
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  if (schema.minimum !== undefined || schema.maximum !== undefined) return 'number';
  return 'string';
}

/** How much a branch may grow; the least is taken where the depth must end. */
function weight(schema: Schema): number {
  if ('const' in schema || schema.enum !== undefined || schema.type === 'null') return 0;
  if (schema.$ref !== undefined || schema.anyOf !== undefined || schema.allOf !== undefined)
    return 3;
  if (schema.type === 'object' || schema.properties !== undefined) return 2;
  return schema.type === 'array' ? 1 : 0;
}

function merge(base: Schema, more: Schema): Schema {
  const merged: Record<string, unknown> = { ...base, ...more };
  if (base.properties && more.properties) {
    const names = { ...asSchema(base.properties) };
    for (const [name, part] of Object.entries(asSchema(more.properties))) {
      names[name] = name in names ? merge(asSchema(names[name]), asSchema(part)) : part;
    }
    merged.properties = names;
  }
  if (base.required && more.required) {
    merged.required = [...textsOf(base.required), ...textsOf(more.required)];
  }
  for (const [key, pick] of BOUNDS) {
    const [one, other] = [numberOf(base[key]), numberOf(more[key])];
    if (one !== undefined && other !== undefined) merged[key] = pick(one, other);
  }
  return merged;
}

const BOUNDS: readonly (readonly [string, (one: number, other: number) => number])[] = [
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map(
    (key) => [key, Math.max] as const,
  ),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map(
    (key) => [key, Math.min] as const,
  ),
];

/** A number within the bounds: the multiple of the step that is nearest to zero from inside. */
function numberIn(schema: Schema, least: number | undefined): number {
  const step = numberOf(schema.multipleOf) ?? least;
  const above = numberOf(schema.exclusiveMinimum);
  const below = numberOf(schema.exclusiveMaximum);
  const from = Math.max(numberOf(schema.minimum) ?? Number.NEGATIVE_INFINITY, above ?? -Infinity);
  const to = Math.min(numberOf(schema.maximum) ?? Number.POSITIVE_INFINITY, below ?? Infinity);
  const fits = (value: number) =>
    value >= from && value <= to && !(value === above) && !(value === below);
  if (step === undefined) {
    const candidates = [1, 0, from, to, (from + to) / 2, from + 1, to - 1];
    const found = candidates.find((value) => Number.isFinite(value) && fits(value));
    if (found !== undefined) return found;
  } else {
    const anchor = Number.isFinite(from)
      ? Math.ceil(from / step)
      : Math.floor(Math.min(to, 0) / step);
    const candidates = [step, 0, anchor * step, (anchor + 1) * step, (anchor - 1) * step];
    const found = candidates.find(fits);
    if (found !== undefined) return found;
  }
  throw new SchemaWithoutInstance('the bounds of a number leave nothing');
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
