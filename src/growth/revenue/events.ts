import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { appendEntry } from '../../records/journals.js';
import { lockAccount } from './account-lock.js';
import { EVENT_JOURNAL } from './records.js';
import { EVENT_BODY, EVENT_INPUT, type RECORDED_EVENT } from './tables.js';
import { LEAD_EVENTS } from './vocabulary.js';

/**
 * Records an event of a lead. One with an external reference is recorded once: the same event
 * again answers with the first one, and another event is not taken for it.
 * @throws invalid_request with every fault, revenue_event_reused for the reference of another event
 */
export async function recordLeadEvent(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof RECORDED_EVENT.fields>> {
  const stated = inputValues(EVENT_INPUT.fields, given);
  failOnFaults(inputFaults(EVENT_INPUT.fields, stated, 'input'));
  const { eventType: value, accountRef: subject } = stated;
  const externalRef = stated.externalRef ?? undefined;
  const body = sealedContent(EVENT_BODY, { accountRef: subject });
  const name = { action: 'revenueEventRecord', subject: 'JournalEntry' } as const;
  return change(ctx, name, async (tx) => {
    await lockAccount(ctx, tx, subject);
    const event = { value, subject, externalRef, body };
    const { entry, duplicate } = await appendEntry(ctx, EVENT_JOURNAL, event, { tx });
    if (entry.value !== value || entry.subject !== subject) {
      const { id, value: eventType, subject: accountRef } = entry;
      const values = { externalRef: externalRef ?? '', eventType, accountRef, id };
      return fail('revenue_event_reused', { values, param: 'external_ref', data: { id } });
    }
    const result = {
      id: entry.id,
      eventType: LEAD_EVENTS.parse(entry.value),
      accountRef: entry.subject,
      externalRef: entry.externalRef,
      alreadyRecorded: duplicate,
      recordedAt: entry.createdAt,
    };
    return { result, id: duplicate ? undefined : entry.id, after: { value, ...body } };
  });
}
