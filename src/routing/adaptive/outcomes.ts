import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { isUuid } from '../../kernel/ids.js';
import { asObject } from '../../kernel/json.js';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import { change } from '../../records/change.js';
import { appendOnce } from '../../records/journal-additions.js';
import { ROUTING_RECEIPTS as ROUTE_RECEIPTS } from '../economics/records.js';
import { DEFAULT_USE } from '../memory/terms.js';
import { differenceFaults, outcomeBody, type RecordedRequest } from './outcome.rules.js';
import { OUTCOMES, ROUTING_OUTCOMES } from './outcomes-journal.js';
import { ROUTING_RECEIPTS } from './records.js';
import { OUTCOME_BODY, OUTCOME_INPUT, type RECORDED_OUTCOME } from './tables.js';

/**
 * Records what became of an answer, once for a request. A later report adds the cost and the
 * latency that no earlier one has stated; one that says nothing new is a duplicate. Use case,
 * model, cost and latency are those of its usage row, else of its sealed decision; a sealed
 * decision knows no cost and no latency, so those may be stated.
 * @throws not_found for a request that the organization has neither made nor decided about,
 * invalid_request with everything that is stated otherwise than recorded, routing_outcome_differs
 * where it was reported otherwise before
 */
export async function recordOutcome(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof RECORDED_OUTCOME.fields>> {
  const stated = inputValues(OUTCOME_INPUT.fields, given);
  failOnFaults(inputFaults(OUTCOME_INPUT.fields, stated, 'input'));
  const { requestId, outcome: value } = stated;
  const recorded = (await usedRequest(ctx, requestId)) ?? (await decidedRequest(ctx, requestId));
  if (!recorded) {
    const values = { subject: 'request', id: requestId };
    return fail('not_found', { values, param: 'request_id' });
  }
  failOnFaults(differenceFaults(stated, recorded));
  const body = sealedContent(OUTCOME_BODY, outcomeBody(stated, recorded));
  const said = sealedContent(SAID, stated);
  const name = { action: 'routingOutcomeRecord', subject: 'JournalEntry' } as const;
  return change(ctx, name, async (tx) => {
    const event = { value, subject: requestId, externalRef: requestId, body, stated: said };
    const appended = await appendOnce(ctx, ROUTING_OUTCOMES, event, { tx });
    const { entry, duplicate, added, differing } = appended;
    if (differing.length > 0) {
      const names = differing.map((name) => (name === 'value' ? 'outcome' : name));
      const values = { requestId, names: names.join(', ') };
      fail('routing_outcome_differs', { values, param: names[0], data: { differing: names } });
    }
    const kept = openedContent(OUTCOME_BODY, appended.body);
    const facts = { duplicate, added, recordedAt: entry.createdAt };
    return {
      result: { requestId, outcome: OUTCOMES.parse(entry.value), ...kept, ...facts },
      id: duplicate ? undefined : entry.id,
      after: appended.body,
    };
  });
}

const { useCase, model, costMicro, latencyMs } = OUTCOME_INPUT.fields;
/** What a report states beside the outcome itself. */
const SAID = { useCase, model, costMicro, latencyMs };

/** A request that the gateway has served for the caller's organization. */
async function usedRequest(ctx: AuthorizedCtx, id: string): Promise<RecordedRequest | undefined> {
  if (!isUuid(id)) return undefined;
  const { tenantId } = ctx.who;
  const row = await database(ctx).usageEvent.findFirst({ where: { tenantId, id } });
  if (!row) return undefined;
  const metadata = asObject(row.metadata) ?? {};
  const routed = asObject(metadata.gw_routing) ?? {};
  const useCase = typeof routed.use_case === 'string' ? routed.use_case : row.feature;
  return {
    useCase: useCase ?? DEFAULT_USE,
    model: row.model,
    source: 'usage',
    explored: routed.explored === true,
    simulated: row.simulated,
    isEvidence: !row.simulated && metadata[ORIGIN_MEMBER] === undefined,
    costMicro: row.amountMicro,
    latencyMs: row.latencyMs,
    isAnswered: row.status !== 'failed',
  };
}

/** A request that was decided about, and that somebody else has carried out. */
async function decidedRequest(
  ctx: AuthorizedCtx,
  requestId: string,
): Promise<RecordedRequest | undefined> {
  const receipt =
    (await ROUTING_RECEIPTS.byKey(ctx, requestId)) ?? (await ROUTE_RECEIPTS.byKey(ctx, requestId));
  if (!receipt) return undefined;
  const { model, explored, inputs } = receipt.content;
  const { models } = inputs.situation;
  const simulated = models.find((each) => each.model === model)?.isSimulated ?? false;
  return {
    useCase: inputs.useCase ?? inputs.situation.useCase,
    model: model ?? '',
    source: 'receipt',
    explored,
    simulated,
    isEvidence: !simulated,
    costMicro: null,
    latencyMs: null,
    isAnswered: model !== null,
  };
}
