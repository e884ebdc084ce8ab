import type { Registry } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { lockScopes, rolledBackFaults } from '../memory/roll-back.js';
import { callableModelFaults, knownModelFaults } from './models.rules.js';
import { POLICY_FIELDS, ROUTE_POLICIES, type RoutePolicyTerms } from './records.js';
import { POLICY_INPUT } from './tables.js';

/**
 * Publishes the next version of a route policy; it holds from the next decision on, on every node.
 * @throws invalid_request with every fault, among them models that nobody knows
 */
export async function publishRoutePolicy(ctx: AuthorizedCtx, given: GivenValues) {
  const body = inputValues(POLICY_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(POLICY_INPUT.fields, body, 'input'),
    ...policyFaults(ctx.services.registry, body),
  ]);
  const name = { action: 'routePolicyPublish', subject: 'RoutePolicy' };
  return change(ctx, name, async (tx) => {
    const key = body.policyKey;
    await lockScopes(ctx, tx, key);
    const isKnown = (await ROUTE_POLICIES.latest(ctx, key, undefined, { tx })) !== undefined;
    failOnFaults(await rolledBackFaults(ctx, tx, { path: 'input.policyKey', key, isKnown }));
    const result = await ROUTE_POLICIES.publish(ctx, body, { tx });
    const after = sealedContent(POLICY_FIELDS, result.body);
    const told = () => ctx.services.routing.forget(ctx.who.tenantId);
    return { result, id: result.id, after, told };
  });
}

/** Requests name a policy as a model, so its key is spelt as models are. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** What no single field of a policy shows. */
function policyFaults(registry: Registry, policy: RoutePolicyTerms): Fault[] {
  const { policyKey, modelsAllowed, fallbackModel: fallback } = policy;
  const spelt =
    'has letters, digits, dots, colons, dashes and underscores, a letter or digit first';
  const isAllowed =
    fallback === null || modelsAllowed.length === 0 || modelsAllowed.includes(fallback);
  return [
    ...fits('input.policyKey', KEY.test(policyKey), spelt),
    ...modelsAllowed.flatMap((model, index) => {
      const path = `input.modelsAllowed.${index}`;
      const isFirst = modelsAllowed.indexOf(model) === index;
      return [
        ...knownModelFaults(registry, path, model),
        ...fits(path, isFirst, `is ${model} a second time`),
      ];
    }),
    ...(fallback === null ? [] : callableModelFaults(registry, 'input.fallbackModel', fallback)),
    ...fits('input.fallbackModel', isAllowed, 'must be one of the allowed models'),
  ];
}
