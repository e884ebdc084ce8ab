import type { ValueEvent } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { EVENT_FIELDS, EVENT_INPUT } from './tables.js';
import { CLOCK_AHEAD_MS, OCCURRED_DAYS_MAX, USE_CASE_DEFAULT } from './vocabulary.js';

const DAY_MS = 86_400_000;

/**
 * Records a business result. One with an external reference counts once, also when two race.
 * @throws invalid_request with every fault, value_event_claimed, not_found for a request that the
 * organization has not made
 */
export async function recordEvent(ctx: AuthorizedCtx, given: GivenValues): Promise<ValueEvent> {
  const stated = inputValues(EVENT_INPUT.fields, given);
  const occurredAt = stated.occurredAt ?? sharedNow();
  failOnFaults([
    ...inputFaults(EVENT_INPUT.fields, stated, 'input'),
    ...timeFaults(occurredAt, sharedNowMs()),
  ]);
  const feature = await featureOf(ctx, stated.requestId);
  const useCase = stated.useCase ?? feature ?? USE_CASE_DEFAULT;
  const { tenantId, id: recordedBy } = ctx.who;
  const id = newId('ValueEvent');
  const data = { ...stated, id, tenantId, useCase, occurredAt, recordedBy };
  const name = { action: 'valueEventRecord', subject: 'ValueEvent' } as const;
  return change(ctx, name, async (tx) => {
    // The statement waits for a racer and then skips; the read after it sees what the racer wrote.
    const { count } = await tx.valueEvent.createMany({ data, skipDuplicates: true });
    const { eventType, externalRef } = stated;
    const where = count === 1 ? { id, tenantId } : { tenantId, eventType, externalRef };
    const row = await tx.valueEvent.findFirstOrThrow({ where });
    if (count === 0) {
      const values = { externalRef: externalRef ?? '', eventType, id: row.id };
      return fail('value_event_claimed', { values, param: 'external_ref', data: { id: row.id } });
    }
    return { result: row, id, after: sealedContent(EVENT_FIELDS, row as never) };
  });
}

/** The feature of a request of the organization; null without a request. @throws not_found */
async function featureOf(ctx: AuthorizedCtx, requestId: string | null): Promise<string | null> {
  if (requestId === null) return null;
  const named = { param: 'request_id', subject: 'request' };
  const { feature } = await requireOwn(ctx, 'UsageEvent', requestId, named);
  return feature;
}

function timeFaults(occurredAt: Date, nowMs: number): Fault[] {
  const ageMs = nowMs - occurredAt.getTime();
  const isInside = ageMs >= -CLOCK_AHEAD_MS && ageMs <= OCCURRED_DAYS_MAX * DAY_MS;
  const what = `must be within the last ${OCCURRED_DAYS_MAX} days and not in the future`;
  return fits('input.occurredAt', isInside, what);
}
