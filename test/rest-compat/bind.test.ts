import fc from 'fast-check';
import { buildSchema, type GraphQLInputType, isInputType, parseType, typeFromAST } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileBind, type VariableRow } from '../../rest-compat/bind.js';
import { parseBody } from '../../rest-compat/body.js';
import { InputNames } from '../../rest-compat/input-names.js';
import { camelCase, isNear, nearestName } from '../../rest-compat/wire-names.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { snakeCase } from '../../src/kernel/fields/names.js';

const schema = buildSchema(`
  enum Mode { strict loose }
  input Node { maxDepth: Int! children: [Node!] mode: Mode = loose tag: String }
  type Query { ok(node: Node): Boolean }
`);

function inputType(text: string): GraphQLInputType {
  const type = typeFromAST(schema, parseType(text));
  if (!type || !isInputType(type)) throw new Error(`${text} is no input type`);
  return type;
}

function variable(name: string, type: string): VariableRow {
  return { name, type: inputType(type), defaultValue: undefined };
}

function binder(variables: VariableRow[], takesBody = true) {
  return compileBind({
    variables,
    pathParameters: [],
    takesBody,
    bodyVariable: undefined,
    control: false,
    names: new InputNames({}),
    foreignQuery: false,
    reservedQuery: [],
    chosenQuery: new Map(),
    choices: [],
  });
}

const name = fc.stringMatching(/^[a-z]{2,6}([A-Z][a-z]{1,5}){0,3}$/);

interface Tree {
  maxDepth: number;
  tag?: string;
  children?: Tree[];
}

const tree = fc.letrec<{ node: Tree }>((tie) => ({
  node: fc.record(
    {
      maxDepth: fc.integer({ min: -1000, max: 1000 }),
      tag: fc.string(),
      children: fc.array(tie('node'), { maxLength: 2, depthIdentifier: 'tree' }),
    },
    { requiredKeys: ['maxDepth'] },
  ),
})).node;

/** The wire form of a tree, each field in one of the two accepted spellings. */
function onWire(node: Tree, snake: boolean): Record<string, unknown> {
  const children = node.children?.map((child, index) => onWire(child, index % 2 === 0));
  const fields = { ...node, ...(children ? { children } : {}) };
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [snake ? snakeCase(key) : key, value]),
  );
}

function withDefaults(node: Tree): unknown {
  const children = node.children?.map(withDefaults);
  return { ...node, mode: 'loose', ...(children ? { children } : {}) };
}

describe('names', () => {
  it('go to the wire and back unchanged', () => {
    fc.assert(fc.property(name, (camel) => camelCase(snakeCase(camel)) === camel));
  });

  it('are recognised after one slip of the finger, and not when unrelated', () => {
    expect(nearestName('promt_key', ['prompt_key', 'owner_team'])).toBe('prompt_key');
    expect(nearestName('onwerTeam', ['prompt_key', 'owner_team'])).toBe('owner_team');
    expect(nearestName('zebra', ['prompt_key', 'owner_team'])).toBeUndefined();
  });

  it('are slips of another one by a letter in five, which other words are not', () => {
    const slips = [
      ['naem', 'name'],
      ['promptkey', 'prompt_key'],
      ['allowed_model', 'allowed_models'],
    ];
    const others = [
      ['region', 'reason'],
      ['zebra', 'name'],
      ['tag', 'tax'],
    ];
    for (const [name = '', other = ''] of slips) expect(isNear(name, other)).toBe(true);
    for (const [name = '', other = ''] of others) expect(isNear(name, other)).toBe(false);
  });
});

describe('the binder', () => {
  it('maps nested objects of either spelling to the fields of the type, at every depth', () => {
    const bind = binder([variable('node', 'Node!')]);
    fc.assert(
      fc.property(tree, fc.boolean(), (node, snake) => {
        const bound = bind({ path: {}, query: {}, body: { node: onWire(node, snake) } });
        expect(bound).toEqual({ variables: { node: withDefaults(node) }, ignored: [] });
      }),
    );
  });

  it('accepts or refuses whatever JSON it is given, and never fails otherwise', () => {
    const bind = binder([variable('node', 'Node!'), variable('when', '[Int!]')]);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (node, when) => {
        try {
          const body = JSON.parse(JSON.stringify({ node, when }));
          bind({ path: {}, query: {}, body });
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect((error as GatewayError).code).toBe('invalid_request');
          expect((error as GatewayError).details.faults?.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('reads from a query what it reads from a body', () => {
    const rows = [
      variable('count', 'Int'),
      variable('on', 'Boolean'),
      variable('modes', '[Mode!]'),
    ];
    const fromQuery = binder(rows, false);
    const fromBody = binder(rows);
    const modes = fc.array(fc.constantFrom('strict', 'loose'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), modes, (count, on, list) => {
        const query = { count: String(count), on: String(on), modes: list.join(',') };
        expect(fromQuery({ path: {}, query, body: undefined })).toEqual(
          fromBody({ path: {}, query: {}, body: { count, on, modes: list } }),
        );
      }),
    );
  });

  it('keeps null apart from absent', () => {
    const bind = binder([variable('count', 'Int'), variable('on', 'Boolean')]);
    expect(bind({ path: {}, query: {}, body: { count: null } }).variables).toEqual({ count: null });
  });

  it('names no more than 200 faults of a body that is nothing but faults', () => {
    const bind = binder([variable('list', '[Int!]')]);
    const list = Array.from({ length: 5000 }, () => 'x');
    let faults = 0;
    try {
      bind({ path: {}, query: {}, body: { list } });
    } catch (error) {
      faults = (error as GatewayError).details.faults?.length ?? 0;
    }
    expect(faults).toBe(200);
  });
});

describe('the parser', () => {
  it('returns what JSON.parse returns for every document without forbidden keys', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        fc.pre(!/__proto__|constructor|prototype/.test(text));
        expect(parseBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('finds a forbidden key at any depth and in any escape', () => {
    const key = fc.constantFrom(
      '"__proto__"',
      '"\\u005f_proto__"',
      '"constructor"',
      '"protot\\u0079pe"',
    );
    fc.assert(
      fc.property(key, fc.integer({ min: 0, max: 30 }), (forbidden, depth) => {
        const text = `${'{"a":['.repeat(depth)}{${forbidden}:1}${']}'.repeat(depth)}`;
        expect(() => parseBody(Buffer.from(text))).toThrow(GatewayError);
      }),
    );
  });
});
