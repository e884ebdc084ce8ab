import { fileURLToPath } from 'node:url';
import { buildSchema, type GraphQLSchema, Kind, parse, print, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { withEveryField } from '../../rest-compat/every-field.js';
import { withDirectives } from '../../rest-compat/rest-directive.js';

const SDL = `
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Cost { totalRub: Int }
  type Step { stepName: String! p95LatencyMs: Int cost: Cost plan: Plan! }
  type Plan { id: ID! planKey: String! cost: Cost }
  type Deep { id: ID! steps: [Step!]! }
  type Prompt {
    promptKey: String!
    latest: Plan
    parent: Prompt
    versions(first: Int): PlanConnection!
    text(language: String!): String!
    owner: Owner!
  }
  type PlanConnection { nodes: [Plan!]! edges: [Plan!]! pageInfo: PageInfo! totalCount: Int! }
  interface Named { name: String! }
  type User implements Named { name: String! email: String! }
  union Owner = User | Cost
  type Query { plan: Plan plans: PlanConnection! deep: Deep prompt: Prompt named: Named count: Int }
`;

const REST = fileURLToPath(new URL('../../rest-compat/rest.graphql', import.meta.url));
const made = withDirectives(buildSchema(SDL), REST);

/** The selection of a query as it is executed, on one line. */
function expanded(text: string, schema: GraphQLSchema = made.schema): string {
  const document = parse(text);
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  const plan = { schema, directive: made.all, fragments };
  const definitions = document.definitions.map((definition) => {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      return withEveryField(definition, schema.getQueryType() ?? undefined, plan);
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return definition;
    return withEveryField(definition, schema.getType(definition.typeCondition.name.value), plan);
  });
  const complete = { ...document, definitions };
  expect(validate(schema, complete)).toEqual([]);
  return print(complete).replace(/\s+/g, ' ').trim();
}

describe('@all', () => {
  it.each([
    [
      'selects every field under its wire name, down to the leaves',
      '{ plan @all }',
      '{ plan { id plan_key: planKey cost { total_rub: totalRub } } }',
    ],
    [
      'selects the nodes of a connection',
      '{ plans @all }',
      '{ plans { nodes { id plan_key: planKey cost { total_rub: totalRub } } } }',
    ],
    [
      'leaves beside the nodes what is written',
      '{ plans @all { total: totalCount } }',
      '{ plans { nodes { id plan_key: planKey cost { total_rub: totalRub } } total: totalCount } }',
    ],
    [
      'may stand at the nodes',
      '{ plans { nodes @all { cost { total_rub: totalRub } } } }',
      '{ plans { nodes { id plan_key: planKey cost { total_rub: totalRub } } } }',
    ],
    [
      'gives way to what is written, under whatever name',
      '{ plan @all { key: planKey } }',
      '{ plan { id cost { total_rub: totalRub } key: planKey } }',
    ],
    [
      'leaves out what is excepted',
      '{ plan @all(except: ["cost"]) }',
      '{ plan { id plan_key: planKey } }',
    ],
    [
      'calls a field of the type as the row does, at its place',
      '{ plan @all(rename: { planKey: "key" }) }',
      '{ plan { id key: planKey cost { total_rub: totalRub } } }',
    ],
    [
      'stands below what is written',
      '{ deep { steps @all(except: ["plan"]) } }',
      '{ deep { steps { step_name: stepName p95_latency_ms: p95LatencyMs ' +
        'cost { total_rub: totalRub } } } }',
    ],
    [
      'gives way to fragments and stands in them',
      '{ plan @all { ...Keys } } fragment Keys on Plan { key: planKey cost @all }',
      '{ plan { id ...Keys } } fragment Keys on Plan { key: planKey cost { total_rub: totalRub } }',
    ],
  ])('%s', (_, written, selection) => {
    expect(expanded(written)).toBe(selection);
  });

  const STOP = 'write what is wanted of it, or except it from @all';
  it.each([
    ['a type that comes back', '{ prompt @all }', `Prompt.parent leads to Prompt again: ${STOP}`],
    [
      'a required argument',
      '{ prompt @all { parent { owner { __typename } } latest @all versions { totalCount } } }',
      `Prompt.text needs the argument "language": ${STOP}`,
    ],
    [
      'a connection below',
      '{ prompt @all(except: ["parent"]) }',
      `Prompt.versions is a list with pages of its own: ${STOP}`,
    ],
    [
      'a union',
      '{ prompt @all(except: ["parent", "versions", "text"]) }',
      `Prompt.owner is of several types: ${STOP}`,
    ],
    ['an interface', '{ named @all }', '@all needs an object: Named is of several types'],
    ['a leaf', '{ count @all }', '@all needs an object: Int has no fields'],
    [
      'a field to except that is not there',
      '{ plan @all(except: ["price"]) }',
      'Plan has no field "price" to except',
    ],
    [
      'a field to rename that is not there',
      '{ plan @all(rename: { price: "cost" }) }',
      'Plan has no field "price" to rename',
    ],
  ])('stops at %s', (_, written, message) => {
    expect(() => expanded(written)).toThrow(message);
  });

  it('names the line of the field that it stands at', () => {
    try {
      expanded('{\n  plan { id }\n  prompt @all\n}');
    } catch (error) {
      expect((error as { locations?: unknown }).locations).toEqual([{ line: 3, column: 3 }]);
      return;
    }
    expect.unreachable();
  });
});
