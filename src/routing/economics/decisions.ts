import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { oneOf } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { estimated } from '../../kernel/provenance.js';
import { moscowDay } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import { explainRoute } from '../decision/explain.rules.js';
import { reexecute, type StatedInputs, sealedDecision } from '../decision/sealed-decision.js';
import { featuresUnder } from '../decision/stated-request.js';
import { ROUTING_RECEIPTS } from './records.js';
import { DECIDE_INPUT, type RouteQuestion, SIMULATE_INPUT, type SIMULATION } from './tables.js';

/** What chance comes from where no request is named. */
const NO_REQUEST = 'simulation';

/**
 * Decides about a stated request as the chat path would. Nothing is written.
 * @throws invalid_request with every fault, among them a policy that nobody has published
 */
export async function simulateRoute(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof SIMULATION.fields>> {
  const question = inputValues(SIMULATE_INPUT.fields, given);
  failOnFaults(inputFaults(SIMULATE_INPUT.fields, question, 'input'));
  const inputs = await inputsOf(ctx, question, question.requestId ?? NO_REQUEST);
  const { features, incumbent, situation } = inputs;
  const { terms, killSwitch } = situation;
  const { useCase } = question;
  const { value, provenance } = estimated(explainRoute(inputs));
  const facts = { useCase, features, terms, killSwitch, incumbent };
  return { ...value, ...facts, authoritative: false, provenance };
}

/**
 * Decides about a stated request and seals the decision with all that it follows from, once for
 * the id of the request: whoever asks again gets the first receipt.
 * @throws invalid_request with every fault, among them a policy that nobody has published
 */
export async function sealRouteDecision(ctx: AuthorizedCtx, given: GivenValues) {
  const question = inputValues(DECIDE_INPUT.fields, given);
  failOnFaults(inputFaults(DECIDE_INPUT.fields, question, 'input'));
  const { requestId } = question;
  const known = await ROUTING_RECEIPTS.byKey(ctx, requestId);
  if (known) return known;
  const content = sealedDecision(requestId, await inputsOf(ctx, question, requestId));
  return change(ctx, { action: 'routeDecide', subject: 'SealedReceipt' }, async (tx) => {
    const result = await ROUTING_RECEIPTS.seal(ctx, requestId, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

/**
 * Makes a sealed decision again from what its receipt holds.
 * @throws invalid_receipt_id, not_found
 */
export async function reexecuteReceipt(ctx: AuthorizedCtx, id: string) {
  return reexecute((await ROUTING_RECEIPTS.byId(ctx, id)).content);
}

/** What a decision about a stated request follows from at this moment. */
async function inputsOf(
  ctx: AuthorizedCtx,
  question: RouteQuestion,
  seed: string,
): Promise<StatedInputs> {
  const { tenantId, projectId } = ctx.who;
  const { situations, policies, routing } = ctx.services;
  const { operation, useCase, policyKey } = question;
  const now = { tenantId, operation, useCase, day: moscowDay(sharedNowMs()) };
  const found = await situations.unstored({ ...now, policyKey: policyKey ?? undefined });
  if (!found) {
    const published = [...(await routing.forTenant(tenantId)).policies.keys()];
    failOnFaults(oneOf('input.policyKey', policyKey, published));
    throw new TypeError('a policy that is published has a situation');
  }
  const policy = await policies.forProject(tenantId, projectId);
  const { situation, incumbent } = found;
  return { features: featuresUnder(policy, question), situation, incumbent, seed, useCase };
}
