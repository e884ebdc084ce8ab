import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What operators of the platform may change while gateways run. */
export const PROVIDER_CHANGES = vocabulary(
  'ProviderChangeKind',
  'What an operator has changed of the providers.',
  [
    { code: 'price_added', description: 'A dated price of a deployment was added.' },
    { code: 'provider_health_set', description: 'A provider was taken down or put up by hand.' },
    { code: 'deployment_health_set', description: 'The same for one of its deployments.' },
    { code: 'selection_set', description: 'How a deployment of a model is picked was changed.' },
    { code: 'weight_set', description: 'The share of a deployment in its model was changed.' },
    { code: 'limits_set', description: 'What a deployment may take was changed.' },
    {
      code: 'provider_declared',
      description: 'A provider was added, or another put in its place.',
    },
    {
      code: 'provider_withdrawn',
      description: 'A provider is what it was before it was declared.',
    },
  ],
);

/** One kind of change. */
export type ChangeKind = CodeOf<typeof PROVIDER_CHANGES>;

/** Bounds of what operators state. */
export const FLEET_BOUNDS = {
  reasonChars: 500,
  keyChars: 200,
  /** Changes that are in force at once; of one place only the latest is. */
  inForceMax: 5_000,
  /** Characters of the definition of a provider, as JSON. */
  definitionChars: 200_000,
  modelsMax: 200,
} as const;
