import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import '../access/auth/access-table-schema.js';
import '../access/auth/references.js';
import '../access/auth/schema.js';
import '../access/budgets/references.js';
import '../access/budgets/schema.js';
import '../access/keys/schema.js';
import '../access/organization/schema.js';
import '../access/policies/references.js';
import '../access/policies/schema.js';
import '../actions/integrations/schema.js';
import '../actions/tools/references.js';
import '../actions/tools/schema.js';
import '../assurance/errors/schema.js';
import '../catalog/providers/schema.js';
import '../delivery/blueprints/deployment-schema.js';
import '../delivery/blueprints/own-schema.js';
import '../delivery/blueprints/reference-schema.js';
import '../delivery/blueprints/run-schema.js';
import '../delivery/blueprints/schema.js';
import '../delivery/blueprints/underway-schema.js';
import '../delivery/cockpit/references.js';
import '../delivery/cockpit/schema.js';
import '../delivery/migration/reference-schema.js';
import '../delivery/migration/schema.js';
import '../delivery/migration-import/references.js';
import '../delivery/migration-import/schema.js';
import '../growth/readiness/schema.js';
import '../inference/chat/schema.js';
import '../inference/chat/typed/schema.js';
import '../inference/embeddings/schema.js';
import '../inference/firewall/references.js';
import '../inference/models/schema.js';
import '../inference/policy-effect/schema.js';
import '../inference/stages/schema.js';
import '../money/billing/schema.js';
import '../money/billing/terms-schema.js';
import '../money/feeds/schema.js';
import '../prompts/context-policies/references.js';
import '../prompts/context-policies/schema.js';
import '../prompts/packages/diff/schema.js';
import '../prompts/packages/gate/schema.js';
import '../prompts/packages/reference-schema.js';
import '../prompts/packages/references.js';
import '../prompts/packages/schema.js';
import '../prompts/use/references.js';
import '../prompts/use/schema.js';
import '../records/approvals/references.js';
import '../records/approvals/schema.js';
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
