/**
 * What a statement about credentials joins to know the class of service level: `terms.sla_class`
 * in force, the default where nothing was ever written, and `terms.left_ms`, how long it stays so;
 * null where no other terms are to come.
 */
export function termsJoin(tenantId: string): string {
  return `CROSS JOIN LATERAL (SELECT
    coalesce((SELECT c.sla_class FROM commercial_terms c
      WHERE c.tenant_id = ${tenantId} AND c.effective_from <= clock_timestamp()
      ORDER BY c.effective_from DESC, c.seq DESC LIMIT 1), 'standard') AS sla_class,
    (SELECT extract(epoch FROM min(c.effective_from) - clock_timestamp())::float8 * 1000
     FROM commercial_terms c
     WHERE c.tenant_id = ${tenantId} AND c.effective_from > clock_timestamp()) AS left_ms) terms`;
}
