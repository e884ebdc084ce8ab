import { COST_TIERS, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumOf } from '../../graph/table-types.js';
import { getModel, type ListedModel, listModels, tierOf } from './service.js';

/** When the catalogue was released; clients expect a number of each model. */
const CATALOGUE_EPOCH_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

const ListedKindEnum = builder.enumType('ModelListingKind', {
  description: 'What a name in the list of models stands for.',
  values: {
    model: { description: 'A model of a provider.' },
    alias: { description: 'A choice that the gateway makes among models for each request.' },
  } as const,
});

const ModelListing = builder.objectRef<ListedModel>('ModelListing').implement({
  description: 'A model or alias that a request may name.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The name to send in `model`.' }),
    object: t.string({
      description: 'Always `model`, as SDK clients expect.',
      resolve: () => 'model',
    }),
    created: t.int({
      description: 'When the catalogue was released, in seconds since 1970.',
      resolve: () => CATALOGUE_EPOCH_SECONDS,
    }),
    ownedBy: t.string({
      description: 'Who operates the route; `gw` for aliases.',
      resolve: (listed) => (listed.kind === 'model' ? listed.model.operator : 'gw'),
    }),
    kind: t.expose('kind', { type: ListedKindEnum, description: 'Whether it is a model itself.' }),
    capabilities: t.stringList({
      description: 'What it can do; empty for aliases, whose models differ.',
      resolve: (listed) => (listed.kind === 'model' ? [...listed.model.capabilities] : []),
    }),
    contextWindow: t.int({
      nullable: true,
      description: 'Tokens of prompt and answer together; null for aliases.',
      resolve: (listed) => (listed.kind === 'model' ? listed.model.contextWindow : null),
    }),
    jurisdiction: t.field({
      type: enumOf(JURISDICTIONS),
      nullable: true,
      description: 'Where the data goes; null for aliases, whose models differ.',
      resolve: (listed) => (listed.kind === 'model' ? listed.model.jurisdiction : null),
    }),
    costTier: t.field({
      type: enumOf(COST_TIERS),
      nullable: true,
      description: 'How much it costs by the price in force; null without one.',
      resolve: tierOf,
    }),
    simulated: t.boolean({
      description: 'True for the sandbox, whose answers are made up.',
      resolve: (listed) => listed.kind === 'model' && listed.model.simulated,
    }),
  }),
});

builder.queryFields((t) => ({
  models: t.field({
    type: [ModelListing],
    description: 'Models and aliases that the policy of the project allows.',
    authScopes: { can: 'models.read' },
    complexity: { field: 1, multiplier: 1 },
    resolve: (_root, _args, ctx) => listModels(authorized(ctx)),
  }),
  model: t.field({
    type: ModelListing,
    description: 'One model that the policy of the project allows.',
    authScopes: { can: 'models.read' },
    args: { id: t.arg.string({ required: true, description: 'Its name; may hold / and :.' }) },
    resolve: (_root, { id }, ctx) => getModel(authorized(ctx), id),
  }),
}));
