/** A document that is small to send and could be large to judge. */
export interface Bomb {
  readonly name: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const SIZES = [8, 16, 24, 40, 60] as const;

function times(count: number, made: (index: number) => string, between = ' '): string {
  return Array.from({ length: count }, (_, index) => made(index)).join(between);
}

/** Fragments that each spread the next one twice, to a last one that asks for fields. */
function doubled(root: string, type: string, leaf: string, count: number, spreads = 2): string {
  const chain = times(
    count,
    (index) => `fragment F${index} on ${type} { ${`...F${index + 1} `.repeat(spreads)}}`,
  );
  return `${root} ${chain} fragment F${count} on ${type} { ${leaf} }`;
}

/** The same through a field of its own at each level. */
function nested(type: string, field: string, leaf: string, count: number): string {
  const spread = (index: number) => `a: ${field} { ...N${index} } b: ${field} { ...N${index} }`;
  const chain = times(count, (index) => `fragment N${index} on ${type} { ${spread(index + 1)} }`);
  return `query { ...N0 } ${chain} fragment N${count} on ${type} { ${leaf} }`;
}

const ANY_QUERY = 'balance { accountId }';
const throughTypes = (next: number) => `fields { type { ...F${next} } } ofType { ...F${next} }`;
const circles = (from: number, count: number) =>
  times(Math.min(count, 12), (step) => `...C${(from + step) % count}`);

function fragments(): Bomb[] {
  return SIZES.flatMap((count) => [
    { name: `${count} doubled`, query: doubled('query { ...F0 }', 'Query', ANY_QUERY, count) },
    {
      name: `${count} doubled in a mutation`,
      query: doubled('mutation { ...F0 }', 'Mutation', '__typename', count),
    },
    {
      name: `${count} doubled in a subscription`,
      query: doubled('subscription { ...F0 }', 'Subscription', '__typename', count),
    },
    {
      name: `${count} tenfold`,
      query: doubled('query { ...F0 }', 'Query', ANY_QUERY, count, 10),
    },
    {
      name: `${count} doubled under inline fragments`,
      query: doubled('query { ... { ... on Query { ...F0 } } }', 'Query', ANY_QUERY, count),
    },
    {
      name: `${count} doubled in an introspection`,
      query: doubled('query { __schema { ...F0 } }', '__Schema', 'queryType { name }', count),
    },
    {
      name: `${count} doubled in types`,
      query: doubled('query { __type(name: "Query") { ...F0 } }', '__Type', 'name', count),
    },
    {
      name: `${count} through types`,
      query: `query { __type(name: "Query") { ...F0 } } ${times(
        count,
        (index) => `fragment F${index} on __Type { ${throughTypes(index + 1)} }`,
      )} fragment F${count} on __Type { name }`,
    },
    { name: `${count} nested in fields`, query: nested('Query', 'balance', ANY_QUERY, count) },
    {
      name: `${count} in a circle`,
      query: `query { ...C0 } ${times(
        count,
        (index) => `fragment C${index} on Query { ${circles(index, count)} }`,
      )}`,
    },
    {
      name: `${count} unknown ones`,
      query: `query { ${times(count, (index) => `...U${index} ...U${index}`)} }`,
    },
    {
      name: `${count} unused ones`,
      query: `query { __typename } ${doubled('', 'Query', ANY_QUERY, count)}`,
    },
    {
      name: `${count} operations of the same fragments`,
      query: doubled(
        times(count, (index) => `query Q${index} { ...F0 }`),
        'Query',
        ANY_QUERY,
        Math.min(count, 24),
      ),
    },
  ]);
}

function wide(): Bomb[] {
  return [100, 400, 660, 5_000].flatMap((count) => [
    {
      name: `${count} equal fields`,
      query: `{ ${times(count, () => 'balance { accountId }')} }`,
    },
    {
      name: `${count} aliases`,
      query: `{ ${times(count, (index) => `a${index}: __typename`)} }`,
    },
    {
      name: `${count} equal fields with different arguments`,
      query: `{ ${times(count, (index) => `__type(name: "T${index}") { name }`)} }`,
    },
    {
      name: `${count} variables`,
      query: `query(${times(count, (index) => `$v${index}: Int`)}) { __typename }`,
    },
    {
      name: `${count} directives`,
      query: `{ __typename ${times(count, () => '@skip(if: false)')} }`,
    },
    {
      name: `${count} unknown directives`,
      query: `{ __typename ${times(count, (index) => `@d${index}`)} }`,
    },
    {
      name: `${count} unknown fields`,
      query: `{ ${times(count, (index) => `balanc${index}`)} }`,
    },
    {
      name: `${count} unknown arguments`,
      query: `{ __type(${times(count, (index) => `nam${index}: 1`)}) { name } }`,
    },
    {
      name: `${count} operations`,
      query: times(count, (index) => `query Q${index} { __typename }`),
    },
    {
      name: `${count} equal names of fragments`,
      query: times(count, () => 'fragment F on Query { __typename }'),
    },
  ]);
}

function literals(): Bomb[] {
  const field = 'usageReport(input: %) { rows { key } }';
  const asked = (value: string) => `{ ${field.replace('%', value)} }`;
  return [500, 5_000, 100_000].flatMap((count) => [
    { name: `a list of ${count}`, query: asked(`[${'1 '.repeat(count)}]`) },
    { name: `lists in ${count} lists`, query: asked('['.repeat(count) + ']'.repeat(count)) },
    { name: `${count} open lists`, query: asked('['.repeat(count)) },
    {
      name: `objects in ${count} objects`,
      query: asked(`${'{a:'.repeat(count)}1${'}'.repeat(count)}`),
    },
    { name: `an object of ${count}`, query: asked(`{${times(count, (at) => `k${at}:1`)}}`) },
    { name: `${count} levels of fields`, query: '{ a '.repeat(count) + '}'.repeat(count) },
    {
      name: `a type of ${count} lists`,
      query: `query($v: ${'['.repeat(count)}Int${']'.repeat(count)}) { __typename }`,
    },
    { name: `a name of ${count}`, query: `{ ${'a'.repeat(count)} }` },
    { name: `a text of ${count}`, query: `{ __type(name: "${'a'.repeat(count)}") { name } }` },
    {
      name: `a block of ${count} lines`,
      query: `{ __type(name: """${'\n a'.repeat(count)}""") { name } }`,
    },
    { name: `a comment of ${count}`, query: `#${'a'.repeat(count)}\n{ __typename }` },
    { name: `commas of ${count}`, query: `{ ${','.repeat(count)} __typename }` },
    { name: `a number of ${count}`, query: asked('9'.repeat(count)) },
    { name: `escapes of ${count}`, query: asked(`"${'\\u0041'.repeat(count)}"`) },
  ]);
}

function overlapping(): Bomb[] {
  const level = (depth: number, copies: number): string =>
    depth === 0 ? 'accountId' : times(copies, () => `balance { ${level(depth - 1, copies)} }`);
  const shapes = [
    [1, 300],
    [2, 24],
    [3, 8],
    [4, 5],
    [8, 2],
  ] as const;
  return shapes.map(([depth, copies]) => ({
    name: `${copies} equal fields at ${depth} levels`,
    query: `{ ${level(depth, copies)} }`,
  }));
}

/** Values that are small to send and large to walk through. */
function values(): Bomb[] {
  const query = 'query($name: String!) { __type(name: $name) { name } }';
  const deep = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: inner }), 1);
  return [
    { name: 'a deep value', query, variables: { name: deep(60) } },
    { name: 'a wide value', query, variables: { name: Array(5_000).fill(1) } },
    {
      name: 'many values',
      query,
      variables: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`v${at}`, at])),
    },
    { name: 'a long value', query, variables: { name: 'a'.repeat(50_000) } },
  ];
}

/** All of them, made by rules: none is written by hand. */
export function bombs(): Bomb[] {
  return [...fragments(), ...wide(), ...literals(), ...overlapping(), ...values()];
}
