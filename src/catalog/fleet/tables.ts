import {
  bigInteger,
  code,
  day,
  defaulting,
  fieldTable,
  instant,
  integer,
  json,
  money,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { TRAFFIC_BOUNDS, VAT_BASES } from '../providers/vocabulary.js';
import { FLEET_BOUNDS, PROVIDER_CHANGES } from './vocabulary.js';

/** A change that an operator has made. */
export const PROVIDER_CHANGE = fieldTable(
  'ProviderChange',
  'What an operator of the platform has changed while gateways run; in force on every node.',
  {
    version: bigInteger('Its number; the registry has the number of the last one in force.'),
    kind: code(PROVIDER_CHANGES, 'What was changed.'),
    subject: text('The provider or model by its id, or the deployment by its key.'),
    body: json('What holds now, in the words of the providers file.'),
    reason: text('Why, as the operator says.'),
    setBy: uuid('The member who changed it.'),
    createdAt: instant('When it was changed.'),
  },
);

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
