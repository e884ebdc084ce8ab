import type { RequestScopes } from '../finops/budgets/budgets.rules.js';
import { policyKeyOf } from '../routing/automatic.js';
import { requestedModel } from './alias.js';
import type { InferenceRequest } from './request.js';
import type { ChosenRoute } from './stages/route.js';

/**
 * What a request names of each scope of spending. Its routes are the name that the client sent,
 * what that stands for, the key of a route policy, and the model that was chosen: a budget on any
 * of them concerns it. Without a route they are those that the request itself names.
 */
export function spendScopes(request: InferenceRequest, route?: ChosenRoute): RequestScopes {
  const { metadata, model } = request;
  const { session_id: session, agent_session: agentSession } = metadata.rest;
  const routes = [requestedModel(request), model, policyKeyOf(model), route?.chosen.id];
  return {
    use_case: named(metadata.feature),
    route: [...new Set(routes.flatMap(named))],
    partner_client: named(metadata.clientId),
    agent_session: named(session ?? agentSession),
  };
}

function named(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}
