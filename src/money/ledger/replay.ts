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

/** What one price row of usage, the column `prices`, says of each dimension, as columns. */
const PRICES = DIMENSIONS.map((each) => `${price(each)} AS ${each}_price`).join(', ');

/** Joins to rows of usage that have their prices as columns what they cost, `again.replayed`. */
const COSTS_JOIN = `
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

/**
 * Joins to rows of `usage_event` their cost, computed again from the row alone, as
 * `again.replayed`: Σ tokens × price ÷ 1,000,000, half-even. OFFSET 0 lets the sum be computed
 * once, and not wherever it is used. Prices are read by a step of their own, since many rows have
 * the same: the server remembers what it has read of them (Memoize), where reading them for each
 * row would take most of the time.
 */
export const REPLAYED_JOIN = `
  CROSS JOIN LATERAL (SELECT ${PRICES} OFFSET 0) price${COSTS_JOIN}`;

/**
 * The same of rows of usage that stand in the CTE `batch`. Each price row is read once whatever the
 * planner takes the batch for, which it remembers nothing of where it expects one row; a full join
 * is never made by comparing each with each.
 */
export const REPLAYED_BATCH = `batch FULL JOIN (
    SELECT prices, ${PRICES} FROM (SELECT prices FROM batch GROUP BY prices) differing
    OFFSET 0
  ) price USING (prices)${COSTS_JOIN}`;

/** The columns of usage that a replay reads. */
export const REPLAYED_COLUMNS = ['prices', ...DIMENSIONS].join(', ');

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
