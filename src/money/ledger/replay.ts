import type { ClientBase, Pool, QueryConfig } from 'pg';

/** A charge that its usage row does not explain. */
export interface Unexplained {
  readonly requestId: string;
  readonly amountMicro: bigint;
  /** What the tokens of the row cost by the prices of the row; null where a price is missing. */
  readonly replayedMicro: bigint | null;
}

/** What a stored price row says; null where it says no price, which then explains no charge. */
function price(dimension: string): string {
  return `CASE WHEN prices ->> '${dimension}' ~ '^[0-9]{1,30}$'
    THEN (prices ->> '${dimension}')::numeric END`;
}

const DIMENSIONS = [
  'input_uncached',
  'input_cached',
  'cache_write',
  'output_text',
  'output_reasoning',
] as const;

/**
 * Joins to rows of `usage_event` their cost, computed again from the row alone, as
 * `again.replayed`: Σ tokens × price ÷ 1,000,000, half-even. OFFSET 0 lets the sum be computed
 * once, and not wherever it is used. Prices are read by a step of their own, since many rows have
 * the same: the server remembers what it has read of them (Memoize), where reading them for each
 * row would take most of the time.
 */
export const REPLAYED_JOIN = `
  CROSS JOIN LATERAL (
    SELECT ${DIMENSIONS.map((each) => `${price(each)} AS ${each}_price`).join(', ')}
    OFFSET 0
  ) price
  CROSS JOIN LATERAL (
    SELECT ${DIMENSIONS.map((each) => `${each} * ${each}_price`).join(' + ')} AS total
    OFFSET 0
  ) costs
  CROSS JOIN LATERAL (SELECT div(total, 1000000) AS whole, mod(total, 1000000) AS rest) parts
  CROSS JOIN LATERAL (
    SELECT whole + CASE
      WHEN rest > 500000 OR (rest = 500000 AND mod(whole, 2) = 1) THEN 1 ELSE 0
    END AS replayed
  ) again`;

const UNEXPLAINED = `
  SELECT id AS "requestId", amount_micro AS "amountMicro", replayed::bigint AS "replayedMicro"
  FROM usage_event ${REPLAYED_JOIN}
  WHERE status <> 'failed' AND amount_micro IS DISTINCT FROM replayed`;

/** It reads the usage of all tenants. */
const CHECK_MS_MAX = 60_000;

/** Every charge that cannot be computed again from its own usage row; none when all is right. */
export async function findUnexplained(
  database: Pool | ClientBase,
  timeoutMs = CHECK_MS_MAX,
): Promise<Unexplained[]> {
  const query = { text: UNEXPLAINED, query_timeout: timeoutMs } as QueryConfig;
  const { rows } = await database.query<Unexplained>(query);
  return rows;
}
