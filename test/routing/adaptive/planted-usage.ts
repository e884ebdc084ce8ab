import type { TestApp } from '../../support/app.js';

/** Answers as the chat path would have recorded them. */
interface Planted {
  readonly tenantId: string;
  readonly model: string;
  readonly times: number;
  readonly hoursAgo: number;
  /** The member `gw_routing` of the metadata. */
  readonly routed: Readonly<Record<string, unknown>>;
}

/**
 * Copies the latest usage row of a tenant as answers of a model that a router has chosen.
 * @returns the ids of their requests
 */
export async function plantAnswers(
  { owner }: Pick<TestApp, 'owner'>,
  { tenantId, model, times, hoursAgo, routed }: Planted,
): Promise<string[]> {
  const { rows } = await owner.pool.query<{ column_name: string }>(
    `SELECT column_name FROM information_schema.columns
     WHERE table_name = 'usage_event' AND column_name NOT IN ('seq', 'txid')`,
  );
  const columns = rows.map(({ column_name }) => column_name);
  const replaced: Readonly<Record<string, string>> = {
    id: 'gen_random_uuid()',
    model: '$2',
    simulated: `$2 LIKE 'sandbox/%'`,
    metadata: `jsonb_build_object('gw_routing', $3::jsonb)`,
    created_at: 'now() - make_interval(hours => $4)',
  };
  const values = columns.map((column) => replaced[column] ?? `u.${column}`);
  const planted = await owner.pool.query<{ id: string }>(
    `INSERT INTO usage_event (${columns.join(', ')})
     SELECT ${values.join(', ')}
     FROM (SELECT * FROM usage_event WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1) u,
          generate_series(1, $5) RETURNING id`,
    [tenantId, model, JSON.stringify(routed), hoursAgo, times],
  );
  return planted.rows.map(({ id }) => id);
}
