import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  parse,
  print,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { openSchema } from '../../src/app/schema.js';
import { costOf } from '../../src/graph/cost.js';
import type { Ctx } from '../../src/graph/ctx.js';
import { COMPLEXITY_MAX, PAGE_MAX } from '../../src/graph/limits.js';

const schema = await openSchema();

type Field = GraphQLField<unknown, unknown>;

const isConnection = ({ type }: Field) => getNamedType(type).name.endsWith('Connection');

/**
 * The selection of all that a type has: what its REST row shows of it. Lists with pages of their
 * own are asked for beside it, and a type within itself has no end.
 */
function everything(type: GraphQLNamedType, open: readonly GraphQLNamedType[]): string {
  if (isLeafType(type)) return '';
  if (isUnionType(type)) {
    const parts = type.getTypes().map((each) => `... on ${each.name} ${everything(each, open)}`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!isObjectType(type)) return '{ __typename }';
  const fields = Object.values(type.getFields()).filter((field) => {
    const named = getNamedType(field.type);
    return !(isConnection(field) || field.args.some(isRequiredArgument) || open.includes(named));
  });
  const within = [...open, type];
  const told = fields.map((field) => {
    const named = getNamedType(field.type);
    return `${type.name}${field.name}: ${field.name} ${everything(named, within)}`;
  });
  return `{ __typename ${told.join(' ')} }`;
}

const LISTS = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
  (field) => isConnection(field) && !field.args.some(isRequiredArgument),
);

/** A document that asks for a page of a list with all that its items have. */
function pageOf(field: Field, first: number): string {
  const connection = getNamedType(field.type);
  const nodes = isObjectType(connection) ? connection.getFields().nodes : undefined;
  if (!nodes) throw new Error(`${field.name} has no nodes`);
  return `{ ${field.name}(first: ${first}) { nodes ${everything(getNamedType(nodes.type), [])} } }`;
}

describe('a list', () => {
  it('costs no more than is allowed with its largest page and every field of its items', () => {
    expect(LISTS.length).toBeGreaterThan(50);
    const costs = LISTS.map((field) => {
      const document = parse(pageOf(field, PAGE_MAX));
      expect([field.name, validate(schema, document)]).toEqual([field.name, []]);
      const { points } = costOf(schema, document, undefined, {}, {} as Ctx);
      return { list: field.name, points, document };
    });
    const refused = costs.filter(({ points }) => points > COMPLEXITY_MAX);
    expect(refused.map(({ list, points }) => `${list}: ${points}`)).toEqual([]);
    expect(costs.every(({ points }) => points >= PAGE_MAX)).toBe(true);
  });

  it('within a list still multiplies, so that pages of pages are refused', () => {
    const document = parse(
      `{ prompts(first: ${PAGE_MAX}) { nodes { versions(first: ${PAGE_MAX}) { nodes { id } } } } }`,
    );
    expect([print(document).length > 0, validate(schema, document)]).toEqual([true, []]);
    const { points } = costOf(schema, document, undefined, {}, {} as Ctx);
    expect(points).toBeGreaterThan(COMPLEXITY_MAX);
  });
});
