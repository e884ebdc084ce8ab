import { HEALTH_OVERRIDES, JURISDICTIONS, SELECTIONS } from '../../catalog/providers/vocabulary.js';
import {
  code,
  fieldTable,
  flag,
  integer,
  number,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import { ASIDE_REASONS, BREAKER_STATES } from './vocabulary.js';

const LIMIT_USE = fieldTable('DeploymentLimitUse', 'A limit and what is used of it.', {
  limit: integer('What the deployment may take.'),
  used: integer('What it has taken in the last minute, or has under way.'),
});

/** What operators alone see of a deployment. */
export const OPERATOR_VIEW = fieldTable(
  'DeploymentOperatorView',
  'What administrators of the platform see of a deployment.',
  {
    origin: text('Scheme, host and port; empty for the sandbox.'),
    upstreamName: text('The name that the provider knows the model by.'),
    reason: text('Why its health was set by hand; empty where it was not.'),
    calls: integer('Calls that this node has made since it started.'),
    failures: integer('Those that failed by the fault of the provider.'),
  },
);

/** A deployment as it stands on this node. */
export const DEPLOYMENT = fieldTable(
  'Deployment',
  'A model at a provider that can be called, as it stands on the node that answers.',
  {
    key: text('Its provider, a colon, its public model.'),
    provider: text('The id of the provider.'),
    model: text('The public id of the model.'),
    jurisdiction: code(JURISDICTIONS, 'Where the route takes the data.'),
    simulated: flag('True when answers are made up.'),
    breaker: code(BREAKER_STATES, 'Whether its circuit breaker lets calls in.'),
    aside: optional(code(ASIDE_REASONS, 'Why it is asked last; null when it is not.')),
    override: code(HEALTH_OVERRIDES, 'What an operator says of its health.'),
    selection: code(SELECTIONS, 'How one of the deployments of its model is picked.'),
    weight: integer('Its share among them.'),
    inFlight: integer('Calls under way from this node, streams to their end.'),
    streamP50Ms: optional(number('Median time to the first content of its last 50 streams.')),
    wholeP50Ms: optional(number('Median time of its last 50 whole answers.')),
    requests: optional(object(LIMIT_USE, 'Requests a minute; null where not limited.')),
    tokens: optional(object(LIMIT_USE, 'Tokens a minute; null where not limited.')),
    concurrent: optional(object(LIMIT_USE, 'Requests at once; null where not limited.')),
    operatorView: optional(object(OPERATOR_VIEW, 'For administrators of the platform; else null.')),
  },
);

/** How a deployment answered a probe. */
export const PROBE = fieldTable(
  'DeploymentProbe',
  'How a deployment answered one small real request. It is billed to nobody.',
  {
    key: text('The deployment that was asked.'),
    simulated: flag('True for the sandbox, whose answer proves nothing about a provider.'),
    answered: flag('Whether it answered, and in the form of the wire.'),
    status: optional(integer('The status of the provider; null when none came.')),
    latencyMs: number('To the end of the answer, or to the failure.'),
    firstContentMs: optional(number('To the first content of a stream; null for other answers.')),
    errorCode: optional(text('The code that a customer would have got; null for an answer.')),
    failure: optional(text('What was wrong, in words; null for an answer.')),
  },
);
