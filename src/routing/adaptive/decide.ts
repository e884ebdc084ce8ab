import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { change } from '../../records/change.js';
import { verifyReceipt } from '../../records/receipts.js';
import { type Reexecution, reexecute, sealedDecision } from '../decision/sealed-decision.js';
import { featuresUnder } from '../decision/stated-request.js';
import type { Situation } from '../decision/tables.js';
import { commercialInfluence } from './commercial.rules.js';
import { ROUTING_RECEIPTS } from './records.js';
import { DECIDE_INPUT, type ROUTE_VERIFICATION } from './tables.js';

/**
 * Decides which model would answer a request by what is in force for the caller, and seals the
 * decision with all that it follows from, once for its request.
 * @throws invalid_request with every fault
 */
export async function decideAndSeal(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(DECIDE_INPUT.fields, given);
  failOnFaults(inputFaults(DECIDE_INPUT.fields, asked, 'input'));
  const { requestId, useCase, operation } = asked;
  const known = await ROUTING_RECEIPTS.byKey(ctx, requestId);
  if (known) return known;
  const { tenantId, projectId } = ctx.who;
  const { policies, situations } = ctx.services;
  const day = moscowDay(sharedNowMs());
  const question = { tenantId, operation, useCase, policyKey: undefined, day };
  const found = await situations.unstored(question);
  if (!found) throw new TypeError('a question that names no policy has a situation');
  const features = featuresUnder(await policies.forProject(tenantId, projectId), asked);
  const { incumbent } = found;
  const situation = withRevenue(found.situation, asked.revenueMicro);
  const inputs = { features, situation, incumbent, seed: requestId, useCase };
  const content = {
    ...sealedDecision(requestId, inputs),
    commercialInfluence: commercialInfluence(inputs),
  };
  return change(ctx, { action: 'adaptiveRouteDecide', subject: 'SealedReceipt' }, async (tx) => {
    const result = await ROUTING_RECEIPTS.seal(ctx, requestId, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

/** What a request itself earns comes before what the contract says of all of them. */
function withRevenue(situation: Situation, revenueMicro: MicroRub | null): Situation {
  if (revenueMicro === null) return situation;
  const { terms } = situation;
  const isRead = terms.marginBasisPointsMin !== null;
  failOnFaults(fits('input.revenueRub', isRead, 'holds nothing: no margin is in force'));
  return { ...situation, terms: { ...terms, revenueMicro } };
}

/**
 * Recomputes a receipt: its hash, its links, and the decision itself from its sealed inputs.
 * @throws invalid_receipt_id, not_found
 */
export async function verifyRoute(
  ctx: AuthorizedCtx,
  id: string,
): Promise<ValuesOf<typeof ROUTE_VERIFICATION.fields>> {
  const verification = await verifyReceipt(ctx, id, ROUTING_RECEIPTS.kind);
  const receipt = await ROUTING_RECEIPTS.byId(ctx, id);
  const { identical, differences } = reexecuted(() => reexecute(receipt.content));
  return { ...verification, decisionIdentical: identical, differences };
}

/** A content that somebody has broken may not even be read. */
function reexecuted(again: () => Reexecution): Reexecution {
  try {
    return again();
  } catch (error) {
    const recomputed = JSON.stringify(`cannot be decided again: ${String(error)}`);
    return { identical: false, differences: [{ path: 'inputs', sealed: '""', recomputed }] };
  }
}
