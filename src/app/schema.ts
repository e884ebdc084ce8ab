import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from '../graph/builder.js';
import { withOwnIds } from '../graph/id-type.js';
import '../graph/nodes.js';
import '../graph/rate-limit.js';
import { openModules } from '../graph/registration.js';
import './modules.js';

await openModules();

/**
 * The one schema; every module has added its types to it. Fields stand in the order of their
 * definition, which is the order of answers that select every field.
 */
export const schema: GraphQLSchema = withOwnIds(builder.toSchema({ sortSchema: false }));

/** The schema as text, as it is committed and published. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
