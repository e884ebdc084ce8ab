import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import '../access/auth/access-table-schema.js';
import '../access/auth/references.js';
import '../access/auth/schema.js';
import '../access/keys/schema.js';
import '../access/policies/references.js';
import '../access/policies/schema.js';
import '../assurance/errors/schema.js';
import '../catalog/providers/schema.js';
import '../growth/readiness/schema.js';
import '../inference/chat/schema.js';
import '../inference/embeddings/schema.js';
import '../inference/models/schema.js';
import '../inference/policy-effect/schema.js';
import '../inference/stages/schema.js';
import '../money/billing/schema.js';
import '../money/feeds/schema.js';
import '../records/approvals/references.js';
import '../records/receipts-schema.js';
import '../records/references-schema.js';
import '../records/schema.js';
import { builder } from '../graph/builder.js';
import '../graph/rate-limit.js';

/** The one schema; every module above has added its types to it. */
export const schema: GraphQLSchema = builder.toSchema({ sortSchema: true });

/** The schema as text, as it is committed and published. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
