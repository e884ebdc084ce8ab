import { CostTier, Jurisdiction } from '../../catalog/providers/schema.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { shownFields } from '../../graph/table-types.js';
import { getModel, type ListedModel, listModels } from './service.js';
import { LISTING } from './tables.js';

const ModelListing = builder.objectRef<ListedModel>('ModelListing').implement({
  description: 'A model or alias that a request may name.',
  fields: (t) => ({
    ...shownFields(t, LISTING, (listed) => listed),
    jurisdiction: t.expose('jurisdiction', {
      type: Jurisdiction,
      nullable: true,
      description: 'Where the data goes; null for aliases, whose models differ.',
    }),
    costTier: t.expose('costTier', {
      type: CostTier,
      nullable: true,
      description: 'How much it costs by the price in force; null without one.',
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
