import { buildSchema, GraphQLError, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { fail, failOnFaults } from '../../../src/kernel/errors/fail.js';
import { formatRub, parseRub } from '../../../src/kernel/money.js';
import { WireBody, type WireSink, type WireStream } from '../../../src/kernel/wire.js';

/** A schema that has one of everything the REST layer must handle. */
const SDL = /* GraphQL */ `
  scalar Rub
  scalar BigInt
  scalar JSON
  scalar DateTime
  enum ThingKind { small large }
  type Cost { totalRub: Rub }
  "A thing."
  type Thing { id: ID! name: String! kind: ThingKind! priceRub: Rub counter: BigInt cost: Cost }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type ThingConnection { nodes: [Thing!]! pageInfo: PageInfo! totalCount: Int! }
  input StepInput { stepName: String! maxCostRub: Rub p95LatencyMs: Int = 100 inner: StepInput }
  input ThingInput { name: String! kind: ThingKind priceRub: Rub steps: [StepInput!] }
  type Query {
    "All things."
    things(first: Int, after: String, kind: [ThingKind!], since: DateTime): ThingConnection!
    thing(id: ID!): Thing
    metrics: String!
    names: [String!]!
  }
  type Mutation {
    thingCreate(input: ThingInput!, dryRun: Boolean): Thing!
    thingReplace(id: ID!, input: ThingInput!, dryRun: Boolean): Thing!
    echo(input: JSON!): JSON!
  }
  type Subscription { echoEvents(input: JSON!): JSON! }
`;

export interface Thing {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly priceRub: bigint | null;
  readonly counter: bigint;
  readonly cost: { readonly totalRub: bigint };
}

export interface ToyCalls {
  readonly created: unknown[];
  signal: AbortSignal | undefined;
  closed: number;
}

export function toyThings(count: number): Thing[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `thing/${index}`,
    name: index === 0 ? '=1+1' : `name ${index}`,
    kind: index % 2 === 0 ? 'small' : 'large',
    priceRub: index === 1 ? null : -1_500_001n * BigInt(index),
    counter: index === 2 ? 9007199254740993n : BigInt(index),
    cost: { totalRub: 250_000n },
  }));
}

export function toySchema(things: readonly Thing[], calls: ToyCalls): GraphQLSchema {
  const schema = buildSchema(SDL);
  scalars(schema);
  resolvers(schema, 'Query', {
    things: (_: unknown, args: { first: number; after?: string; kind?: string[] }) => {
      const all = things.filter((thing) => !args.kind || args.kind.includes(thing.kind));
      const from = args.after ? Number(args.after) : 0;
      const nodes = all.slice(from, from + args.first);
      const end = from + nodes.length;
      const pageInfo = { hasNextPage: end < all.length, endCursor: String(end) };
      return { nodes, pageInfo, totalCount: all.length };
    },
    thing: (_: unknown, { id }: { id: string }) => things.find((thing) => thing.id === id),
    metrics: () => 'up 1',
    names: () => ['one', 'two'],
  });
  resolvers(schema, 'Mutation', {
    thingCreate: (_: unknown, args: { input: { name: string }; dryRun?: boolean }) => {
      if (args.input.name === 'taken') {
        const message = '`input.priceRub` is too much.';
        failOnFaults([{ path: 'input.priceRub', code: 'out_of_range', message }]);
      }
      if (args.input.name === 'complex') {
        throw new GraphQLError('too deep', { extensions: { code: 'query_too_complex' } });
      }
      calls.created.push(args);
      return { ...things[0], name: args.input.name };
    },
    thingReplace: (_: unknown, args: { id: string; input: { name: string } }) => {
      if (args.input.name === 'taken') {
        const path = 'input.steps.0.stepName';
        failOnFaults([{ path, code: 'invalid', message: `\`${path}\` is taken.` }]);
      }
      calls.created.push(args);
      return { ...things[2], name: args.input.name };
    },
    echo: (_: unknown, { input }: { input: Record<string, unknown> }) => echo(input),
  });
  subscription(schema, calls);
  return schema;
}

function echo(input: Record<string, unknown>): unknown {
  if (input.fail === 'broke') {
    fail('insufficient_balance', { values: { available: '0.00', required: '1.00' } });
  }
  if (input.fail === 'busy') {
    fail('rate_limit_requests', {
      values: { limit: 1 },
      retryAfterMs: 1500,
      data: { bucket: 'a' },
    });
  }
  if (input.fail === 'inside') {
    const path = 'input.format.userName';
    failOnFaults([{ path, code: 'invalid', message: `\`${path}\` is wrong.` }]);
  }
  if (input.fail === 'bug') throw new TypeError('secret detail');
  if (input.wire) return new WireBody(Buffer.from('{"a" : 1}'), { 'x-gw-model': 'm' });
  return input;
}

function subscription(schema: GraphQLSchema, calls: ToyCalls): void {
  const field = schema.getSubscriptionType()?.getFields().echoEvents;
  if (!field) throw new Error('no such field');
  field.resolve = (event) => event;
  field.subscribe = (_: unknown, { input }: { input: Record<string, unknown> }) => {
    if (input.fail === 'at once') fail('missing_credential');
    if (input.wire) return wireStream(input);
    return values(input, calls);
  };
}

async function* values(input: Record<string, unknown>, calls: ToyCalls): AsyncGenerator<unknown> {
  try {
    yield { n: 1 };
    if (input.hang) await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    if (input.fail) fail('upstream_failed', { values: { reason: 'cut' } });
    yield { n: 2 };
  } finally {
    calls.closed += 1;
  }
}

function wireStream(input: Record<string, unknown>): WireStream {
  return {
    async pipe(sink: WireSink) {
      if (input.fail === 'before') fail('upstream_timeout', { values: { seconds: 1 } });
      sink.head({ 'x-gw-model': 'm' });
      sink.write(Buffer.from('data: {"raw" : true}\n\n'));
      if (input.fail === 'after') fail('upstream_failed', { values: { reason: 'cut' } });
      sink.end();
    },
    async *[Symbol.asyncIterator]() {
      yield { raw: true };
    },
  };
}

function scalars(schema: GraphQLSchema): void {
  const rub = schema.getType('Rub');
  const bigint = schema.getType('BigInt');
  if (!isScalarType(rub) || !isScalarType(bigint)) throw new Error('no such scalar');
  rub.serialize = (value) => formatRub(value as bigint);
  rub.parseValue = (value) => {
    const micro = typeof value === 'string' ? parseRub(value) : undefined;
    if (micro === undefined) throw new TypeError('not an amount');
    return micro;
  };
  bigint.serialize = (value) => String(value);
}

type Resolver = (source: unknown, args: never) => unknown;

function resolvers(schema: GraphQLSchema, type: string, map: Record<string, Resolver>): void {
  const object = schema.getType(type);
  if (!isObjectType(object)) throw new Error('no such type');
  for (const [name, resolve] of Object.entries(map)) {
    const field = object.getFields()[name];
    if (field) field.resolve = (source, args) => resolve(source, args as never);
  }
}
