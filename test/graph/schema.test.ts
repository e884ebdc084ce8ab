import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { printedSchema, schema } from '../../src/app/schema.js';
import { projectRoot } from '../../src/platform/database/project-root.js';

const read = (file: string) => readFileSync(join(projectRoot(), file), 'utf8');

/** The places of a type that lack a description. */
function undescribed(type: GraphQLNamedType): string[] {
  const own = type.description ? [] : [type.name];
  if (isEnumType(type)) {
    const values = type.getValues().filter((value) => !value.description);
    return [...own, ...values.map((value) => `${type.name}.${value.name}`)];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => !field.description);
    return [...own, ...fields.map((field) => `${type.name}.${field.name}`)];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return own;
  // Connections, edges and their members are the vocabulary of Relay, the same everywhere.
  if (/(Connection|Edge|PageInfo)$/.test(type.name)) return [];
  const places = Object.values(type.getFields()).flatMap((field) => {
    const name = `${type.name}.${field.name}`;
    const args = field.args.filter((arg) => !arg.description && !PAGING.has(arg.name));
    return [...(field.description ? [] : [name]), ...args.map((arg) => `${name}(${arg.name})`)];
  });
  return [...own, ...places];
}

const PAGING = new Set(['first', 'after', 'last', 'before']);
const RELAY = new Set([
  'Query.node',
  'Query.nodes',
  'Query.node(id)',
  'Query.nodes(ids)',
  'Node',
  'Node.id',
]);

describe('the schema', () => {
  it('stands in schema.graphql as it is built', () => {
    expect(printedSchema()).toBe(read('schema.graphql'));
  });

  it('describes every type, field, argument and enum value to customers', () => {
    const own = Object.values(schema.getTypeMap()).filter(
      (type) => !type.name.startsWith('__') && !['Boolean', 'Float', 'ID'].includes(type.name),
    );
    const missing = own.flatMap(undescribed).filter((place) => !RELAY.has(place));
    expect(missing).toEqual([]);
  });

  it('breaks no client of the published schema without a deprecation before', async () => {
    const published = buildSchema(read('test/graph/published.graphql'));
    const changes = await diff(published, schema);
    const breaking = changes
      .filter((change) => change.criticality.level === CriticalityLevel.Breaking)
      .filter((change) => !/deprecated/i.test(change.criticality.reason ?? ''))
      .map((change) => change.message);
    expect(breaking).toEqual([]);
  });
});
