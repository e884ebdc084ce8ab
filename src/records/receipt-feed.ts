import type { Transaction } from '../graph/ctx.js';
import { tenantQuery } from '../platform/database/tenant-query.js';
import type { FeedSource } from './feed.js';
import type { Position } from './feed.rules.js';
import { typeOfReceipt } from './receipt.js';

/** What is told of a receipt that was sealed; its content is read by its id. */
export interface SealedNotice extends Position {
  readonly id: string;
  readonly kind: string;
  /** The GraphQL type of the receipt. */
  readonly type: string;
  /** Its place among the tenant's receipts. */
  readonly position: bigint;
  /** Of its content, hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Date;
}

type Row = Omit<SealedNotice, 'type' | keyof Position>;

const READ = `SELECT id, kind, position, encode(sha256, 'hex') AS sha256, created_at AS "createdAt"
  FROM sealed_receipt WHERE tenant_id = $1 AND position > $2 ORDER BY position LIMIT $3`;

/**
 * The receipts of a tenant as they are sealed. Their positions are given one after the other, and
 * kept to the end of the transaction that seals, so no receipt commits behind a reader: the
 * position alone is the place in the feed.
 */
export const RECEIPT_FEED: FeedSource<SealedNotice> = {
  name: 'receipts',
  async read(pool, tenantId, { seq }, limit) {
    const values = [tenantId, seq, limit];
    const statement = { name: 'receipt_feed_read', text: READ, values };
    const { rows } = await tenantQuery<Row>(pool, tenantId, statement);
    return rows.map((row) => ({
      ...row,
      ...receiptPosition(row.position),
      type: typeOfReceipt({ row }),
    }));
  },
};

/** Behind the last receipt that a tenant has, as a transaction sees it. */
export async function receiptFeedTip(tx: Transaction, tenantId: string): Promise<Position> {
  const where = { tenantId };
  const last = await tx.sealedReceipt.findFirst({ where, orderBy: { position: 'desc' } });
  return receiptPosition(last?.position ?? 0n);
}

function receiptPosition(position: bigint): Position {
  return { txid: 0n, seq: position };
}
