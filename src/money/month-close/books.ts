import type { Services } from '../../graph/ctx.js';
import type { Window } from '../../kernel/window.rules.js';
import { type SnapshotQuery, tenantSnapshot } from '../../platform/database/tenant-snapshot.js';
import { InFlightLimiter } from '../../records/in-flight-limiter.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { type LinePlace, readAdvances } from '../advances/read.js';
import { monthWindow } from '../integrity/period.rules.js';
import type { CorrectedMonth, LedgerGroup, MonthBooks, UsageGroup } from './close.rules.js';
import { LINES_MAX } from './vocabulary.js';

/** It reads every row of a month: one at a time on a node. */
const atOnce = new InFlightLimiter(1);
const STATEMENT_MS_MAX = 120_000;

/** A line of the account by its number, with the balance after it. */
interface Line extends LinePlace {
  readonly at: Date;
}

/** Before the first line an account owns nothing. */
const NO_LINE: LinePlace = { version: 0n, postedMicro: 0n };

const LINE = `
  SELECT account_version AS version, created_at AS at, posted_after AS "postedMicro"
  FROM ledger_entry WHERE account_id = $1 AND account_version <= $2
  ORDER BY account_version DESC LIMIT 1`;

/** The lines $2 < number <= $3 of the account, summed by kind and rate. */
const LEDGER_GROUPS = `
  SELECT type, COALESCE(vat_rate_basis_points, 0) AS rate, count(*) AS lines,
    sum(posted_delta)::bigint AS "postedMicro", sum(vat_micro)::bigint AS "vatMicro"
  FROM ledger_entry
  WHERE account_id = $1 AND account_version > $2 AND account_version <= $3
    AND type NOT IN ('hold', 'release')
  GROUP BY 1, 2 ORDER BY 1, 2`;

/**
 * Usage of the window by rate, operation and model, and what refunds of the lines take off it: of
 * charges of the window, or of those of an earlier month, which is named. Refunds are few; each
 * looks up its charge.
 */
const USAGE_GROUPS = `
  SELECT rate, operation, model, corrects, sum(requests)::bigint AS requests,
    sum(gross)::bigint AS "grossMicro", sum(vat)::bigint AS "vatMicro"
  FROM (
    SELECT vat_rate_basis_points AS rate, operation, model, NULL AS corrects, count(*) AS requests,
      sum(amount_micro) AS gross, sum(vat_micro) AS vat
    FROM usage_event
    WHERE tenant_id = $4 AND created_at >= $5 AND created_at < $6 AND status <> 'failed'
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT e.vat_rate_basis_points, u.operation, u.model,
      CASE WHEN c.created_at < $5
        THEN to_char(c.created_at AT TIME ZONE 'Europe/Moscow', 'YYYY-MM') END,
      0, -e.amount_micro, -e.vat_micro
    FROM ledger_entry e
    LEFT JOIN ledger_entry c ON c.account_id = $1 AND c.request_id = e.charged_request_id
      AND c.type = 'finalize'
    LEFT JOIN usage_event u ON u.tenant_id = $4 AND u.id = e.charged_request_id
    WHERE e.account_id = $1 AND e.account_version > $2 AND e.account_version <= $3
      AND e.type = 'refund'
  ) part
  GROUP BY 1, 2, 3, 4 ORDER BY 4 NULLS FIRST, 1, 2, 3 LIMIT ${LINES_MAX}`;

/**
 * What refunds until $4 have given back of charges with the numbers $2 < number <= $3, and of it
 * what they have until $5. Refunds are few; each looks up its charge.
 */
const REFUNDED = `
  SELECT coalesce(sum(e.amount_micro), 0)::bigint AS gross,
    coalesce(sum(e.vat_micro), 0)::bigint AS vat,
    coalesce(sum(e.amount_micro) FILTER (WHERE e.account_version <= $5), 0)::bigint
      AS "grossBefore",
    coalesce(sum(e.vat_micro) FILTER (WHERE e.account_version <= $5), 0)::bigint AS "vatBefore"
  FROM ledger_entry e CROSS JOIN LATERAL (
    SELECT account_version AS version FROM ledger_entry
    WHERE account_id = $1 AND request_id = e.charged_request_id AND type = 'finalize' OFFSET 0
  ) c
  WHERE e.account_id = $1 AND e.account_version <= $4 AND e.type = 'refund'
    AND c.version > $2 AND c.version <= $3`;

interface RefundedRow extends Record<string, unknown> {
  readonly gross: bigint;
  readonly vat: bigint;
  readonly grossBefore: bigint;
  readonly vatBefore: bigint;
}

type Charged = CorrectedMonth['before'] & Record<string, unknown>;

const CHARGED = `
  SELECT coalesce(sum(amount_micro), 0)::bigint AS "grossMicro",
    coalesce(sum(vat_micro), 0)::bigint AS "vatMicro"
  FROM ledger_entry
  WHERE account_id = $1 AND account_version > $2 AND account_version <= $3 AND type = 'finalize'`;

const BUYER = `
  SELECT t.name, a.id AS "accountId", a.version FROM tenant t
  JOIN account a ON a.tenant_id = t.id WHERE t.id = $1`;

/** What the books say of a month that has ended, in one snapshot. */
export function readMonth(
  { pool }: Pick<Services, 'pool'>,
  tenantId: string,
  month: string,
  window: Window,
): Promise<MonthBooks> {
  const read = async (query: SnapshotQuery): Promise<MonthBooks> => {
    const [buyer] = await query<{ name: string; accountId: string; version: bigint }>(BUYER, [
      tenantId,
    ]);
    if (!buyer) throw new Error('an organization has no account');
    const { accountId, version } = buyer;
    const before = await lastBefore(query, accountId, version, window.from);
    const last = await lastBefore(query, accountId, version, window.to);
    const lines = [accountId, before?.version ?? 0n, last?.version ?? 0n] as const;
    const ledger = await query<LedgerGroup>(LEDGER_GROUPS, lines);
    const usage = await query<UsageGroup>(USAGE_GROUPS, [
      ...lines,
      tenantId,
      window.from,
      window.to,
    ]);
    const corrected: CorrectedMonth[] = [];
    for (const each of new Set(usage.map(({ corrects }) => corrects))) {
      if (each !== null) corrected.push(await correctedMonth(query, each, lines));
    }
    const places = [before, last].map((line) => line ?? NO_LINE);
    const [opening, closing] = await readAdvances(query, accountId, places);
    if (!opening || !closing) throw new Error('a month has two ends');
    return {
      month,
      window,
      buyerName: buyer.name,
      openingMicro: before?.postedMicro ?? 0n,
      closingMicro: last?.postedMicro ?? 0n,
      advances: { opening, closing },
      ledger,
      usage,
      corrected,
    };
  };
  return atOnce.take(async () => {
    const books = await tenantSnapshot(pool, tenantId, read, STATEMENT_MS_MAX);
    await requireUsageSince(pool, window.from);
    return books;
  });
}

/** An earlier month as it stood before and after the lines $2 < number <= $3 of this one. */
async function correctedMonth(
  query: SnapshotQuery,
  month: string,
  [accountId, from, to]: readonly [string, bigint, bigint],
): Promise<CorrectedMonth> {
  const window = monthWindow(month);
  const first = await lastBefore(query, accountId, to, window.from);
  const last = await lastBefore(query, accountId, to, window.to);
  const range = [accountId, first?.version ?? 0n, last?.version ?? 0n];
  const [charged] = await query<Charged>(CHARGED, range);
  const [refunded] = await query<RefundedRow>(REFUNDED, [...range, to, from]);
  if (!charged || !refunded) throw new Error('an aggregate has one row');
  const { grossMicro, vatMicro } = charged;
  const { gross, vat, grossBefore, vatBefore } = refunded;
  return {
    month,
    before: { grossMicro: grossMicro - grossBefore, vatMicro: vatMicro - vatBefore },
    after: { grossMicro: grossMicro - gross, vatMicro: vatMicro - vat },
  };
}

/**
 * The last line of an account before a moment. Lines are in the order of their times, so halving
 * their numbers finds it in as many steps as its number has bits.
 */
async function lastBefore(
  query: SnapshotQuery,
  accountId: string,
  version: bigint,
  moment: Date,
): Promise<Line | undefined> {
  let found: Line | undefined;
  let [low, high] = [1n, version];
  while (low <= high) {
    const middle = (low + high) / 2n;
    const [line] = await query<Line & Record<string, unknown>>(LINE, [accountId, middle]);
    if (line && line.at >= moment) high = middle - 1n;
    else {
      found = line ?? found;
      low = middle + 1n;
    }
  }
  return found;
}
