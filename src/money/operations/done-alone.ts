import type { Transaction } from '../../graph/ctx.js';
import type { MicroRub } from '../../kernel/money.js';
import { RECEIPT_TEXTS } from '../../records/receipt-texts.js';
import { OPERATION_RECEIPT } from '../ledger/operation-receipts.js';
import { OPERATION_BOUNDS } from './vocabulary.js';

/** The index `ledger_entry_by_actor` has these lines, and none of a request. */
const DONE_ALONE = `
  SELECT coalesce(sum(e.amount_micro), 0)::bigint AS micro FROM ledger_entry e
  JOIN ${RECEIPT_TEXTS} r ON r.tenant_id = e.tenant_id AND r.kind = '${OPERATION_RECEIPT}'
    AND r.seal_key = e.request_id::text
  WHERE e.type IN ('refund', 'adjustment', 'credit', 'balance_return')
    AND e.actor_id = $1::uuid AND r.content::jsonb ->> 'approved_by' IS NULL
    AND e.created_at > clock_timestamp() - make_interval(hours => $2::int)`;

/**
 * What an administrator has moved without another one in the last hours, in the accounts of all
 * organizations together: whoever has many of them has one limit. Until the transaction ends, the
 * same administrator does nothing else alone.
 */
export async function doneAlone(tx: Transaction, actorId: string): Promise<MicroRub> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(
    hashtextextended('four_eyes ' || ${actorId}, 0))`;
  const values = [actorId, OPERATION_BOUNDS.countedHours];
  const [row] = await tx.$queryRawUnsafe<{ micro: bigint }[]>(DONE_ALONE, ...values);
  return row?.micro ?? 0n;
}
