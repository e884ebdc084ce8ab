import type { Transport } from '../graph/ctx.js';
import type { Fault } from '../kernel/errors/fail.js';
import { fault } from '../kernel/errors/faults.js';
import {
  CLASS_HEADER,
  CLASS_MEMBERS,
  highestDataClass,
} from '../kernel/firewall/data-class.rules.js';
import { DATA_CLASSES, type DataClass } from '../kernel/firewall/vocabulary.js';
import { asObject } from '../kernel/json.js';
import { repeatedKeys } from '../kernel/repeated-keys.js';

/** What a request states of its data beside the body that was parsed. */
export interface StatedOutside {
  /** The highest class of the header; undefined where it states none. */
  readonly dataClass: DataClass | undefined;
  readonly faults: readonly Fault[];
}

/** Nothing is stated outside of the body. */
export const NOTHING_OUTSIDE: StatedOutside = Object.freeze({ dataClass: undefined, faults: [] });

/**
 * The class that headers state, and the faults of what states one and is not read: other headers,
 * and members that the bytes of the body hold twice, of which a parser tells the last alone.
 */
export function statedOutside(
  { classHeaders = [], rawBody }: Transport,
  body: unknown,
): StatedOutside {
  const repeated = rawBody ? repeatedStatements(rawBody, body) : [];
  if (classHeaders.length === 0 && repeated.length === 0) return NOTHING_OUTSIDE;
  const stated = classHeaders.filter(({ name }) => name === CLASS_HEADER);
  const codes = stated.flatMap(({ value }) => value.split(',').map((code) => code.trim()));
  const classes = codes.map((code) => DATA_CLASSES.find((row) => row.code === code)?.code);
  const known = DATA_CLASSES.map(({ code }) => code).join(', ');
  const unread = classHeaders.filter(({ name }) => name !== CLASS_HEADER);
  return {
    dataClass: highestDataClass(classes),
    faults: [
      ...(classes.includes(undefined)
        ? [fault(`header ${CLASS_HEADER}`, 'unknown_value', `must be one of ${known}`)]
        : []),
      ...unread.map(({ name }) =>
        fault(`header ${name}`, 'unknown_value', `is not read: send ${CLASS_HEADER}`),
      ),
      ...repeated.map((path) => fault(path, 'invalid', 'stands twice in the body: give it once')),
    ],
  };
}

const STATING = ['metadata', ...CLASS_MEMBERS];
const STATING_PATHS = new Set([
  ...STATING,
  ...[...CLASS_MEMBERS].map((name) => `metadata.${name}`),
]);

/** The members of a body that state something of it and stand in its bytes more than once. */
function repeatedStatements(bytes: Buffer, body: unknown): readonly string[] {
  const given = asObject(body) ?? {};
  // Of a member that stands twice, the parsed body has one.
  if (!STATING.some((name) => name in given)) return [];
  if (!STATING.some((name) => standsTwice(bytes, `"${name}"`)) && !hasEscapedLetter(bytes)) {
    return [];
  }
  return [...new Set(repeatedKeys(bytes))].filter((path) => STATING_PATHS.has(path));
}

function standsTwice(bytes: Buffer, name: string): boolean {
  const first = bytes.indexOf(name);
  return first >= 0 && bytes.indexOf(name, first + name.length) >= 0;
}

/** A small Latin letter that is spelt as an escape may be one of a name. */
function hasEscapedLetter(bytes: Buffer): boolean {
  return bytes.includes('\\u006') || bytes.includes('\\u007') || bytes.includes('\\u005f');
}
