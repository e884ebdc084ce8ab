import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { outputOf } from '../../graph/table-types.js';
import { getModel, listModels } from './service.js';
import { LISTING } from './tables.js';

const ModelListing = outputOf(LISTING);

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
