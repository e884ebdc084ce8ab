import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  buildSchema,
  getNamedType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { openSchema, printedSchema } from '../../src/app/schema.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { descriptionsOf } from './descriptions.js';

const schema = await openSchema();

const read = (file: string) => readFileSync(join(projectRoot(), file), 'utf8');

const PAGING = new Set(['first', 'after', 'last', 'before']);
describe('the schema', () => {
  it('stands in schema.graphql as it is built', () => {
    expect(printedSchema(schema)).toBe(read('schema.graphql'));
  });

  it('says of every type, field, argument and enum value something in a sentence', () => {
    const terse = descriptionsOf(schema)
      .filter(({ text }) => text.length < 15 || text.trim().split(/\s+/).length < 3)
      .map(({ place }) => place);
    expect(terse).toEqual([]);
  });

  it('has one connection and one edge for each type of items, whichever list returns them', () => {
    const named = (suffix: string) =>
      Object.values(schema.getTypeMap())
        .filter(isObjectType)
        .filter(({ name }) => name.endsWith(suffix));
    for (const edge of named('Edge')) {
      const item = getNamedType(edge.getFields().node?.type);
      expect(edge.name).toBe(`${item?.name}Edge`);
    }
    for (const connection of named('Connection')) {
      const { nodes, edges } = connection.getFields();
      const item = getNamedType(nodes?.type);
      expect(connection.name).toBe(`${item?.name}Connection`);
      expect(getNamedType(edges?.type)?.name).toBe(`${item?.name}Edge`);
    }
  });

  it('takes the arguments of a list in pairs: forwards always, backwards only where it can', () => {
    const lists = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()))
      .filter((field) => getNamedType(field.type).name.endsWith('Connection'));
    const directions = lists.map((field) =>
      field.args
        .map(({ name }) => name)
        .filter((name) => PAGING.has(name))
        .sort()
        .join(' '),
    );
    expect(lists.length).toBeGreaterThan(0);
    expect([...new Set(directions)].sort()).toEqual(['after before first last', 'after first']);
  });

  it('says of every scalar of its own where its values are specified', () => {
    const own = Object.values(schema.getTypeMap())
      .filter(isScalarType)
      .filter((type) => !isSpecifiedScalarType(type));
    expect(own.length).toBeGreaterThan(0);
    for (const { name, specifiedByURL } of own) {
      expect(specifiedByURL, name).toMatch(/^https:\/\/[a-z0-9.-]+\//);
    }
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
