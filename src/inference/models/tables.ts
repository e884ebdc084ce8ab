import { COST_TIERS, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  list,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { vocabulary } from '../../kernel/vocabulary.js';

/** When the catalogue was released; clients expect a number of each model. */
export const CATALOGUE_EPOCH_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

const KINDS = vocabulary('ModelListingKind', 'What a name in the list of models stands for.', [
  { code: 'model', description: 'A model of a provider.' },
  {
    code: 'alias',
    description: 'A name that stands for a model, or for a choice that the gateway makes.',
  },
]);

/** What the list says of a name. */
export const LISTING = fieldTable('ModelListing', 'A model or alias that a request may name.', {
  id: text('The name to send in `model`.'),
  object: text('Always `model`, as SDK clients expect.'),
  created: integer('When the catalogue was released, in seconds since 1970.'),
  ownedBy: text('Who operates the route; `gw` for gw:auto, `organization` for your own aliases.'),
  aliasOf: optional(text('What an alias of your organization stands for; null for others.')),
  kind: code(KINDS, 'Whether it is a model itself.'),
  capabilities: list(
    text('A capability.'),
    'What it can do; empty for aliases, whose models differ.',
  ),
  contextWindow: optional(integer('Tokens of prompt and answer together; null for aliases.')),
  jurisdiction: optional(
    code(JURISDICTIONS, 'Where the data goes; null for aliases, whose models differ.'),
  ),
  simulated: flag('True for the sandbox, whose answers are made up.'),
  costTier: optional(
    code(COST_TIERS, 'How much it costs by the price in force; null without one.'),
  ),
});
