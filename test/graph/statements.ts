import {
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import pg from 'pg';
import { vi } from 'vitest';
import { documentOf, type RootField } from '../support/root-fields.js';

const TRIES = 5;

/**
 * Statements that the work sends to the database, counted where they are written to the wire. What
 * runs in the background would only add, so the least of some tries counts.
 * @throws Error for work that sends none: what is counted here would then say nothing
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const simple = vi.spyOn(pg.Connection.prototype, 'query');
    const prepared = vi.spyOn(pg.Connection.prototype, 'execute');
    await work();
    counts.push(simple.mock.calls.length + prepared.mock.calls.length);
    simple.mockRestore();
    prepared.mockRestore();
  }
  const least = Math.min(...counts);
  if (least === 0) throw new Error('the work has sent no statement');
  return least;
}

/** A document that reads a page of a list with everything that hangs on its items. */
export function wholePage(root: RootField, first: number) {
  const { query, variables } = documentOf(root, { first });
  const nodes = `nodes ${selection(itemOf(root.field.type), 2)}`;
  return { query: query.replace('{ __typename }', `{ ${nodes} }`), variables };
}

/** True for a list that is read page by page. */
export function isPaged({ field }: RootField): boolean {
  return getNamedType(field.type).name.endsWith('Connection');
}

function itemOf(type: GraphQLOutputType): GraphQLOutputType {
  const connection = getNamedType(type);
  const nodes = isObjectType(connection) ? connection.getFields().nodes : undefined;
  return getNamedType(nodes?.type ?? type);
}

function selection(type: GraphQLOutputType, levels: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return '{ __typename }';
  const fields = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some((arg) => isNonNullType(arg.type))) return [];
    if (isLeafType(getNamedType(field.type))) return [field.name];
    if (levels === 0) return [];
    const paged = getNamedType(field.type).name.endsWith('Connection');
    if (!paged) return [`${field.name} ${selection(field.type, levels - 1)}`];
    return [`${field.name}(first: 2) { nodes ${selection(itemOf(field.type), levels - 1)} }`];
  });
  return `{ ${fields.join(' ') || '__typename'} }`;
}
