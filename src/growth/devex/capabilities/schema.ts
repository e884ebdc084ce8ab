import { builder } from '../../../graph/builder.js';
import { argsOf, outputOf } from '../../../graph/table-types.js';
import { text } from '../../../kernel/fields/field.js';
import { modelCapabilities, modelCapability } from './service.js';
import { CAPABILITY_QUESTION, MODEL_CAPABILITY } from './tables.js';

const ID = { id: text('The id of a route, of a model, or gw:auto.', { max: 200 }) } as const;

builder.queryFields((t) => ({
  modelCapabilityMatrix: t.field({
    type: [outputOf(MODEL_CAPABILITY)],
    description: 'Every route of the catalogue, callable or not, with what it can do.',
    complexity: { field: 1, multiplier: 1 },
    args: argsOf(t, CAPABILITY_QUESTION),
    resolve: (_root, question, ctx) => modelCapabilities(ctx, question),
  }),
  modelCapabilities: t.field({
    type: outputOf(MODEL_CAPABILITY),
    description: 'What one route, model or alias can do.',
    args: argsOf(t, ID),
    resolve: (_root, { id }, ctx) => modelCapability(ctx, id),
  }),
}));
