import type { Pool, PoolClient } from 'pg';
import { USAGE_DIMENSIONS, type UsageDimension } from '../../catalog/providers/vocabulary.js';
import type { Services } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { moscowDay, TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { publishBy } from '../../records/feed-writer.js';
import { changesAfter, differenceOf, type PriceChange } from './price-notice.rules.js';
import { PRICE_CHANGE_TOLD } from './price-notice-payload.js';

/** How often a node asks its memory whether there is anything to tell, in milliseconds. */
export const PRICE_NOTICES_EVERY_MS = 5_000;

/** How often organizations are looked for that have begun to use a model since, in milliseconds. */
const AGAIN_MS = 3_600_000;

const USAGE_DAYS = 30;
const TENANTS_AT_ONCE = 50;
const WITHDRAWN_AT_ONCE = 500;

/** As long as a page may take: nobody waits for it. */
const PAGE_MS_MAX = 60_000;

/** Usage is counted by days of Moscow: those before today, and today. */
const SINCE_SQL = `date_trunc('day', clock_timestamp(), '${TIME_ZONE_DEFAULT}')
  - interval '${USAGE_DAYS} days'`;

type Needed = Pick<Services, 'registry' | 'usageRollup'> & { readonly platformPool: Pool };

/**
 * One node at a time tells, and only one that knows the last change of the providers: another one
 * would announce, or withdraw, what is no longer so. Whoever is refused looks again later.
 */
const TURN_SQL = `SELECT pg_try_advisory_xact_lock(hashtextextended('price_notice', 0))
  AND $1 = (SELECT coalesce(max(seq), 0) FROM provider_change) AS mine`;

const CHANGE_COLUMNS = USAGE_DIMENSIONS.codes.map((each) => `${each} boolean`);

/**
 * The usage of a page of organizations, of the deployments whose price changes in a dimension that
 * they have used, without what they were told of. The page is by the organizations that have sums;
 * days that are closed are read as days, later time by the hour.
 */
const DUE_SQL = `
  WITH page AS (
    SELECT tenant_id, until FROM usage_rollup_closed WHERE tenant_id > $1
    ORDER BY tenant_id LIMIT ${TENANTS_AT_ONCE}),
  change AS (
    SELECT * FROM json_to_recordset($2::json) AS c (
      place int, deployment text, day date, sha256 text, ${CHANGE_COLUMNS.join(', ')})),
  used AS (
    SELECT p.tenant_id, u.* FROM page p CROSS JOIN LATERAL (
      SELECT provider || ':' || model AS deployment, sum(requests) AS requests,
        ${USAGE_DIMENSIONS.codes.map((each) => `sum(${each}) AS ${each}`).join(', ')}
      FROM (
        SELECT * FROM usage_rollup
        WHERE tenant_id = p.tenant_id AND cube = 'route' AND grain = 'day'
          AND starts_at >= ${SINCE_SQL} AND starts_at < p.until
        UNION ALL
        SELECT * FROM usage_rollup
        WHERE tenant_id = p.tenant_id AND cube = 'route' AND grain = 'hour'
          AND starts_at >= greatest(${SINCE_SQL}, p.until)) cells
      GROUP BY 1) u),
  due AS (
    SELECT u.tenant_id, c.place, c.deployment, c.day, c.sha256, u.requests,
      ${USAGE_DIMENSIONS.codes.map((each) => `u.${each}`).join(', ')}
    FROM used u JOIN change c USING (deployment)
    WHERE (${USAGE_DIMENSIONS.codes.map((each) => `c.${each} AND u.${each} > 0`).join(' OR ')})
      AND NOT EXISTS (SELECT FROM price_notice n
        WHERE n.tenant_id = u.tenant_id AND n.deployment = c.deployment
          AND n.effective_from = c.day AND n.prices_sha256 = decode(c.sha256, 'hex')
          AND n.withdrawn_at IS NULL))
  SELECT (SELECT max(tenant_id::text) FROM page) AS "last", d.tenant_id AS "tenantId", d.place,
    d.requests::bigint AS requests,
    ${USAGE_DIMENSIONS.codes.map((each) => `d.${each}::bigint AS ${each}`).join(', ')}
  FROM (SELECT) one LEFT JOIN due d ON true ORDER BY d.tenant_id, d.place`;

interface DueRow extends Readonly<Record<UsageDimension, bigint>> {
  /** The last organization of the page; null for an empty one. */
  readonly last: string | null;
  /** Null in the one row of a page in which nobody is to be told. */
  readonly tenantId: string | null;
  readonly place: number;
  readonly requests: bigint;
}

const TELL_SQL = `INSERT INTO price_notice
    (tenant_id, deployment, effective_from, prices_sha256, told)
  VALUES ($1, $2, $3, decode($4, 'hex'), $5) ON CONFLICT DO NOTHING`;

/** Open notices of rows of known deployments that will not begin as they were announced. */
const WITHDRAW_SQL = `
  UPDATE price_notice n SET withdrawn_at = clock_timestamp()
  WHERE n.withdrawn_at IS NULL AND (n.tenant_id, n.deployment, n.effective_from, n.told_at) IN (
    SELECT o.tenant_id, o.deployment, o.effective_from, o.told_at FROM price_notice o
    WHERE o.withdrawn_at IS NULL AND o.effective_from > $1::date
      AND o.deployment = ANY ($2::text[])
      AND NOT EXISTS (
        SELECT FROM json_to_recordset($3::json) AS c (deployment text, day date, sha256 text)
        WHERE c.deployment = o.deployment AND c.day = o.effective_from
          AND decode(c.sha256, 'hex') = o.prices_sha256)
    ORDER BY o.tenant_id LIMIT ${WITHDRAWN_AT_ONCE})
  RETURNING n.tenant_id AS "tenantId", n.deployment, n.effective_from::text AS day, n.told`;

interface Withdrawn {
  readonly tenantId: string;
  readonly deployment: string;
  readonly day: string;
  readonly told: SealedContent;
}

/** Before every id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Tells organizations of price rows that begin later and are of models which they have used in the
 * last 30 days: each once for each row, in the transaction that keeps it, and once more where the
 * row is superseded before its day. Work of a timer: no request waits for it.
 */
export class PriceNotices {
  private doneFor = '';
  private doneMs = Number.NEGATIVE_INFINITY;
  private telling: Promise<boolean> | undefined;

  constructor(private readonly services: Needed) {}

  /** Tells where rows have changed since the last time, or an hour has passed. */
  async tellWhenDue(nowMs = performance.now()): Promise<void> {
    const { registry } = this.services;
    const state = `${registry.version} ${moscowDay(sharedNowMs())}`;
    if (state === this.doneFor && nowMs - this.doneMs < AGAIN_MS) return;
    if (!(await this.tell())) return;
    this.doneFor = state;
    this.doneMs = nowMs;
  }

  /**
   * Tells all that is to be told now; what runs already is waited for.
   * @returns false where another node tells, or this one does not know the last change yet
   */
  tell(): Promise<boolean> {
    this.telling ??= this.tellAll().finally(() => {
      this.telling = undefined;
    });
    return this.telling;
  }

  private async tellAll(): Promise<boolean> {
    const { registry, usageRollup } = this.services;
    const deployments = [...registry.deploymentsByKey.values()];
    const today = moscowDay(sharedNowMs());
    const changes = deployments.flatMap((each) => changesAfter(today, each));
    const view = { version: registry.version, changes };
    const known = deployments.map(({ key }) => key);
    const withdraws = (client: PoolClient) => withdraw(client, { ...view, today, known });
    let withdrawn: number | undefined;
    do {
      withdrawn = await this.inTurn(view.version, withdraws);
      if (withdrawn === undefined) return false;
    } while (withdrawn === WITHDRAWN_AT_ONCE);
    if (changes.length === 0) return true;
    await usageRollup.bringForward();
    let last: string | null = NOBODY;
    while (last !== null) {
      const after: string = last;
      const told: { last: string | null } | undefined = await this.inTurn(view.version, (client) =>
        announce(client, changes, after),
      );
      if (told === undefined) return false;
      last = told.last;
    }
    return true;
  }

  /** Work in one transaction, while no other node tells; undefined where it is not our turn. */
  private async inTurn<T>(
    version: number,
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T | undefined> {
    const client = await this.services.platformPool.connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ mine: boolean }>(TURN_SQL, [version]);
      const done = rows[0]?.mine === true ? await work(client) : undefined;
      await client.query('COMMIT');
      client.release();
      return done;
    } catch (error) {
      // The transaction ends with its connection.
      client.release(true);
      throw error;
    }
  }
}

/** What the database compares of a change. */
function asked(changes: readonly PriceChange[]): string {
  return JSON.stringify(
    changes.map(({ deployment, row, before, sha256 }, place) => ({
      place,
      deployment,
      day: row.effectiveFrom,
      sha256,
      ...Object.fromEntries(
        USAGE_DIMENSIONS.codes.map((each) => [
          each,
          row.microRubPerMillion[each] !== before.microRubPerMillion[each],
        ]),
      ),
    })),
  );
}

/** Tells the organizations of a page. @returns the last of them, null after the last page */
async function announce(client: PoolClient, changes: readonly PriceChange[], after: string) {
  const values = [after, asked(changes)];
  const statement = { text: DUE_SQL, values, query_timeout: PAGE_MS_MAX };
  const { rows } = await client.query<DueRow>(statement);
  for (const { tenantId, place, requests, ...sums } of rows) {
    const change = changes[place];
    if (tenantId === null || !change) continue;
    const { deployment, provider, model, row, sha256 } = change;
    const { effectiveFrom, vatBasis } = row;
    const told = sealedContent(PRICE_CHANGE_TOLD.fields, {
      ...{ deployment, provider, model, effectiveFrom, vatBasis },
      ...differenceOf(change, { requests, tokens: sums }),
      usageDays: USAGE_DAYS,
      requests,
    });
    const kept = [tenantId, deployment, effectiveFrom, sha256, told];
    if ((await client.query(TELL_SQL, kept)).rowCount === 0) continue;
    await publishTo(client, 'price_change', { tenantId, deployment, day: effectiveFrom, told });
  }
  return { last: rows[0]?.last ?? null };
}

/** Tells of rows that will not begin as they were announced. @returns how many it told */
async function withdraw(
  client: PoolClient,
  view: {
    readonly changes: readonly PriceChange[];
    readonly today: string;
    readonly known: readonly string[];
  },
): Promise<number> {
  const { today, known, changes } = view;
  const { rows } = await client.query<Withdrawn>(WITHDRAW_SQL, [today, known, asked(changes)]);
  for (const each of rows) await publishTo(client, 'price_change_withdrawn', each);
  return rows.length;
}

function publishTo(
  client: PoolClient,
  type: string,
  { tenantId, deployment, day, told: payload }: Withdrawn,
) {
  const subjectId = `${deployment}@${day}`;
  const event = { tenantId, feed: ANOMALY_FEED.name, type, subjectId, payload };
  return publishBy(client, event, null);
}
