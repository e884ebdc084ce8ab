import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { argsOf, inputOf, outputOf } from '../../graph/table-types.js';
import { code, integer, json, text } from '../../kernel/fields/field.js';
import { HEALTH_OVERRIDES, SELECTIONS, TRAFFIC_BOUNDS } from '../providers/vocabulary.js';
import {
  addPrice,
  changesInForce,
  declareProvider,
  setHealth,
  setLimits,
  setSelection,
  setWeight,
  withdrawProvider,
} from './service.js';
import { DEPLOYMENT_KEY, LIMITS_INPUT, PRICE_INPUT, PROVIDER_CHANGE, REASON } from './tables.js';

const FOR_OPERATORS = 'For administrators of the platform alone.';
const PROVIDER_ID = { id: text('The id of the provider.') };
const OVERRIDE = { override: code(HEALTH_OVERRIDES, 'What holds from the next request on.') };
const WEIGHT = integer(`From 0, which is asked last, to ${TRAFFIC_BOUNDS.weightMax}.`);
const MODEL_SELECTION = {
  model: text('The public id of the model.'),
  selection: code(SELECTIONS, 'How one of its deployments is picked.'),
};
const DEFINITION = json(
  'The provider in the words of the providers file. Its key is the name of a variable that ' +
    'begins with PROVIDER_; its address is https and public, or of a host that the server allows.',
);

builder.queryField('providerChanges', (t) =>
  t.field({
    type: [outputOf(PROVIDER_CHANGE)],
    description: `What operators have changed and is in force, latest first. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    resolve: (_root, _args, ctx) => changesInForce(authorized(ctx)),
  }),
);

builder.mutationFields((t) => ({
  deploymentPriceAdd: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Adds a dated price; rows that are there stay as they are. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: {
      ...argsOf(t, { ...DEPLOYMENT_KEY, ...REASON }),
      input: t.arg({
        type: inputOf(PRICE_INPUT),
        required: true,
        description: 'The price that is added.',
      }),
    },
    resolve: (_root, { key, input, reason }, ctx) => addPrice(authorized(ctx), key, input, reason),
  }),
  deploymentLimitsSet: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Sets what a deployment may take, over all nodes. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: {
      ...argsOf(t, { ...DEPLOYMENT_KEY, ...REASON }),
      input: t.arg({
        type: inputOf(LIMITS_INPUT),
        required: true,
        description: 'What it may take.',
      }),
    },
    resolve: (_root, { key, input, reason }, ctx) => setLimits(authorized(ctx), key, input, reason),
  }),
  deploymentWeightSet: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Sets the share of a deployment among those of its model. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { ...DEPLOYMENT_KEY, weight: WEIGHT, ...REASON }),
    resolve: (_root, { key, weight, reason }, ctx) =>
      setWeight(authorized(ctx), key, weight, reason),
  }),
  deploymentHealthSet: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Says whether a deployment is called whatever its breaker says. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { ...DEPLOYMENT_KEY, ...OVERRIDE, ...REASON }),
    resolve: (_root, { key, ...order }, ctx) =>
      setHealth(authorized(ctx), 'deployment', key, order),
  }),
  providerHealthSet: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Says the same of a whole provider; down goes before up. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { ...PROVIDER_ID, ...OVERRIDE, ...REASON }),
    resolve: (_root, { id, ...order }, ctx) => setHealth(authorized(ctx), 'provider', id, order),
  }),
  modelSelectionSet: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Sets how a deployment of a public model is picked. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { ...MODEL_SELECTION, ...REASON }),
    resolve: (_root, { model, selection, reason }, ctx) =>
      setSelection(authorized(ctx), model, selection, reason),
  }),
  providerDeclare: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Adds a provider, or puts it in the place of another of its id. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { definition: DEFINITION, ...REASON }),
    resolve: (_root, { definition, reason }, ctx) =>
      declareProvider(authorized(ctx), definition, reason),
  }),
  providerWithdraw: t.field({
    type: outputOf(PROVIDER_CHANGE),
    description: `Takes a declaration back; what the file says holds again. ${FOR_OPERATORS}`,
    authScopes: { can: 'profile.read' },
    args: argsOf(t, { ...PROVIDER_ID, ...REASON }),
    resolve: (_root, { id, reason }, ctx) => withdrawProvider(authorized(ctx), id, reason),
  }),
}));
