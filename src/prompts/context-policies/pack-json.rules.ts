import type { Fault } from '../../kernel/errors/fail.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { type ItemInput, invalid, packFaults } from './input.rules.js';

/** A context pack that was read from JSON, with every fault of it. */
export interface PackRead {
  readonly items: readonly ItemInput[];
  /** The moment that ages are counted from; null where the pack does not say. */
  readonly asOf: Date | null;
  readonly faults: readonly Fault[];
}

const CLASSES = new Set<string>(DATA_CLASSES.map(({ code }) => code));

/**
 * A pack that came as JSON, by the names of REST: `items`, each with `id`, `source`, `data_class`,
 * `tokens` or `text`, `updated_at`, `citation`, `provenance`; and `as_of`. A value of the wrong
 * type is a fault and is read as not given.
 */
export function readPack(path: string, given: JsonObject): PackRead {
  const faults: Fault[] = [];
  const asOf = dateIn(given, 'as_of', path, faults);
  if (!Array.isArray(given.items)) {
    faults.push({
      path: `${path}.items`,
      code: given.items === undefined ? 'missing' : 'wrong_type',
      message: `${path}.items must be a list.`,
    });
    return { items: [], asOf, faults };
  }
  const items = given.items.map((item: unknown, index) => {
    const at = `${path}.items.${index}`;
    const stated = asObject(item);
    if (!stated) faults.push(invalid(at, 'must be an object'));
    return readItem(stated ?? {}, at, faults);
  });
  faults.push(...packFaults(`${path}.items`, items));
  return { items, asOf, faults };
}

function readItem(given: JsonObject, at: string, faults: Fault[]): ItemInput {
  const { data_class: dataClass, tokens } = given;
  const known = typeof dataClass === 'string' && CLASSES.has(dataClass);
  if (dataClass != null && !known) {
    const path = `${at}.data_class`;
    const message = `${path} must be one of ${[...CLASSES].join(', ')}.`;
    faults.push({ path, code: 'unknown_value', message });
  }
  if (tokens != null && typeof tokens !== 'number') {
    faults.push(invalid(`${at}.tokens`, 'must be a number'));
  }
  return {
    id: textIn(given, 'id', at, faults),
    source: textIn(given, 'source', at, faults),
    dataClass: known ? (dataClass as DataClass) : null,
    tokens: typeof tokens === 'number' ? tokens : null,
    text: textIn(given, 'text', at, faults),
    updatedAt: dateIn(given, 'updated_at', at, faults),
    citation: textIn(given, 'citation', at, faults),
    provenance: textIn(given, 'provenance', at, faults),
  };
}

function textIn(given: JsonObject, name: string, at: string, faults: Fault[]): string | null {
  const value = given[name];
  if (typeof value === 'string') return value;
  if (value != null) faults.push(invalid(`${at}.${name}`, 'must be a text'));
  return null;
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

function dateIn(given: JsonObject, name: string, at: string, faults: Fault[]): Date | null {
  const value = given[name];
  if (value == null) return null;
  const date = typeof value === 'string' && INSTANT.test(value) ? new Date(value) : undefined;
  if (date && !Number.isNaN(date.getTime())) return date;
  faults.push(invalid(`${at}.${name}`, 'must be a point in time by RFC 3339'));
  return null;
}
