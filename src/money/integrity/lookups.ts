import type { IntegritySeal } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits, range } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { isUuid } from '../../kernel/ids.js';
import { tenantQuery } from '../../platform/database/tenant-query.js';
import { requireOwn } from '../../records/own.js';
import { databaseOf } from '../../records/scope.js';
import { FAULT_COLUMNS, faultRowOf } from './found.js';
import { INTEGRITY_RECEIPTS } from './records.js';
import { readingOfKey } from './seal.rules.js';
import type { IntegrityReceipt } from './seals.js';
import type { FAULTS_PAGE } from './tables.js';
import { FAULTS_SHOWN_MAX } from './vocabulary.js';

/** How far the sealing of a period is. @throws not_found */
export function sealById(ctx: AuthorizedCtx, id: string): Promise<IntegritySeal> {
  return requireOwn(ctx, 'IntegritySeal', id, { subject: 'sealing' });
}

/** The sealing that a receipt is of; none for one that was sealed before there were any. */
export async function sealOfReceipt(
  ctx: AuthorizedCtx,
  { row }: IntegrityReceipt,
): Promise<IntegritySeal | null> {
  const { sealKey } = readingOfKey(row.sealKey);
  const where = { tenantId_sealKey: { tenantId: ctx.who.tenantId, sealKey } };
  return databaseOf(ctx).integritySeal.findUnique({ where });
}

/** The latest receipt of the period of a receipt, where that is another one. */
export async function supersederOf(
  ctx: AuthorizedCtx,
  receipt: IntegrityReceipt,
): Promise<string | null> {
  const latest = (await sealOfReceipt(ctx, receipt))?.receiptId ?? null;
  return latest === receipt.id ? null : latest;
}

const FAULTS = `SELECT ${FAULT_COLUMNS} FROM integrity_fault
  WHERE tenant_id = $1 AND seal_id = $2 AND generation = $3 AND cardinality(faults) > 0
    AND ($4::uuid IS NULL OR request_id > $4) ORDER BY request_id LIMIT $5`;

/** Which requests are wanted: those behind one of them, at most so many. */
export interface FaultsWish {
  readonly after?: string | null;
  readonly first?: number | null;
}

/**
 * The requests that the sealing of a receipt has named, in the order of their ids.
 * @throws invalid_receipt_id, not_found, invalid_request
 */
export async function faultsOfReceipt(
  ctx: AuthorizedCtx,
  receiptId: string,
  { after, first }: FaultsWish,
): Promise<ValuesOf<typeof FAULTS_PAGE.fields>> {
  const wanted = first ?? FAULTS_SHOWN_MAX;
  failOnFaults([
    ...range('first', wanted, { min: 1, max: FAULTS_SHOWN_MAX }),
    ...fits('after', after == null || isUuid(after), 'must be the id of a request'),
  ]);
  const receipt = await INTEGRITY_RECEIPTS.byId(ctx, receiptId);
  const seal = await sealOfReceipt(ctx, receipt);
  const total = receipt.content.namedTotal ?? receipt.content.faulty.length;
  if (!seal) return { requests: [], total, nextAfter: null };
  const { tenantId } = ctx.who;
  const { generation } = readingOfKey(receipt.row.sealKey);
  const values = [tenantId, seal.id, generation, after ?? null, wanted + 1];
  const statement = { name: 'integrity_faults', text: FAULTS, values };
  const { rows } = await tenantQuery<object>(ctx.services.pool, tenantId, statement);
  const requests = rows.slice(0, wanted).map(faultRowOf);
  const isMore = rows.length > wanted;
  return { requests, total, nextAfter: isMore ? (requests.at(-1)?.requestId ?? null) : null };
}
