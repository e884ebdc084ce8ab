import { createHash } from 'node:crypto';
import type { CostEvent } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { canonicalJson } from '../../kernel/canonical.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { requireOwn } from '../../records/own.js';
import { attribute, costFaults, whyOf } from './attribution.rules.js';
import {
  type COST_FIELDS,
  COST_INPUT,
  type CostStated,
  type RECORDED_COST,
} from './cost-tables.js';
import { joinCost } from './joins.js';
import { CATEGORIES, CONFIDENCES, COST_KINDS, DRIVERS, GATEWAY_SUPPLIER } from './vocabulary.js';

/**
 * Records a cost once for its id. Whose cost it is, and how sure that is, follows from what can be
 * joined with it, and from nothing that the caller says of it.
 * @throws invalid_request with every fault, among them an event to replace that there is not, and
 * cost_event_reused for an id that stands for another content
 */
export async function recordCost(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof RECORDED_COST.fields>> {
  const stated = inputValues(COST_INPUT.fields, given);
  const now = sharedNow();
  failOnFaults([...inputFaults(COST_INPUT.fields, stated, 'input'), ...costFaults(stated, now)]);
  const id = idUnderKey(ctx, 'CostEvent');
  const eventId = stated.eventId ?? id;
  const content = sealedContent(COST_INPUT.fields, { ...stated, eventId });
  const contentHash = createHash('sha256').update(canonicalJson(content)).digest();
  return change(ctx, { action: 'costEventRecord', subject: 'CostEvent' }, async (tx) => {
    const data = await rowOf(ctx, tx, stated, now);
    // The statement waits for a racer and then skips; the read after it sees what the racer wrote.
    const { count } = await tx.costEvent.createMany({
      data: { ...data, id, eventId, contentHash },
      skipDuplicates: true,
    });
    const { tenantId } = ctx.who;
    const row = await tx.costEvent.findFirst({ where: { tenantId, eventId } });
    failOnFaults(
      fits('input.replacesId', row !== null, 'names an event that was replaced already'),
    );
    if (!row || !contentHash.equals(row.contentHash)) {
      return fail('cost_event_reused', { values: { eventId }, param: 'event_id' });
    }
    const duplicate = count === 0;
    const result = { id: row.id, ...shownCost(row), duplicate };
    return { result, id: duplicate ? undefined : row.id, after: content };
  });
}

/** The row of a cost without what it is known by. */
async function rowOf(ctx: AuthorizedCtx, tx: Transaction, stated: CostStated, now: Date) {
  const { eventId: _, occurredAt, category, supplier, ...same } = stated;
  if (same.replacesId !== null) {
    const named = { tx, param: 'replaces_id' };
    await requireOwn(ctx, 'CostEvent', same.replacesId, named);
  }
  const at = occurredAt ?? now;
  const joined = await joinCost(ctx, stated, at, { tx });
  const { confidence, guard, clientId, feature, projectId } = attribute(joined);
  const isCutOff = joined.request?.isDelivered === false;
  return {
    ...same,
    tenantId: ctx.who.tenantId,
    recordedBy: ctx.who.id,
    occurredAt: at,
    // What usage shows is not argued with.
    category: isCutOff ? 'failed_delivery' : category,
    supplier: supplier ?? (stated.kind === 'invoice' ? GATEWAY_SUPPLIER : null),
    confidence,
    confidenceGuard: guard,
    clientId,
    feature,
    projectId,
  };
}

/** A recorded cost as it is shown. */
export function shownCost(row: CostEvent): ValuesOf<typeof COST_FIELDS> {
  return {
    ...row,
    kind: COST_KINDS.parse(row.kind),
    category: row.category === null ? null : CATEGORIES.parse(row.category),
    driver: row.driver === null ? null : DRIVERS.parse(row.driver),
    confidence: CONFIDENCES.parse(row.confidence),
    grossMicro: row.netMicro + row.vatMicro,
    why: whyOf(row.confidenceGuard),
    recordedAt: row.createdAt,
  };
}
