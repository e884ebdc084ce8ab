import type { Sealable } from '../canonical.js';
import { asObject } from '../json.js';
import type { FieldTable, TableUnion } from './field.js';
import { wireName } from './names.js';
import { openedContent, type SealedContent } from './sealed.js';

/** Values of one of several tables, with the name of their type. */
export type OpenedKept = { readonly __typename: string; readonly [name: string]: unknown };

/**
 * What kept JSON says, by the first table that has all its members and lacks none that it needs.
 * @returns null for an object without members
 * @throws TypeError for what no table of the union has written
 */
export function openedKept({ name, tables, bare }: TableUnion, value: Sealable): OpenedKept | null {
  const content = asObject(value) as SealedContent | undefined;
  if (content && Object.keys(content).length === 0) return null;
  if (content) {
    const table = tables.find((each) => hasWritten(each, content));
    if (table) return { __typename: table.name, ...openedContent(table.fields, content) };
  }
  const [field] = Object.keys(bare?.fields ?? {});
  if (bare && field !== undefined && typeof value === 'string') {
    return { __typename: bare.name, [field]: value };
  }
  throw new TypeError(`no table of ${name} has written what was kept`);
}

function hasWritten({ fields }: FieldTable, content: SealedContent): boolean {
  const written = Object.entries(fields).map(([name, { optional }]) => {
    return { name: wireName(name), optional };
  });
  const names = new Set(written.map((each) => each.name));
  return (
    Object.keys(content).every((key) => names.has(key)) &&
    written.every((each) => each.optional || Object.hasOwn(content, each.name))
  );
}
