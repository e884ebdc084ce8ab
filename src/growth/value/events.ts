import { type ProvedRun, provedRunOf } from '../../delivery/blueprints/evidence.js';
import type { ValueEvent } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { EVENT_FIELDS, EVENT_INPUT } from './tables.js';
import {
  CLOCK_AHEAD_MS,
  EVENT_TYPES,
  type EventType,
  OCCURRED_DAYS_MAX,
  USE_CASE_DEFAULT,
} from './vocabulary.js';

const DAY_MS = 86_400_000;

/**
 * Records a business result. One with an external reference counts once, also when two race, and
 * so does the result of a blueprint run.
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
  const { feature, run } = await evidenceOf(ctx, stated);
  const useCase = stated.useCase ?? feature ?? USE_CASE_DEFAULT;
  const { tenantId, id: recordedBy } = ctx.who;
  const id = newId('ValueEvent');
  const data = { ...stated, id, tenantId, useCase, occurredAt, recordedBy };
  const name = { action: 'valueEventRecord', subject: 'ValueEvent' } as const;
  return change(ctx, name, async (tx) => {
    if (run) await requireUnclaimed(ctx, tx, run, stated.eventType);
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

/** What a recorded result says of itself that its request must show. */
interface StatedEvent {
  readonly requestId: string | null;
  readonly eventType: EventType;
  readonly quantity: number;
}

/**
 * The feature of a request of the organization, and its blueprint run; a null feature without a
 * request. A request of a blueprint run is evidence of what that run has proved, and of no more.
 * @throws not_found, invalid_request with every fault
 */
async function evidenceOf(ctx: AuthorizedCtx, stated: StatedEvent) {
  const { requestId, eventType, quantity } = stated;
  if (requestId === null) return { feature: null, run: undefined };
  const named = { param: 'request_id', subject: 'request' };
  const { feature, metadata } = await requireOwn(ctx, 'UsageEvent', requestId, named);
  const run = await provedRunOf(ctx, metadata);
  const what = 'is of a blueprint run that has proved no result';
  failOnFaults(fits('input.requestId', run !== null, what));
  if (!run) return { feature, run: undefined };
  const type = eventTypeOf(run);
  failOnFaults([
    ...fits('input.eventType', eventType === type, `must be ${type}, which the run has proved`),
    ...fits(
      'input.quantity',
      quantity <= run.quantity,
      `must be at most ${run.quantity}, which the run has proved`,
    ),
  ]);
  return { feature, run };
}

/** The result of a run as value events name it. */
function eventTypeOf({ event }: Pick<ProvedRun, 'event'>): EventType {
  return EVENT_TYPES.has(event) ? EVENT_TYPES.parse(event) : 'other_result';
}

/** Events of one run wait for one another, so that two that race claim its result once. */
async function requireUnclaimed(
  { who: { tenantId } }: AuthorizedCtx,
  tx: Transaction,
  run: ProvedRun,
  eventType: EventType,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended('value_event of run ' || ${run.id}, 0))`;
  const where = { tenantId, eventType, requestId: { in: [...run.requestIds] } };
  const claimed = await tx.valueEvent.findFirst({ where, select: { id: true } });
  if (!claimed) return;
  const values = { externalRef: run.id, eventType, id: claimed.id };
  fail('value_event_claimed', { values, param: 'request_id', data: { id: claimed.id } });
}

function timeFaults(occurredAt: Date, nowMs: number): Fault[] {
  const ageMs = nowMs - occurredAt.getTime();
  const isInside = ageMs >= -CLOCK_AHEAD_MS && ageMs <= OCCURRED_DAYS_MAX * DAY_MS;
  const what = `must be within the last ${OCCURRED_DAYS_MAX} days and not in the future`;
  return fits('input.occurredAt', isInside, what);
}
