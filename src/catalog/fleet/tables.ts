import {
  bigInteger,
  code,
  day,
  defaulting,
  fieldTable,
  instant,
  integer,
  json,
  kept,
  money,
  optional,
  tableUnion,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import {
  HEALTH_OVERRIDES,
  SELECTIONS,
  TRAFFIC_BOUNDS,
  VAT_BASES,
} from '../providers/vocabulary.js';
import { FLEET_BOUNDS, PROVIDER_CHANGES } from './vocabulary.js';

const micro = (description: string) => money(description, { min: 0n });

/** A dated price of a deployment. */
export const PRICE_INPUT = fieldTable(
  'DeploymentPriceInput',
  'A dated price of a deployment, for a million tokens of each part of usage.',
  {
    effectiveFrom: day('The first day in force, in Moscow time; today or later.'),
    inputMicro: micro('The price of prompt tokens that are read anew.'),
    inputCachedMicro: optional(micro('From a cache; as input unless stated.')),
    cacheWriteMicro: optional(micro('Written to a cache; as input unless stated.')),
    outputMicro: optional(micro('The price of answers; needed for a chat model.')),
    outputReasoningMicro: optional(micro('Of reasoning; as answers unless stated.')),
    vatBasis: defaulting(code(VAT_BASES, 'Whether VAT is inside the figures.'), 'included'),
  },
);

const { requestsPerMinuteMax, tokensPerMinuteMax, concurrentMax } = TRAFFIC_BOUNDS;

/** What a provider lets a deployment take. */
export const LIMITS_INPUT = fieldTable(
  'DeploymentLimitsInput',
  'What a provider lets a deployment take, over all nodes; what is left out is not limited.',
  {
    requestsPerMinute: optional(
      integer('Requests in any sixty seconds.', { min: 1, max: requestsPerMinuteMax }),
    ),
    tokensPerMinute: optional(
      integer('Tokens in any sixty seconds, prompt and answer.', {
        min: 1,
        max: tokensPerMinuteMax,
      }),
    ),
    concurrentRequests: optional(
      integer('Requests under way at once, streams included.', { min: 1, max: concurrentMax }),
    ),
  },
);

const CHANGE_BODY = tableUnion(
  'ProviderChangeBody',
  'What holds by a change of the providers; which type it is follows from the kind of the change.',
  [
    fieldTable('DeploymentPrice', PRICE_INPUT.description, PRICE_INPUT.fields),
    fieldTable('DeploymentLimits', LIMITS_INPUT.description, LIMITS_INPUT.fields),
    fieldTable('DeploymentWeight', 'The share of a deployment among those of its model.', {
      weight: integer(`From 0, which is asked last, to ${TRAFFIC_BOUNDS.weightMax}.`),
    }),
    fieldTable('ProviderHealth', 'What an operator says of a provider or a deployment.', {
      override: code(HEALTH_OVERRIDES, 'Whether it is called whatever its breaker says.'),
    }),
    fieldTable('ModelSelectionChoice', 'How one of the deployments of a model is picked.', {
      selection: code(SELECTIONS, 'How one of them is picked.'),
    }),
    fieldTable('ProviderDeclaration', 'A provider that an operator has declared.', {
      definition: json(
        'The document that the operator gave, as it was given: it can be declared again, and its ' +
          'hash in the audit trail is over exactly this.',
      ),
    }),
  ],
);

/** A change that an operator has made. */
export const PROVIDER_CHANGE = fieldTable(
  'ProviderChange',
  'What an operator of the platform has changed while gateways run; in force on every node.',
  {
    version: bigInteger('Its number; the registry has the number of the last one in force.'),
    kind: code(PROVIDER_CHANGES, 'What was changed.'),
    subject: text('The provider or model by its id, or the deployment by its key.'),
    body: optional(
      kept<unknown>(CHANGE_BODY, 'What holds now; null where it lifts what held before.'),
    ),
    reason: text('Why, as the operator says.'),
    setBy: uuid('The member who changed it.'),
    createdAt: instant('When it was changed.'),
  },
);

const { reasonChars, keyChars } = FLEET_BOUNDS;

/** What every change is told with. */
export const REASON = { reason: text(`Why, 1 to ${reasonChars} characters.`) };

/** What names a deployment. */
export const DEPLOYMENT_KEY = {
  key: text('The key of the deployment: its provider, a colon, its public model.', {
    min: 1,
    max: keyChars,
  }),
};
