import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, oneOf } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { packFaults } from './input.rules.js';
import type { ItemInput } from './tables.js';
import { CONTEXT_CLASSES } from './vocabulary.js';

/** A context pack that was read from JSON, with every fault of it. */
export interface PackRead {
  readonly items: readonly ItemInput[];
  /** The moment that ages are counted from; null where the pack does not say. */
  readonly asOf: Date | null;
  readonly faults: readonly Fault[];
}

/**
 * A pack that came as JSON, by the names of REST: `items`, each with `id`, `source`, `data_class`,
 * `tokens` or `text`, `updated_at`, `citation`, `provenance`; and `as_of`. A value of the wrong
 * type is a fault and is read as not given.
 */
export function readPack(path: string, given: JsonObject): PackRead {
  const faults: Fault[] = [];
  const asOf = dateIn(given, 'as_of', path, faults);
  if (!Array.isArray(given.items)) {
    const kind = given.items === undefined ? 'missing' : 'wrong_type';
    faults.push(fault(`${path}.items`, kind, 'must be a list'));
    return { items: [], asOf, faults };
  }
  const items = given.items.map((item: unknown, index) => {
    const at = `${path}.items.${index}`;
    const stated = asObject(item);
    faults.push(...fits(at, stated !== undefined, 'must be an object'));
    return readItem(stated ?? {}, at, faults);
  });
  faults.push(...packFaults(`${path}.items`, items));
  return { items, asOf, faults };
}

function readItem(given: JsonObject, at: string, faults: Fault[]): ItemInput {
  const { data_class: dataClass, tokens } = given;
  const stated = dataClass == null ? null : String(dataClass);
  const isWhole = Number.isInteger(tokens);
  faults.push(
    ...oneOf(`${at}.data_class`, stated, CONTEXT_CLASSES.codes),
    ...fits(`${at}.tokens`, tokens == null || isWhole, 'must be a whole number'),
  );
  return {
    id: textIn(given, 'id', at, faults),
    source: textIn(given, 'source', at, faults),
    dataClass: CONTEXT_CLASSES.find(stated ?? '')?.code ?? null,
    tokens: isWhole ? (tokens as number) : null,
    text: textIn(given, 'text', at, faults),
    updatedAt: dateIn(given, 'updated_at', at, faults),
    citation: textIn(given, 'citation', at, faults),
    provenance: textIn(given, 'provenance', at, faults),
  };
}

function textIn(given: JsonObject, name: string, at: string, faults: Fault[]): string | null {
  const value = given[name];
  if (typeof value === 'string') return value;
  faults.push(...fits(`${at}.${name}`, value == null, 'must be a text'));
  return null;
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

function dateIn(given: JsonObject, name: string, at: string, faults: Fault[]): Date | null {
  const value = given[name];
  if (value == null) return null;
  const date = typeof value === 'string' && INSTANT.test(value) ? new Date(value) : undefined;
  if (date && !Number.isNaN(date.getTime())) return date;
  faults.push(fault(`${at}.${name}`, 'invalid', 'must be a point in time by RFC 3339'));
  return null;
}
