import { fileURLToPath } from 'node:url';
import { buildSchema, executeSync, Kind, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { AnswerNames } from '../../rest-compat/openapi-names.js';
import { OutputSchemas } from '../../rest-compat/openapi-output.js';
import { SchemaComponents } from '../../rest-compat/openapi-schema.js';
import { compileProject, selectedFields } from '../../rest-compat/projection.js';
import { withDirectives } from '../../rest-compat/rest-directive.js';

const REST = fileURLToPath(new URL('../../rest-compat/rest.graphql', import.meta.url));
const { schema } = withDirectives(
  buildSchema(`
    type Step { event: String! status: String! }
    type Word { word: String! }
    type Fault { line: Int! reason: String }
    union Detail = Word | Fault
    type State { steps: [Step!]! details: [Detail!]! seen: Step count: Int }
    type Query { state: State }
  `),
  REST,
);

/** The only field that a text selects. */
function selected(text: string) {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const [field] = selectedFields(schema, 'Query', operation.selectionSet, new Map());
  if (!field) throw new Error('nothing is selected');
  return { field, document };
}

/** What the wire has of a state. */
function wire(text: string, state: object): unknown {
  const { field, document } = selected(text);
  const { data } = executeSync({ schema, document, rootValue: { state } });
  return compileProject(field)?.(JSON.parse(JSON.stringify(data?.state)));
}

/** The named schema of the state that is selected. */
function described(text: string): unknown {
  const components = new SchemaComponents();
  const shape = { kind: 'value', field: selected(text).field } as const;
  const names = new AnswerNames([], () => false);
  const row = { name: 'GetState', shape, pathParameters: [] };
  new OutputSchemas(components, names).answer(row);
  const { State, ...others } = components.schemas;
  return whole(State, others);
}

/** A schema with what it refers to in place of the references. */
function whole(schema: unknown, named: Record<string, unknown>): unknown {
  const text = JSON.stringify(schema, (_key, value) => {
    const name = value?.$ref?.replace('#/components/schemas/', '');
    return name === undefined ? value : named[name];
  });
  return JSON.parse(text);
}

describe('a list that is written by key', () => {
  const text = '{ state { steps @byKey(key: "on", value: "status") { on: event status } } }';

  it('is an object of one member by another', () => {
    const steps = [
      { event: 'approve', status: 'approved' },
      { event: 'expire', status: 'expired' },
    ];
    expect(wire(text, { steps })).toEqual({ steps: { approve: 'approved', expire: 'expired' } });
    expect(wire(text, { steps: [] })).toEqual({ steps: {} });
  });

  it('is described as such an object', () => {
    const steps = { type: 'object', additionalProperties: { type: 'string' } };
    expect(described(text)).toMatchObject({ properties: { steps } });
  });

  it('stops the start where the members are not selected, or no list is there', () => {
    const lacking = selected('{ state { steps @byKey(key: "event", value: "x") { event } } }');
    expect(() => compileProject(lacking.field)).toThrow('@byKey of steps needs a list of objects');
    const single = selected(
      '{ state { seen @byKey(key: "event", value: "status") { event status } } }',
    );
    expect(() => compileProject(single.field)).toThrow('@byKey of seen needs a list of objects');
  });
});

describe('a bare field', () => {
  const text = `{ state { details {
    ... on Word { bare: word @bare }
    ... on Fault { line reason @whenNull }
  } } }`;
  const details = [
    { __typename: 'Word', word: 'a' },
    { __typename: 'Fault', line: 1, reason: null },
    { __typename: 'Fault', line: 2, reason: 'odd' },
  ];

  it('stands in place of its object, and other types stay objects', () => {
    expect(wire(text, { details })).toEqual({
      details: ['a', { line: 1 }, { line: 2, reason: 'odd' }],
    });
  });

  it('is described beside the objects', () => {
    const items = {
      anyOf: [
        {
          type: 'object',
          properties: { line: { type: 'integer', format: 'int32' }, reason: { type: 'string' } },
        },
        { type: 'string' },
      ],
    };
    expect(described(text)).toMatchObject({ properties: { details: { type: 'array', items } } });
  });

  it('shares its key with nothing that is written otherwise', () => {
    expect(() => selected('{ state { seen { word: event @bare } seen { word: event } } }')).toThrow(
      'word is selected twice, and not written alike',
    );
  });
});

describe('what is null', () => {
  it('is left out, or written as the row says', () => {
    const text = '{ state { seen @whenNull(write: {}) { event } count @whenNull } }';
    expect(wire(text, { seen: null, count: null })).toEqual({ seen: {} });
    const seen = { event: 'x' };
    expect(wire(text, { seen, count: 0 })).toEqual({ seen, count: 0 });
    expect(described(text)).toMatchObject({ required: ['seen'] });
  });
});
