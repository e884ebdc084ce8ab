import { Prisma } from '../../generated/prisma/client.js';
import { measuredFrom } from '../../records/measured.js';
import type { TenantScope } from '../../records/scope.js';
import { type EndedForecast, forecastErrorOf } from './forecast.rules.js';
import { FORECASTS } from './records.js';
import { ofScope } from './scope-sql.js';

/** So many forecasts are compared, the latest sealed ones. */
const FORECASTS_MAX = 200;

/**
 * How far the forecasts were off whose runs ended in a period: what each said against what its
 * scope really spent from its start to its end, by the usage rows less what was refunded of these
 * meanwhile: a refund of a request from before the run is no part of it. What simulated models
 * answered is no evidence.
 */
export async function forecastError(
  scope: TenantScope,
  { from, until }: { readonly from: Date; readonly until: Date },
) {
  const { tenantId } = scope.who;
  const { edges } = await FORECASTS.page(scope, { first: FORECASTS_MAX });
  const ended = edges
    .map(({ node }) => node.content)
    .filter(({ endsAt }) => endsAt >= from && endsAt < until);
  const earliest = new Date(Math.min(...ended.map(({ startsAt }) => startsAt.getTime())));
  const spent = Prisma.sql`u.tenant_id = ${tenantId}::uuid
    AND u.created_at >= f.starts_at AND u.created_at < f.ends_at AND NOT u.simulated
    AND (${ofScope(Prisma.sql`f.scope`, Prisma.sql`f.ref`)})`;
  return measuredFrom(
    scope,
    (rows) => rows.$queryRaw<EndedForecast[]>`
      SELECT f.base AS "baseMicro", (
          COALESCE((SELECT sum(u.amount_micro) FROM usage_event u WHERE ${spent}), 0)
          - COALESCE((
            SELECT sum(u.amount_micro) FROM usage_refund u CROSS JOIN LATERAL (
              SELECT FROM usage_event c WHERE c.tenant_id = u.tenant_id AND c.id = u.id
                AND c.created_at >= f.starts_at OFFSET 0
            ) charged
            WHERE ${spent}), 0)
        )::bigint AS "actualMicro"
      FROM unnest(
        ${ended.map((each) => each.scope)}::text[], ${ended.map((each) => each.scopeRef)}::text[],
        ${ended.map((each) => each.baseMicro)}::bigint[],
        ${ended.map((each) => each.startsAt)}::timestamptz[],
        ${ended.map((each) => each.endsAt)}::timestamptz[]
      ) WITH ORDINALITY AS f(scope, ref, base, starts_at, ends_at, position)
      ORDER BY f.position`,
    forecastErrorOf,
    ended.length > 0 ? { usageSince: earliest } : {},
  );
}
