/**
 * Sealed receipts with what they say, for statements that hold rows of other tables against them: a
 * table of tenant, kind, key and content.
 */
export const RECEIPT_TEXTS = '(SELECT tenant_id, kind, seal_key, content FROM sealed_receipt)';
