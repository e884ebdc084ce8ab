import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from '../graph/builder.js';
import { withOwnIds } from '../graph/id-type.js';
import '../graph/nodes.js';
import '../graph/rate-limit.js';
import { openModules } from '../graph/registration.js';
import './modules.js';

let opened: Promise<GraphQLSchema> | undefined;

/**
 * The one schema, built when it is first asked for; every module has added its types to it. Fields
 * stand in the order of their definition, which is the order of answers that select every field.
 */
export function openSchema(): Promise<GraphQLSchema> {
  opened ??= openModules().then(() => withOwnIds(builder.toSchema({ sortSchema: false })));
  return opened;
}

/** A schema as text, as it is committed and published. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
