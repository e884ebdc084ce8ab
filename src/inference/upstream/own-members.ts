import { asObject, type JsonObject, parsedJson } from '../../kernel/json.js';
import { utf8Text } from '../../kernel/utf8.js';
import { writeEvent } from '../chat/event-text.js';
import { changedEach } from '../firewall/rewrite.js';

/** What begins so in an answer is the gateway's: its receipts. */
const OWN_PREFIX = 'gw_';

/** How the bytes of JSON may spell a quote and the prefix: each character may be escaped. */
export const OWN_SPELT = String.raw`"(?:g|\\u0067)(?:w|\\u0077)(?:_|\\u005[fF])`;
const OWN = new RegExp(OWN_SPELT);

/** A level of an answer where clients look for receipts, and the levels in its members. */
type Level = ReadonlyMap<string, Level>;

const PLAIN: Level = new Map();
const CHOICE: Level = new Map([
  ['message', PLAIN],
  ['delta', PLAIN],
]);
const ANSWER: Level = new Map([
  ['choices', CHOICE],
  ['data', PLAIN],
  ['usage', PLAIN],
]);

/**
 * A provider's answer or chunk without members whose names begin with `gw_`: no provider writes
 * receipts. They are left out of the answer itself, its choices, their messages and deltas, its
 * embeddings and its usage; what it says stays. The same object where there are none.
 */
export function withoutOwnNames<T extends object>(answer: T): T {
  return kept(answer, ANSWER) as T;
}

/** The same of a chunk and its event, which stays as it came where it has no such name. */
export function eventWithoutOwnNames<T extends object>(chunk: T, event: Buffer) {
  const honest = withoutOwnNames(chunk);
  return { chunk: honest, event: honest === chunk ? event : writeEvent(honest) };
}

/**
 * The same of a whole body. It is parsed only where its bytes may hold such a name, and stays as it
 * came where they hold none.
 */
export function bodyWithoutOwnNames(body: Buffer): Buffer {
  if (!OWN.test(body.toString('latin1'))) return body;
  const answer = asObject(parsedJson(utf8Text(body)));
  const honest = answer && withoutOwnNames(answer);
  return honest === answer ? body : Buffer.from(JSON.stringify(honest));
}

function kept(value: unknown, level: Level): unknown {
  if (Array.isArray(value)) return changedEach(value, (element) => kept(element, level));
  const given = asObject(value);
  return given ? keptMembers(given, level) : value;
}

function keptMembers(given: JsonObject, level: Level): JsonObject {
  const before = Object.entries(given);
  const after = before
    .filter(([name]) => !name.startsWith(OWN_PREFIX))
    .map(([name, member]): [string, unknown] => {
      const inner = level.get(name);
      return [name, inner ? kept(member, inner) : member];
    });
  const isSame =
    after.length === before.length && after.every(([, member], at) => member === before[at]?.[1]);
  return isSame ? given : Object.fromEntries(after);
}
