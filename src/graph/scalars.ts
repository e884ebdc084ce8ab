import {
  GraphQLError,
  GraphQLScalarType,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { isUuid } from '../kernel/ids.js';
import { MOMENT_WORDS, momentOf } from '../kernel/moment.rules.js';
import { formatRub, isExactRub, parseRub } from '../kernel/money.js';
import { TIME_ZONE_DEFAULT } from '../kernel/time.js';

interface TextScalar<T> {
  readonly name: string;
  readonly description: string;
  /** The published text that says what values look like; the built-in `ID` has none. */
  readonly specifiedBy?: string;
  /** What a value must be, for messages that name the fault of an argument. */
  readonly expected?: string;
  readonly parse: (text: string) => T | undefined;
  /** Whether a number says the value exactly; unless stated, a whole one that is safe. */
  readonly isExact?: (value: number) => boolean;
  readonly print: (value: unknown) => string;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

/** A scalar that travels as a string; the OpenAPI schema of its REST form stands beside it. */
function textScalar<T>(spec: TextScalar<T>): GraphQLScalarType<T, string> {
  const { isExact = isExactInteger } = spec;
  const read = (input: unknown, node?: ValueNode): T => {
    const isInexact = typeof input === 'number' && !isExact(input);
    const text = typeof input === 'number' && !isInexact ? String(input) : input;
    const value = typeof text === 'string' ? spec.parse(text) : undefined;
    if (value !== undefined) return value;
    const cure = isInexact ? 'It is not exact as a JSON number; give it as a string.' : '';
    const told = `${JSON.stringify(input)} is no ${spec.name}. ${spec.description}`;
    const message = `${told} ${cure}`.trim();
    throw new GraphQLError(message, { nodes: node });
  };
  return new GraphQLScalarType<T, string>({
    name: spec.name,
    description: spec.description,
    specifiedByURL: spec.specifiedBy,
    serialize: spec.print,
    parseValue: (input) => read(input),
    parseLiteral: (node) => read('value' in node ? node.value : undefined, node),
    extensions: { jsonSchema: spec.jsonSchema, expected: spec.expected },
  });
}

function isExactInteger(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** Rubles: bigint micro-rubles inside, a decimal string in GraphQL, a number in REST. */
export const RubScalar = textScalar<bigint>({
  name: 'Rub',
  description: 'An amount in rubles as a decimal string with at most six places, such as "12.50".',
  specifiedBy: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  parse: parseRub,
  isExact: isExactRub,
  print: (value) => formatRub(value as bigint),
  jsonSchema: { type: 'number', description: 'Rubles, at most six decimal places.' },
});

/**
 * The one scalar of ids, in the place of the built-in one: clients of Relay expect `ID`, and no
 * argument reaches a service that is no uuid. It is read into lower case.
 */
export const IdScalar = textScalar<string>({
  name: 'ID',
  expected: 'a uuid',
  description: 'A uuid, such as "0192f0c1-7a3b-7001-8000-3f2b9c4d5e6f".',
  parse: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  print: (value) => String(value),
  // Not all are bare UUIDs: that of a ledger entry has the kind of the entry behind it.
  jsonSchema: { type: 'string' },
});

/** A sha256: bytes inside, 64 hexadecimal digits outside. */
export const Sha256Scalar = textScalar<string>({
  name: 'Sha256',
  description: 'A SHA-256 as 64 lower-case hexadecimal digits.',
  specifiedBy: 'https://doi.org/10.6028/NIST.FIPS.180-4',
  parse: (text) => (/^[0-9a-f]{64}$/.test(text) ? text : undefined),
  print: (value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value),
  jsonSchema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
});

/** True for a day that the calendar has. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A point in time. */
export const DateTimeScalar = textScalar<Date>({
  name: 'DateTime',
  description: 'A point in time by RFC 3339 with its offset, such as "2026-01-31T09:00:00.000Z".',
  specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339',
  parse: (text) => {
    // Years before it are slips, and not all of them are known to the database.
    const isModern = INSTANT.test(text) && text >= '1000';
    const date = isModern ? new Date(text) : undefined;
    return date && !Number.isNaN(date.getTime()) && isDay(text.slice(0, 10)) ? date : undefined;
  },
  print: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
  jsonSchema: { type: 'string', format: 'date-time' },
});

/** A bound of a period; a bare day stands for its midnight in Moscow, so many days on. */
function periodScalar(name: string, description: string, daysOn: number) {
  return textScalar<Date>({
    name,
    description,
    expected: MOMENT_WORDS,
    specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339',
    parse: (text) => momentOf(text, TIME_ZONE_DEFAULT, daysOn),
    print: (value) => (value as Date).toISOString(),
    jsonSchema: {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
    },
  });
}

/** The begin of a period. */
export const PeriodBeginScalar = periodScalar(
  'PeriodBegin',
  'The begin of a period: a point in time by RFC 3339, or a day such as "2026-01-31", which ' +
    'stands for its midnight in Moscow.',
  0,
);

/** The end of a period. */
export const PeriodEndScalar = periodScalar(
  'PeriodEnd',
  'The end of a period: a point in time by RFC 3339, itself outside, or a day such as ' +
    '"2026-01-31", which is in the period to its own end in Moscow.',
  1,
);

/** A calendar day. */
export const DateScalar = textScalar<string>({
  name: 'Date',
  description: 'A calendar day, such as "2026-01-31".',
  specifiedBy: 'https://scalars.graphql.org/andimarek/local-date.html',
  parse: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) && isDay(text) ? text : undefined),
  print: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : String(value)),
  jsonSchema: { type: 'string', format: 'date' },
});

/** An integer of any size: a string in GraphQL, since clients read numbers as doubles. */
export const BigIntScalar = textScalar<bigint>({
  name: 'BigInt',
  description: 'An integer of any size as a decimal string, such as "9007199254740993".',
  specifiedBy: 'https://www.w3.org/TR/xmlschema11-2/#integer',
  parse: (text) => (/^-?\d{1,30}$/.test(text) ? BigInt(text) : undefined),
  print: (value) => String(value),
  jsonSchema: { type: 'integer' },
});

/** A JSON value that keeps its identity: what comes in is the very object that resolvers see. */
export function jsonScalar(
  name: string,
  description: string,
  jsonSchema: Readonly<Record<string, unknown>> = {},
): GraphQLScalarType<unknown, unknown> {
  return new GraphQLScalarType<unknown, unknown>({
    name,
    description,
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node, variables) =>
      node.kind === Kind.NULL ? null : plain(valueFromASTUntyped(node, variables)),
    extensions: { jsonSchema },
  });
}

/** A literal as its JSON text would be read; graphql-js makes objects without a prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  if (Object.getPrototypeOf(value) !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Any JSON value. */
export const JsonScalar = jsonScalar('JSON', 'Any JSON value.');
