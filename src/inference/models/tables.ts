import { code, flag, integer, list, optional, text } from '../../kernel/fields/field.js';
import { vocabulary } from '../../kernel/vocabulary.js';

/** When the catalogue was released; clients expect a number of each model. */
export const CATALOGUE_EPOCH_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

const KINDS = vocabulary('ModelListingKind', 'What a name in the list of models stands for.', [
  { code: 'model', description: 'A model of a provider.' },
  { code: 'alias', description: 'A choice that the gateway makes among models for each request.' },
]);

/** What the list says of a name, besides what the catalogue has types for. */
export const LISTING = {
  id: text('The name to send in `model`.'),
  object: text('Always `model`, as SDK clients expect.'),
  created: integer('When the catalogue was released, in seconds since 1970.'),
  ownedBy: text('Who operates the route; `gw` for aliases.'),
  kind: code(KINDS, 'Whether it is a model itself.'),
  capabilities: list(
    text('A capability.'),
    'What it can do; empty for aliases, whose models differ.',
  ),
  contextWindow: optional(integer('Tokens of prompt and answer together; null for aliases.')),
  simulated: flag('True for the sandbox, whose answers are made up.'),
} as const;
