import { anyText, canonicalObjectSql, hexText, plainText, timeText } from './canonical-sql.js';

/**
 * Sealed receipts as a transparency log takes them, a table of tenant, id, position and canonical
 * text. The content stands in by its hash.
 */
export const RECEIPT_LEAVES = `(
  SELECT r.tenant_id, r.id, r.position, ${canonicalObjectSql({
    chain_hash: hexText('r.chain_hash'),
    created_at: timeText('r.created_at'),
    id: plainText('r.id'),
    kind: 'sealed_receipt',
    position: plainText('r.position'),
    previous_hash: hexText('r.previous_hash'),
    receipt_kind: anyText('r.kind'),
    seal_key: anyText('r.seal_key'),
    sha256: hexText('r.sha256'),
    tenant_id: plainText('r.tenant_id'),
  })} AS leaf
  FROM sealed_receipt r)`;
