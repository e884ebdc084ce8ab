import type { PoolClient } from 'pg';
import { sharedNowMs } from '../../kernel/clock.js';
import { openedContent } from '../../kernel/fields/sealed.js';
import { named } from '../../platform/database/pool.js';
import { contractsInForce, lastReceipts } from '../../records/in-memory.js';
import { FORECASTS } from '../costs/records.js';
import { FORECAST_FIELDS } from '../costs/tables.js';
import { ANOMALY_RULES } from './records.js';
import type { AnomalyRule } from './standing-rules.js';
import { RULE_FIELDS } from './tables.js';
import { WEEKS } from './vocabulary.js';
import type { WatchedScope } from './watched-usage.js';
import type { WatchState, WeekHour } from './window.rules.js';

// What the reader of `spend_watch` keeps and looks up: each by one statement for all scopes.

const STATES_SQL = `SELECT w.position::int - 1 AS index, s.state
  FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY
    AS w(tenant_id, scope_kind, scope_ref, position)
  JOIN spend_watch s USING (tenant_id, scope_kind, scope_ref)`;

const KEEP_STATES_SQL = `
  INSERT INTO spend_watch (tenant_id, scope_kind, scope_ref, state)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[])
  ON CONFLICT (tenant_id, scope_kind, scope_ref)
  DO UPDATE SET state = EXCLUDED.state, updated_at = clock_timestamp()`;

const ADD_HOURS_SQL = `
  INSERT INTO spend_hour AS h (tenant_id, scope_kind, scope_ref, hour, requests, cost_micro)
  SELECT a, b, c, to_timestamp(d * 3600), e, f
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS w(a, b, c, d, e, f)
  ON CONFLICT (tenant_id, scope_kind, scope_ref, hour) DO UPDATE
  SET requests = h.requests + EXCLUDED.requests, cost_micro = h.cost_micro + EXCLUDED.cost_micro`;

const WEEKS_SQL = `
  SELECT w.position::int - 1 AS index, h.requests::float8 AS requests, h.cost_micro::float8 AS micro
  FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY
    AS w(tenant_id, scope_kind, scope_ref, position)
  CROSS JOIN generate_series(1, ${WEEKS.looked}) AS week
  JOIN spend_hour h USING (tenant_id, scope_kind, scope_ref)
  WHERE h.hour = to_timestamp($4::bigint * 3600) - week * interval '7 days'`;

type Names = readonly [string[], string[], string[]];

function namesOf(scopes: readonly WatchedScope[]): Names {
  return [
    scopes.map(({ tenantId }) => tenantId),
    scopes.map(({ scope }) => scope),
    scopes.map(({ ref }) => ref),
  ];
}

/** What is remembered of scopes, by their places in the list. */
export async function statesOf(
  client: PoolClient,
  scopes: readonly WatchedScope[],
): Promise<ReadonlyMap<number, WatchState>> {
  type Row = { readonly index: number; readonly state: WatchState };
  const { rows } = await named<Row>(client, 'spend_watch_states', STATES_SQL, [...namesOf(scopes)]);
  return new Map(rows.map(({ index, state }) => [index, state]));
}

/** Keeps what is remembered now. */
export async function keepStates(
  client: PoolClient,
  scopes: readonly WatchedScope[],
  states: readonly WatchState[],
): Promise<void> {
  const values = [...namesOf(scopes), states.map((state) => JSON.stringify(state))];
  await named(client, 'spend_watch_keep', KEEP_STATES_SQL, values);
}

/** Adds the requests of scopes to their sums by hour. Hours are counted since 1970. */
export async function addHours(client: PoolClient, scopes: readonly WatchedScope[]): Promise<void> {
  const cells = scopes.flatMap((each) => {
    const hours = new Map<number, { requests: number; micro: number }>();
    for (const { minute, micro } of each.requests) {
      const hour = Math.floor(minute / 60);
      const sum = hours.get(hour) ?? { requests: 0, micro: 0 };
      hours.set(hour, { requests: sum.requests + 1, micro: sum.micro + micro });
    }
    return [...hours].map(([hour, sum]) => ({ each, hour, ...sum }));
  });
  await named(client, 'spend_hour_add', ADD_HOURS_SQL, [
    ...namesOf(cells.map(({ each }) => each)),
    cells.map(({ hour }) => hour),
    cells.map(({ requests }) => requests),
    cells.map(({ micro }) => micro),
  ]);
}

/** The same hour of earlier weeks, by the places of the scopes in the list. */
export async function weeksOf(
  client: PoolClient,
  scopes: readonly WatchedScope[],
  hour: number,
): Promise<ReadonlyMap<number, readonly WeekHour[]>> {
  type Row = { readonly index: number; readonly requests: number; readonly micro: number };
  const values = [...namesOf(scopes), hour];
  const { rows } = await named<Row>(client, 'spend_watch_weeks', WEEKS_SQL, values);
  const weeks = new Map<number, WeekHour[]>();
  for (const { index, requests, micro } of rows) {
    weeks.set(index, [...(weeks.get(index) ?? []), [requests, micro]]);
  }
  return weeks;
}

/** A rule of an organization with who published it. */
export interface OwnRule {
  readonly rule: AnomalyRule;
  readonly by: string;
}

/** The active rules of organizations, in their latest versions. */
export async function rulesOf(
  client: PoolClient,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OwnRule[]>> {
  const rules = new Map<string, OwnRule[]>();
  for (const { tenantId, content, by } of await contractsInForce(
    client,
    tenantIds,
    ANOMALY_RULES.kind,
  )) {
    const rule = openedContent(RULE_FIELDS, content);
    const own = { rule, by: by ?? '' };
    if (rule.active) rules.set(tenantId, [...(rules.get(tenantId) ?? []), own]);
  }
  return rules;
}

const SPENT_SQL = `
  SELECT w.position::int - 1 AS index, COALESCE(sum(u.amount_micro), 0)::float8 AS "spentMicro"
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) WITH ORDINALITY
    AS w(tenant_id, scope_kind, scope_ref, starts_at, position)
  LEFT JOIN usage_event u ON u.tenant_id = w.tenant_id AND u.created_at >= w.starts_at
    AND CASE w.scope_kind
      WHEN 'use_case' THEN u.feature = w.scope_ref
      WHEN 'partner_client' THEN u.client_id = w.scope_ref
      WHEN 'agent_session' THEN
        COALESCE(u.metadata ->> 'session_id', u.metadata ->> 'agent_session') = w.scope_ref
      ELSE w.scope_ref IN (u.requested_model, u.model) END
  GROUP BY 1`;

/** What a scope has spent since its latest forecast that is not over; in micro-rubles. */
export interface RunningForecast {
  readonly baseMicro: number;
  readonly spentMicro: number;
}

/** So many forecasts of an organization are looked through for one that is not over. */
const FORECASTS_MAX = 50;

/** The running forecasts of scopes, by their places in the list. */
export async function forecastsOf(
  client: PoolClient,
  scopes: readonly WatchedScope[],
): Promise<ReadonlyMap<number, RunningForecast>> {
  const tenants = [...new Set(scopes.map(({ tenantId }) => tenantId))];
  const asked = { kind: FORECASTS.kind, limit: FORECASTS_MAX };
  const sealed = (await lastReceipts(client, tenants, asked)).map(({ tenantId, content }) => ({
    tenantId,
    ...openedContent(FORECAST_FIELDS, content),
  }));
  const now = sharedNowMs();
  const running = scopes.flatMap((each, index) => {
    const found = sealed.find(
      ({ tenantId, scope, scopeRef, endsAt }) =>
        tenantId === each.tenantId &&
        scope === each.scope &&
        scopeRef === each.ref &&
        endsAt.getTime() > now,
    );
    return found ? [{ each, index, found }] : [];
  });
  if (running.length === 0) return new Map();
  type Row = { readonly index: number; readonly spentMicro: number };
  const { rows } = await named<Row>(client, 'spent_of_running', SPENT_SQL, [
    ...namesOf(running.map(({ each }) => each)),
    running.map(({ found }) => found.startsAt),
  ]);
  const spent = new Map(rows.map(({ index, spentMicro }) => [index, spentMicro]));
  return new Map(
    running.map(({ index, found }, place) => [
      index,
      { baseMicro: Number(found.baseMicro), spentMicro: spent.get(place) ?? 0 },
    ]),
  );
}

/** Forgets scopes that nobody has used for a day, and hours before the weeks that are looked at. */
export async function forgetOld(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query(
    `DELETE FROM spend_watch WHERE updated_at < clock_timestamp() - interval '1 day'`,
  );
  await client.query(`DELETE FROM spend_hour WHERE hour < clock_timestamp() - interval '36 days'`);
}

/** Forgets everything: the rows are read from their begin. */
export async function forgetAll(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query('DELETE FROM spend_watch');
  await client.query('DELETE FROM spend_hour');
}
