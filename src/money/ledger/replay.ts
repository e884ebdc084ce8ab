import type { ClientBase, Pool, QueryConfig } from 'pg';

/** A charge that its usage row does not explain. */
export interface Unexplained {
  readonly requestId: string;
  readonly amountMicro: bigint;
  /** What the tokens of the row cost by the prices of the row. */
  readonly replayedMicro: bigint;
}

/**
 * The cost of each charged row, computed again from the row alone: Σ tokens × price ÷ 1,000,000,
 * half-even.
 */
const UNEXPLAINED = `
  SELECT id AS "requestId", amount_micro AS "amountMicro", replayed AS "replayedMicro"
  FROM usage_event
  CROSS JOIN LATERAL (
    SELECT input_uncached * (prices ->> 'input_uncached')::numeric
         + input_cached * (prices ->> 'input_cached')::numeric
         + cache_write * (prices ->> 'cache_write')::numeric
         + output_text * (prices ->> 'output_text')::numeric
         + output_reasoning * (prices ->> 'output_reasoning')::numeric AS total
  ) costs
  CROSS JOIN LATERAL (SELECT div(total, 1000000) AS whole, mod(total, 1000000) AS rest) parts
  CROSS JOIN LATERAL (
    SELECT (whole + CASE
      WHEN rest > 500000 OR (rest = 500000 AND mod(whole, 2) = 1) THEN 1 ELSE 0
    END)::bigint AS replayed
  ) again
  WHERE status <> 'failed' AND amount_micro <> replayed`;

/** It reads the usage of all tenants. */
const CHECK_MS_MAX = 60_000;

/** Every charge that cannot be computed again from its own usage row; none when all is right. */
export async function findUnexplained(database: Pool | ClientBase): Promise<Unexplained[]> {
  const query = { text: UNEXPLAINED, query_timeout: CHECK_MS_MAX } as QueryConfig;
  const { rows } = await database.query<Unexplained>(query);
  return rows;
}
