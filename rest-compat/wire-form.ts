import { type FieldNode, type GraphQLSchema, getDirectiveValues } from 'graphql';

/** How the wire writes a field, where it is not as GraphQL has it. */
export interface WireForm {
  /** The value stands in place of its object. */
  readonly bare: boolean;
  /** What stands where the value is null; without `write` the field is left out. */
  readonly whenNull: { readonly write?: unknown } | undefined;
  /** The list is an object: the names of the members that are its keys and its values. */
  readonly byKey: { readonly key: string; readonly value: string } | undefined;
}

const PLAIN: WireForm = { bare: false, whenNull: undefined, byKey: undefined };

/** The form that the directives of a selected field give it. */
export function wireFormOf(schema: GraphQLSchema, node: FieldNode): WireForm {
  if (!node.directives || node.directives.length === 0) return PLAIN;
  const valuesOf = (name: string) => {
    const directive = schema.getDirective(name);
    return directive ? getDirectiveValues(directive, node) : undefined;
  };
  return {
    bare: valuesOf('bare') !== undefined,
    whenNull: valuesOf('whenNull'),
    byKey: valuesOf('byKey') as WireForm['byKey'],
  };
}

/** Whether two selections of one key are written alike, as one answer has to write them. */
export function isSameForm(one: WireForm, other: WireForm): boolean {
  return !one.bare && !other.bare && JSON.stringify(one) === JSON.stringify(other);
}
