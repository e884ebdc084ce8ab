import type { Services } from '../../graph/ctx.js';
import type { Window } from '../../kernel/window.rules.js';
import { tenantSnapshot } from '../../platform/database/tenant-snapshot.js';
import type { Position } from '../../records/feed.rules.js';
import { type FactsRow, factsOfRow } from './facts.js';
import { LEDGER_MARK, USAGE_MARK } from './prove.js';
import { FACT_COLUMNS, touchedByLines, touchedByUsage, unwholeSql } from './statements.js';
import { type SumsRow, sumsOfRow, WINDOW_SUMS } from './sums.js';
import {
  addTallies,
  BEHIND,
  FAULT_GROUPS,
  type FaultTally,
  faultsOfGroup,
  NO_FAULTS,
  shownOf,
  tallyOf,
  touches,
  type WindowFacts,
} from './tally.rules.js';
import { FAULTS_SHOWN_MAX, type IntegrityFault, ROWS_BEHIND_MAX } from './vocabulary.js';

/** What is asked of a tenant's books. */
export interface WindowQuestion {
  readonly tenantId: string;
  readonly window: Window;
  /** A request that was held before it and has not ended is dangling. */
  readonly danglingBefore: Date;
  /** Which faults the list of requests is about. */
  readonly faults: readonly IntegrityFault[];
}

const MARKS = `
  SELECT name, txid, seq, COALESCE(pg_sequence_last_value(CASE name
    WHEN '${LEDGER_MARK}' THEN 'ledger_entry_seq_seq' ELSE 'usage_event_seq_seq' END::regclass), 0)
    - seq AS behind
  FROM (
    SELECT name, COALESCE(m.txid, 0) AS txid, COALESCE(m.seq, 0) AS seq
    FROM unnest(ARRAY['${LEDGER_MARK}', '${USAGE_MARK}']) AS name
    LEFT JOIN reader_mark m USING (name)
  ) mark ORDER BY name`;

/** What came behind the marks in $2 to $5, of the tenant in $1. */
const LINES_BEHIND = 'tenant_id = $1 AND (txid, seq) > ($2, $3)';
const USAGE_BEHIND = 'tenant_id = $1 AND (txid, seq) > ($4, $5)';
const LATE = `
  SELECT tenant_id, request_id, array_agg(account) AS accounts
  FROM (${touchedByLines(LINES_BEHIND)} UNION ALL ${touchedByUsage(USAGE_BEHIND)}) each
  CROSS JOIN LATERAL unnest(accounts) AS account
  GROUP BY tenant_id, request_id`;

const IS_OPEN = 'holds > 0 AND charges + releases = 0 AND status IS NULL';
const IS_IN_WINDOW = ['held_at', 'ended_at', 'used_at']
  .map((column) => `(${column} >= $6 AND ${column} < $7)`)
  .join(' OR ');

/** Findings of the window that no later row touches, with what is wrong by now: $8 is the cut. */
const STANDING = `
  WITH behind AS MATERIALIZED (${LATE}),
  standing AS (
    SELECT f.*, CASE WHEN ${IS_OPEN} AND held_at < $8 THEN '{dangling}' ELSE faults END AS told
    FROM integrity_finding f
    WHERE tenant_id = $1 AND (${IS_IN_WINDOW})
      AND NOT EXISTS (SELECT FROM behind b WHERE b.request_id = f.request_id)
  )`;

function codesOf(faults: readonly IntegrityFault[]): string {
  return `ARRAY[${faults.map((code) => `'${code}'`).join(', ')}]`;
}

const COUNTED = FAULT_GROUPS.map(
  (group) => `count(*) FILTER (WHERE told && ${codesOf(faultsOfGroup(group))})::int AS "${group}"`,
).join(', ');
const INCOMPLETE = codesOf(
  (['orphans', 'doubles', 'danglings'] as const).flatMap((group) => faultsOfGroup(group)),
);
const HAS_ENDED = 'ended_at >= $6 AND ended_at < $7';
const IS_USED = 'used_at >= $6 AND used_at < $7';
const LONE_CHARGE = `'orphan_charge' = ANY (told) AND ${HAS_ENDED}`;
const LONE_USAGE = `'orphan_usage' = ANY (told) AND ${IS_USED}`;

const STANDING_TALLY = `${STANDING}
  SELECT ${COUNTED}, count(*) FILTER (WHERE told && ${INCOMPLETE})::int AS incomplete,
    count(*) FILTER (WHERE ${IS_OPEN} AND told = '{}')::int AS "underWay",
    COALESCE(sum(charges) FILTER (WHERE ${LONE_CHARGE}), 0)::int AS "unpairedCharges",
    COALESCE(sum(charged_micro) FILTER (WHERE ${LONE_CHARGE}), 0)::text AS "chargedMicro",
    COALESCE(sum(used_micro) FILTER (WHERE ${LONE_USAGE}), 0)::text AS "usedMicro",
    COALESCE(sum(replayed_micro) FILTER (WHERE ${LONE_USAGE}), 0)::text AS "replayedMicro",
    (COALESCE(sum(charges) FILTER (WHERE ${HAS_ENDED}), 0)
      - count(*) FILTER (WHERE ${IS_USED} AND status <> 'failed'))::int AS "unevenCharges",
    (COALESCE(sum(charged_micro) FILTER (WHERE ${HAS_ENDED}), 0)
      - COALESCE(sum(used_micro) FILTER (WHERE ${IS_USED}), 0))::text AS "unevenMicro",
    (COALESCE(sum(charged_micro) FILTER (WHERE ${HAS_ENDED}), 0)
      - COALESCE(sum(replayed_micro) FILTER (WHERE ${IS_USED} AND status <> 'failed'), 0))::text
      AS "unevenReplayedMicro"
  FROM standing`;

const STANDING_LIST = `${STANDING}
  SELECT ${FACT_COLUMNS} FROM standing WHERE told && $9::text[]
  ORDER BY request_id LIMIT ${FAULTS_SHOWN_MAX}`;

type TallyRow = FaultTally['counts'] &
  Pick<FaultTally, 'incomplete' | 'underWay' | 'unpairedCharges' | 'unevenCharges'> & {
    readonly unevenMicro: string;
    readonly unevenReplayedMicro: string;
    readonly chargedMicro: string;
    readonly usedMicro: string;
    readonly replayedMicro: string;
  };

/** Where a reader stands, and how many rows have come since, as far as the counter tells. */
type Mark = Position & { readonly behind: bigint };

/**
 * What the books of a window say, from the proof of its hours and from what came behind it, in one
 * snapshot: nothing is missed or counted twice while the proof is brought forward.
 */
export function readWindow(
  { pool }: Pick<Services, 'pool'>,
  question: WindowQuestion,
): Promise<WindowFacts> {
  return tenantSnapshot(pool, question.tenantId, async (query) => {
    await query('SET LOCAL enable_seqscan = off');
    const { window, danglingBefore, tenantId } = question;
    const marks = await query<Mark>(MARKS);
    if (marks.some((mark) => mark.behind > ROWS_BEHIND_MAX)) return BEHIND;
    const behind = [tenantId, ...marks.flatMap(({ txid, seq }) => [txid, seq])];
    const values = [...behind, window.from, window.to];
    const [sums] = await query<SumsRow>(WINDOW_SUMS, values);
    const late = (await query<FactsRow>(unwholeSql(LATE), behind))
      .map(factsOfRow)
      .filter((facts) => touches(window, facts));
    const standing = [...values, danglingBefore];
    const [row] = await query<TallyRow>(STANDING_TALLY, standing);
    const listed = await query<FactsRow>(STANDING_LIST, [...standing, question.faults]);
    const tallies = late.map((facts) => tallyOf(facts, window, danglingBefore));
    return {
      sums: sumsOfRow(sums),
      tally: tallies.reduce(addTallies, tallyOfRow(row)),
      faulty: shownOf([...listed.map(factsOfRow), ...late], question.faults, danglingBefore),
      isBehind: false,
      basis: 'incremental',
    };
  });
}

function tallyOfRow(row: TallyRow | undefined): FaultTally {
  if (!row) return NO_FAULTS;
  const { incomplete, underWay, unpairedCharges, unevenCharges } = row;
  const counts = Object.fromEntries(FAULT_GROUPS.map((group) => [group, row[group]]));
  return {
    counts: counts as FaultTally['counts'],
    incomplete,
    underWay,
    unpairedCharges,
    unpairedChargedMicro: BigInt(row.chargedMicro),
    unpairedUsedMicro: BigInt(row.usedMicro),
    unpairedReplayedMicro: BigInt(row.replayedMicro),
    unevenCharges,
    unevenMicro: BigInt(row.unevenMicro),
    unevenReplayedMicro: BigInt(row.unevenReplayedMicro),
  };
}
