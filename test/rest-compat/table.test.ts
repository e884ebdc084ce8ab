import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hashOfRows, readRouteFiles } from '../../rest-compat/route-file.js';
import type { RestTable } from '../../rest-compat/row.js';
import { loadTable, type TableOptions } from '../../rest-compat/table.js';
import { toySchema } from './toy/schema.js';
import { newCalls, REST, TOY_ROUTES, toyTable } from './toy/server.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** What loading a single file of rows complains about. */
function complaint(text: string, options: Partial<TableOptions> = {}): string {
  const routesDirectory = mkdtempSync(join(tmpdir(), 'routes-'));
  folders.push(routesDirectory);
  writeFileSync(join(routesDirectory, 'wrong.graphql'), text);
  try {
    const schema = toySchema([], newCalls());
    loadTable({ schema, directory: REST, routesDirectory, ...options });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const AT = 'Wrong REST rows:\nrest-compat/routes/wrong.graphql';

describe('a table of rows', () => {
  it('takes rows for valid that were proven, and only as long as their text is the same', () => {
    const text = '# A.\nquery A($x: Int) @rest(method: GET, path: "/a") { metrics }';
    const file = 'rest-compat/routes/wrong.graphql';
    const proven = createHash('sha256').update(`${file}\0${text}\0`).digest('hex');
    const unused = 'Variable "$x" is never used in operation "A".';
    expect(complaint(text)).toContain(unused);
    expect(complaint(text, { proven })).not.toContain(unused);
    expect(complaint(`${text}\n`, { proven })).toContain(unused);
  });

  it('has the same rows where it takes them for valid as where it validates them', () => {
    const schema = toySchema([], newCalls());
    const options = { schema, directory: REST, routesDirectory: TOY_ROUTES };
    const proven = hashOfRows(readRouteFiles(TOY_ROUTES, () => {}));
    const told = (table: RestTable) =>
      table.rows.map(({ bind, run, subscribe, contract, variables, shape, ...row }) => ({
        contract,
        names: [row.name, row.location, row.summary, row.description, ...row.rootFields],
        places: [row.pathParameters, row.condition, row.uses.length],
        shape: shape.kind,
        variables: variables.map(({ name, type }) => `${name}: ${type}`),
        isWhole: [bind, run, subscribe].every((each) => typeof each === 'function'),
      }));
    const validated = told(loadTable(options));
    expect(validated.length).toBeGreaterThan(10);
    expect(told(loadTable({ ...options, proven }))).toEqual(validated);
  });

  it('knows each row by name, summary, description and place', () => {
    const row = toyTable().rows.find((candidate) => candidate.name === 'GetThing');
    expect(row).toMatchObject({
      summary: 'Shows one thing.',
      description: 'Ids may hold slashes.',
      module: 'things',
      location: 'rest-compat/routes/things.graphql:25',
      pathParameters: ['id'],
    });
  });

  it.each([
    ['text that does not parse', '\nquery {', `${AT}:2: Syntax Error: Expected Name, found <EOF>.`],
    [
      'an unknown field',
      '\n# A.\nquery A @rest(method: GET, path: "/a") {\n  zebra\n}',
      `${AT}:4: Cannot query field "zebra" on type "Query".`,
    ],
    [
      'an unknown argument of the directive',
      '# A.\nquery A @rest(method: GET, path: "/a", speed: 1) { metrics }',
      `${AT}:2: Unknown argument "speed" on directive "@rest".`,
    ],
    ['no directive', '# A.\nquery A { metrics }', `${AT}:2: the operation needs @rest`],
    [
      'no comment',
      'query A @rest(method: GET, path: "/a") { metrics }',
      `${AT}:1: A needs a # comment directly above it`,
    ],
    [
      'a path parameter without a variable',
      '# A.\nquery A @rest(method: GET, path: "/a/{id}") { metrics }',
      `${AT}:2: the path has {id} and the operation no $id`,
    ],
    [
      'a GET that changes something',
      '# A.\nmutation A($input: JSON!) @rest(method: GET, path: "/a", example: {input: 1}) ' +
        '{ echo(input: $input) }',
      `${AT}:2: GET must not be a mutation`,
    ],
    [
      'a required field without an example',
      '# A.\nmutation A($name: String!) @rest(method: POST, path: "/a") ' +
        '{ thingCreate(input: {name: $name}) { id } }',
      `${AT}:2: the row needs an example: \`name\` is required.`,
    ],
    [
      'an example that misses the variables',
      '# A.\nquery A @rest(method: GET, path: "/a", example: {b: 1}) { metrics }',
      `${AT}:2: the example: \`b\` is not a query parameter of this operation. It takes none.`,
    ],
    [
      'a table without a list',
      '# A.\nquery A @rest(method: GET, path: "/a", codec: CSV) { metrics }',
      `${AT}:2: codec CSV needs a list at the root`,
    ],
    [
      'a selection without an end',
      '# A.\nquery A @rest(method: GET, path: "/a") {\n  metrics @all\n}',
      `${AT}:3: @all needs an object: String has no fields`,
    ],
    [
      'an unknown argument of @all',
      '# A.\nquery A @rest(method: GET, path: "/a") { things @all(but: ["id"]) }',
      `${AT}:2: Unknown argument "but" on directive "@all".`,
    ],
    [
      'a name for a field that the body lacks',
      '# A.\nmutation A($input: ThingInput!) @rest(method: POST, path: "/a", body: "input", ' +
        'rename: { naem: "title" }, example: { name: "x" }) { thingCreate(input: $input) @all }',
      `${AT}:2: rename.naem: ThingInput has no field naem`,
    ],
    [
      'names without a body',
      '# A.\nquery A @rest(method: GET, path: "/a", rename: { a: "b" }) { metrics }',
      `${AT}:2: rename needs the body variable`,
    ],
    [
      'a control over a body that nothing is known of',
      '# A.\nmutation A($input: JSON!) @rest(method: POST, path: "/a", body: "input", ' +
        'control: true, example: {}) { echo(input: $input) }',
      `${AT}:2: control cannot be kept: nothing is known of what $input holds`,
    ],
    [
      'rows of one path that look at credentials differently',
      '# A.\nquery A @rest(method: GET, path: "/a") { metrics }\n' +
        '# B.\nquery B @rest(method: GET, path: "/a", when: "x=1", credential: HELD) { metrics }',
      `${AT}:4: credential must equal that of rest-compat/routes/wrong.graphql:2`,
    ],
    [
      'two rows for one path',
      '# A.\nquery A @rest(method: GET, path: "/a") { metrics }\n' +
        '# B.\nquery B @rest(method: GET, path: "/a") { metrics }',
      `${AT}:4: GET /a is taken by rest-compat/routes/wrong.graphql:2`,
    ],
    [
      'a path whose every row has a condition',
      '# A.\nquery A @rest(method: GET, path: "/a", when: "x=1") { metrics }',
      `${AT}:2: GET /a needs one row without \`when\``,
    ],
  ])('stops at %s with file and line', (_, text, message) => {
    expect(complaint(text)).toBe(message);
  });

  it('stops at an alias that fits no input object', () => {
    const schema = toySchema([], newCalls());
    const aliases = { ThingInput: { names: { title: 'heading' } } };
    expect(() =>
      loadTable({ schema, directory: REST, routesDirectory: TOY_ROUTES, aliases }),
    ).toThrow('Wrong REST rows:\nthe alias title of ThingInput cannot mean heading');
  });

  it('stops where a row and the schema disagree about access', () => {
    const text = '# A.\nquery A @rest(method: GET, path: "/a", auth: P) { metrics }';
    expect(complaint(text, { authOf: () => 'B' })).toBe(
      `${AT}:2: Query.metrics has access B, the row says P`,
    );
    expect(complaint(text, { authOf: () => 'P' })).toBe('');
  });
});
