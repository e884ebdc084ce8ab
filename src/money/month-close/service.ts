import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { measuredFrom } from '../../records/measured.js';
import { beforeBegin, organizationBegin } from '../../records/organization-begin.js';
import { databaseOf } from '../../records/scope.js';
import { lastMonth, monthFaults, monthWindow } from '../integrity/period.rules.js';
import { readMonth } from './books.js';
import { closeOf, type MonthBooks, unbalanced } from './close.rules.js';
import { PAGE_POLICY, printablePage } from './page.rules.js';
import { MONTH_CLOSES } from './records.js';
import { CLOSE_INPUT, type MonthCloseContent } from './tables.js';

/**
 * Closes a month that has ended in Moscow, once for it: whoever asks again gets the first.
 * @throws invalid_request for a month that is none, not over, or before the organization;
 * month_unbalanced
 */
export async function closeMonth(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(CLOSE_INPUT.fields, given);
  failOnFaults(inputFaults(CLOSE_INPUT.fields, asked, 'input'));
  const now = await databaseNow(databaseOf(ctx));
  const month = asked.month ?? lastMonth(now);
  failOnFaults(monthFaults('input.month', month, now));
  const known = await MONTH_CLOSES.byKey(ctx, month);
  if (known) return { ...known, alreadySealed: true };
  const begin = await organizationBegin(ctx);
  failOnFaults(beforeBegin('input.month', monthWindow(month), begin));
  const content = await contentOf(ctx, month);
  return change(ctx, { action: 'monthCloseSeal', subject: 'SealedReceipt' }, async (tx) => {
    const result = await MONTH_CLOSES.seal(ctx, month, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

async function contentOf(ctx: AuthorizedCtx, month: string): Promise<MonthCloseContent> {
  const { services, who } = ctx;
  const read = async () => [await readMonth(services, who.tenantId, month, monthWindow(month))];
  const { value, provenance } = await measuredFrom(ctx, read, ([books]) => {
    const found = books as MonthBooks;
    const reasons = unbalanced(found);
    if (reasons.length > 0) {
      fail('month_unbalanced', { values: { month, reasons: reasons.join('; ') } });
    }
    return closeOf(found);
  });
  return { ...value, provenance };
}

/**
 * A closed month as a page to print. It loads nothing, and its policy lets it load nothing.
 * @throws invalid_receipt_id, not_found (also for a month of another tenant)
 */
export async function monthPage(ctx: AuthorizedCtx, id: string): Promise<string> {
  const { content, row } = await MONTH_CLOSES.byId(ctx, id);
  ctx.transport.headers['content-security-policy'] = PAGE_POLICY;
  return printablePage(content, { id: row.id, sha256: Buffer.from(row.sha256).toString('hex') });
}
