import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { FINGERPRINT_MEMBER } from '../../kernel/origin.js';
import { tenantReport } from '../../platform/database/tenant-query.js';
import { measuredFrom } from '../../records/measured.js';
import { statedWindow } from '../reports/question.rules.js';
import { refuseTooManyRows } from '../reports/read.js';
import { type CacheFacts, cacheAdvice } from './cacheability.rules.js';
import { CACHEABILITY_QUESTION, type Cacheability } from './tables.js';
import { CACHE_BOUNDS, CACHE_DAYS, CACHE_FEATURES_MAX } from './vocabulary.js';

/**
 * Rows of a time stand together among those of the tenant; an hour to spare is for transactions
 * that drew their places before. A repeat is an equal prompt to the same model within a day.
 */
const FACTS_SQL = {
  name: 'usage_cacheability',
  text: `WITH answered AS (
      SELECT feature, amount_micro, metadata ->> 'gw_cache' = 'hit' AS is_hit,
        metadata ->> '${FINGERPRINT_MEMBER}' AS fingerprint,
        input_uncached + input_cached + cache_write AS input_tokens, input_cached,
        created_at - lag(created_at) OVER (
          PARTITION BY metadata ->> '${FINGERPRINT_MEMBER}', model, feature ORDER BY created_at
        ) <= interval '1 day' AS recurs
      FROM usage_event
      WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3 AND operation = 'chat'
        AND status <> 'failed'
        AND seq >= coalesce((SELECT min(seq_min) FROM usage_rollup
          WHERE tenant_id = $1 AND cube = 'total' AND grain = 'hour'
            AND starts_at >= date_trunc('hour', $2::timestamptz) - interval '1 hour'), 0)
    )
    SELECT feature, count(*)::int AS requests,
      count(*) FILTER (WHERE is_hit)::int AS hits,
      count(fingerprint)::int AS fingerprinted,
      count(DISTINCT fingerprint)::int AS "distinctPrompts",
      count(*) FILTER (WHERE fingerprint IS NOT NULL AND recurs AND is_hit IS NOT TRUE)::int
        AS repeats,
      coalesce(sum(amount_micro)
        FILTER (WHERE fingerprint IS NOT NULL AND recurs AND is_hit IS NOT TRUE), 0)::bigint
        AS "repeatedMicro",
      sum(input_tokens)::float8 AS "inputTokens", sum(input_cached)::float8 AS "cachedInputTokens"
    FROM answered GROUP BY feature ORDER BY sum(amount_micro) DESC, feature
    LIMIT ${CACHE_FEATURES_MAX}`,
};

interface FoundFeature extends CacheFacts {
  readonly feature: string | null;
  readonly distinctPrompts: number;
  readonly repeatedMicro: bigint;
}

const DAY_MS = 86_400_000;

/**
 * How much of each feature's chat a cache has answered, and could have: by keyed fingerprints of
 * the prompts, which are read from the usage rows and tell nothing of the prompts.
 * @throws invalid_request for a window that is wrong, report_too_wide for one with too many rows
 */
export async function cacheability(ctx: AuthorizedCtx, given: GivenValues): Promise<Cacheability> {
  const asked = inputValues(CACHEABILITY_QUESTION, given);
  const { faults, ...stated } = statedWindow(asked, sharedNow());
  failOnFaults(faults);
  const { to } = stated;
  const from = asked.from === null ? new Date(to.getTime() - CACHE_DAYS * DAY_MS) : stated.from;
  const { pool } = ctx.services;
  const { tenantId } = ctx.who;
  await refuseTooManyRows(pool, tenantId, [{ from, to }]);
  const statement = { ...FACTS_SQL, values: [tenantId, from, to] };
  const read = async () =>
    (await tenantReport<FoundFeature & object>(pool, tenantId, statement)).rows;
  const kept = { usageSince: from };
  const { value, provenance } = await measuredFrom(ctx, read, (rows) => rows.map(featureOf), kept);
  return { from, to, features: value, provenance };
}

function featureOf(found: FoundFeature): Cacheability['features'][number] {
  const { requests, hits, fingerprinted, repeats, inputTokens, cachedInputTokens } = found;
  const advice = cacheAdvice(found);
  const isRefused = advice === 'cannot_recommend';
  return {
    feature: found.feature,
    requests,
    hits,
    hitRate: hits / requests,
    fingerprinted,
    distinctPrompts: found.distinctPrompts,
    repeats,
    repeatRate: fingerprinted === 0 ? null : repeats / fingerprinted,
    repeatedMicro: found.repeatedMicro,
    providerCachedShare: inputTokens === 0 ? null : cachedInputTokens / inputTokens,
    advice,
    reason: isRefused ? 'too few requests of the feature carry a fingerprint' : null,
    needed: isRefused ? [`${CACHE_BOUNDS.requestsMin} chat requests of the feature`] : [],
  };
}
