import type { ExampleRequest } from '../../../rest-compat/example.js';

/** A request that is wrong in one place. */
export interface BrokenRequest {
  /** What is wrong with it. */
  readonly wrong: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
  /** The bytes of the body; undefined where there is none. */
  readonly body: string | undefined;
}

/** So many are made of each example at least. */
export const BROKEN_MIN = 50;

const DEEP = 3_000;

/** What stands where something else is expected, as JSON. */
const ODD_VALUES: Readonly<Record<string, string>> = {
  null: 'null',
  'an empty text': '""',
  'a text': '"ы"',
  'a long text': JSON.stringify('x'.repeat(20_000)),
  'half a surrogate pair': '"\\ud800"',
  'a NUL': '"a\\u0000b"',
  'a line feed and a quote': '"\\n\\r\\"\'; --"',
  zero: '0',
  'a negative number': '-1',
  'a fraction': '0.1234567890123456789',
  'a number beyond 64 bits': '1e40',
  'a number beyond doubles': '1e999',
  'a large integer': '9223372036854775808',
  true: 'true',
  'an empty list': '[]',
  'a list of nulls': '[null, null]',
  'a long list': JSON.stringify(Array.from({ length: 2_000 }, () => 'x')),
  'an empty object': '{}',
  'an object of prototypes': '{"__proto__": {"x": 1}, "constructor": 1, "toString": 2}',
  'a deep list': `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  'a date that is none': '"2026-02-30T25:61:00Z"',
  'an id of nothing': '"01977c2a-5b1e-7005-8000-3f2b9c4d5e6f"',
};

/** Bodies that are wrong as a whole. */
const ODD_BODIES: Readonly<Record<string, string>> = {
  'no body': '',
  'no JSON': '{"a": ',
  'two values': '{} {}',
  'a list': '[]',
  'a text': '"text"',
  'a number': '1',
  null: 'null',
  'an empty object': '{}',
  'unknown members': '{"unknown": 1, "__proto__": null, "": 2}',
  'a deep object': `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  'no text in UTF-8': '{"a": "\\ud83d"}',
  'a byte order mark': '\ufeff{}',
};

const ODD_TEXTS = [
  ...['', ' ', '0', '-1', '1e40', 'null', '%00', '%FF', '%ED%A0%80', "'", '../..', '*', '[]'],
  ...['%F0%9F%98%80', 'x'.repeat(3_000), '2026-02-30', '9999999999999999999', 'a&b=c', '{}'],
];

/** Requests that are each the example of an operation with one thing broken. */
export function brokenRequests(example: ExampleRequest): readonly BrokenRequest[] {
  const { path, body } = example;
  const query = new URLSearchParams(example.query).toString();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all: BrokenRequest[] = [];
  if (body !== undefined) {
    for (const [wrong, odd] of Object.entries(ODD_BODIES)) {
      all.push({ wrong: `the body is ${wrong}`, path, query, body: odd });
    }
    for (const [wrong, made] of brokenMembers(body)) all.push({ wrong, path, query, body: made });
  }
  for (const name of Object.keys(path)) {
    for (const odd of ODD_TEXTS.filter((each) => each !== '')) {
      const wrong = `${name} of the path is ${odd.slice(0, 20)}`;
      all.push({ wrong, path: { ...path, [name]: odd }, query, body: text });
    }
  }
  for (const name of [...Object.keys(example.query), ...QUERY_NAMES]) {
    for (const odd of ODD_TEXTS) {
      const wrong = `${name} of the query is ${odd.slice(0, 20)}`;
      all.push({ wrong, path, query: `${query}&${name}=${odd}`, body: text });
    }
  }
  return all;
}

/** What operations without a body take in their queries, whichever. */
const QUERY_NAMES = ['from', 'to', 'first', 'after', 'format', 'unknown'];

/** An object with each of its members, at any depth, replaced by each odd value or left out. */
export function* brokenMembers(
  whole: Readonly<Record<string, unknown>>,
): Generator<readonly [wrong: string, text: string]> {
  for (const place of placesIn(whole, [])) {
    const at = place.join('.');
    const marked = JSON.stringify(replaced(whole, place, MARK));
    yield [`${at} is absent`, JSON.stringify(replaced(whole, place, undefined))];
    for (const [wrong, odd] of Object.entries(ODD_VALUES)) {
      yield [`${at} is ${wrong}`, marked.replace(JSON.stringify(MARK), () => odd)];
    }
  }
}

const MARK = '\u2063place\u2063';

type Place = readonly string[];

/** Of a list its first item stands for all. */
function placesIn(value: unknown, at: Place): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined);
  return entries.flatMap(([key, inner]) => {
    const place = [...at, key];
    return [place, ...placesIn(inner, place)];
  });
}

function replaced(value: unknown, [key, ...rest]: Place, by: string | undefined): unknown {
  if (key === undefined) return by;
  const entries = Object.entries(value as object).map(
    ([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner] as const,
  );
  if (!Array.isArray(value)) return Object.fromEntries(entries);
  return entries.map(([, inner]) => inner).filter((inner) => inner !== undefined);
}

/**
 * So many of a list, spread over the whole of it: where there are more, another seed takes others.
 */
export function spread<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  if (all.length <= count) return all;
  const step = all.length / count;
  const shift = seed % Math.max(1, Math.floor(step));
  return Array.from({ length: count }, (_, n) => all[Math.floor(n * step) + shift] as T);
}
