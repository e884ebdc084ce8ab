import {
  CAPABILITIES,
  COST_TIERS,
  JURISDICTIONS,
  LATENCY_TIERS,
  PROVIDER_STATUSES,
  QUALITY_TIERS,
} from '../../../catalog/providers/vocabulary.js';
import {
  code,
  defaulting,
  type Field,
  fieldTable,
  flag,
  integer,
  list,
  optional,
  text,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { PROVENANCES } from '../../../kernel/provenance.js';
import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
import { USAGE_OPERATIONS } from '../../../money/billing/vocabulary.js';

/** What a row of the matrix stands for. */
const SUBJECTS = vocabulary('ModelCapabilitySubject', 'What capabilities are told of.', [
  { code: 'route', description: 'One model at one provider.' },
  { code: 'model', description: 'A model by the name that requests carry, over all its routes.' },
  { code: 'alias', description: 'A name for which the gateway chooses among callable models.' },
]);

type Capability = CodeOf<typeof CAPABILITIES>;
type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<B>}` : S;

/** The name of the flag of a capability. */
export function flagName<C extends Capability>(capability: C): Camel<C> {
  return capability.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<C>;
}

const FLAGS = Object.fromEntries(
  CAPABILITIES.rows.map((row) => [
    flagName(row.code),
    flag(`True where it can: ${row.description}`),
  ]),
) as { readonly [C in Capability as Camel<C>]: Field<boolean> };

/** What a route, a model or an alias can do, as the catalogue declares it. */
export const MODEL_CAPABILITY = fieldTable(
  'ModelCapabilities',
  'What a route, a model or an alias can do, as the catalogue declares it.',
  {
    id: text('The id of the route, `<provider>:<model>`, of the model, or of the alias.'),
    subject: code(SUBJECTS, 'What it is told of.'),
    model: text('The name to send in `model`.'),
    name: text('The name for people.'),
    provider: optional(text('The provider of the route; null for an alias.')),
    operation: code(USAGE_OPERATIONS, 'The operation that it serves.'),
    status: code(PROVIDER_STATUSES, 'Whether it can be called on this server now.'),
    statusReason: optional(text('What would make it callable; null where it is.')),
    simulated: flag('True where answers are made up.'),
    ...FLAGS,
    contextWindow: integer('Tokens of prompt and answer together; the widest, for an alias.'),
    maxOutputTokens: integer('The longest answer in tokens; 0 for embeddings.'),
    quality: optional(code(QUALITY_TIERS, 'How hard tasks may be; null for an alias.')),
    russianQuality: optional(code(QUALITY_TIERS, 'The same in Russian; null for an alias.')),
    latency: optional(code(LATENCY_TIERS, 'How fast it answers; null for an alias.')),
    costTier: optional(code(COST_TIERS, 'By the price in force; null without one.')),
    jurisdiction: optional(code(JURISDICTIONS, 'Where the data goes; null for an alias.')),
    routes: list(text('The id of a route.'), 'The routes that it is told of.'),
    provenance: code(PROVENANCES, 'Where flags and tiers come from: the catalogue declares them.'),
  },
);

/** What a route, a model or an alias can do. */
export type ModelCapability = ValuesOf<typeof MODEL_CAPABILITY.fields>;

/** What the matrix can be narrowed by. */
export const CAPABILITY_QUESTION = {
  capability: defaulting(
    list(code(CAPABILITIES, 'A capability.'), 'Only routes that have all of these.', {
      max: CAPABILITIES.codes.length,
    }),
    [],
  ),
  callable: optional(flag('Only routes that can be called now; or, with false, only the others.')),
} as const;
