/**
 * The traces of the requests that have caused a receipt and an event of a feed, in SQL: two
 * expressions, each null without one. What became of a subject later, as of an approval, goes on in
 * the trace before.
 * @param tenant the organization, as the statement names it
 * @param event the id under which receivers know what they are told, as the statement names it
 */
export function keptTracesSql({
  tenant,
  event,
}: {
  readonly tenant: string;
  readonly event: string;
}): string {
  return `
    (SELECT r.trace FROM sealed_receipt r WHERE r.tenant_id = ${tenant}
      AND r.id = substring(${event} FROM '^receipts_([0-9a-f-]{36})')::uuid),
    (SELECT coalesce(f.trace, (SELECT b.trace FROM feed_event b WHERE b.tenant_id = f.tenant_id
        AND b.subject_id = f.subject_id AND b.trace IS NOT NULL AND b.seq < f.seq
        ORDER BY b.seq DESC LIMIT 1))
      FROM feed_event f WHERE f.tenant_id = ${tenant}
      AND f.id = substring(${event} FROM '^[a-z]+_([0-9a-f-]{36})$')::uuid)`;
}
