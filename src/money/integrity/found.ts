import type { PoolClient } from 'pg';
import type { Window } from '../../kernel/window.rules.js';
import { faultsAt, isOpen, type RequestFacts } from './faults.rules.js';
import {
  FAULT_GROUPS,
  type FaultTally,
  type FaultyRequest,
  faultsOfGroup,
  NO_FAULTS,
  tallyOf,
} from './tally.rules.js';
import { FAULTS_SHOWN_MAX, type IntegrityFault } from './vocabulary.js';

/** Requests with what is wrong with their rows. */
export type NamedFaults = Readonly<Record<string, readonly IntegrityFault[]>>;

/** A reading of a period. */
export interface ReadingRef {
  readonly tenantId: string;
  readonly id: string;
  readonly generation: number;
}

/** Of which reading something was found, and how it is judged. */
interface Judged {
  readonly period: ReadingRef;
  readonly window: Window;
  readonly danglingBefore: Date;
}

/** A request may be found by several steps, each of which knows all that both traces say of it. */
const KEEP = `
  INSERT INTO integrity_fault AS f
  SELECT r.* FROM jsonb_populate_recordset(NULL::integrity_fault, $1) r
  ON CONFLICT (tenant_id, seal_id, generation, request_id) DO UPDATE SET
    faults = ARRAY(SELECT DISTINCT unnest(f.faults || EXCLUDED.faults)),
    under_way = EXCLUDED.under_way`;

/**
 * Keeps requests with what is wrong with them. A request without a fault is kept while it is under
 * way, and else not at all.
 */
export async function keepFaults(
  client: PoolClient,
  judged: Judged,
  told: readonly RequestFacts[],
  named: NamedFaults,
): Promise<void> {
  const rows = told.flatMap((facts) => {
    const faults = [...faultsAt(facts, judged.danglingBefore), ...(named[facts.requestId] ?? [])];
    const isUnderWay = isOpen(facts) && !faults.includes('dangling');
    return faults.length > 0 || isUnderWay ? [rowOf(judged, facts, faults, isUnderWay)] : [];
  });
  if (rows.length > 0) await client.query(KEEP, [JSON.stringify(rows)]);
}

function rowOf(
  { period, window, danglingBefore }: Judged,
  facts: RequestFacts,
  faults: readonly IntegrityFault[],
  isUnderWay: boolean,
) {
  const tally = tallyOf(facts, window, danglingBefore);
  return {
    tenant_id: period.tenantId,
    seal_id: period.id,
    generation: period.generation,
    request_id: facts.requestId,
    faults,
    under_way: isUnderWay,
    charged_micro: facts.chargedMicro?.toString() ?? null,
    used_micro: facts.usedMicro?.toString() ?? null,
    replayed_micro: facts.replayedMicro?.toString() ?? null,
    held_at: facts.heldAt,
    ended_at: facts.endedAt,
    used_at: facts.usedAt,
    unpaired_charges: tally.unpairedCharges,
    unpaired_charged_micro: tally.unpairedChargedMicro.toString(),
    unpaired_used_micro: tally.unpairedUsedMicro.toString(),
    unpaired_replayed_micro: tally.unpairedReplayedMicro.toString(),
  };
}

function codesOf(faults: readonly IntegrityFault[]): string {
  return `ARRAY[${faults.map((code) => `'${code}'`).join(', ')}]`;
}

const COUNTED = FAULT_GROUPS.map(
  (group) =>
    `count(*) FILTER (WHERE faults && ${codesOf(faultsOfGroup(group))})::int AS "${group}"`,
).join(', ');
const INCOMPLETE = codesOf(
  (['orphans', 'doubles', 'danglings'] as const).flatMap((group) => faultsOfGroup(group)),
);
const OF_READING = 'tenant_id = $1 AND seal_id = $2 AND generation = $3';

const TALLY = `
  SELECT ${COUNTED}, count(*) FILTER (WHERE faults && ${INCOMPLETE})::int AS incomplete,
    count(*) FILTER (WHERE cardinality(faults) > 0)::int AS total,
    count(*) FILTER (WHERE under_way)::int AS "underWay",
    COALESCE(sum(unpaired_charges), 0)::int AS "unpairedCharges",
    COALESCE(sum(unpaired_charged_micro), 0)::text AS "chargedMicro",
    COALESCE(sum(unpaired_used_micro), 0)::text AS "usedMicro",
    COALESCE(sum(unpaired_replayed_micro), 0)::text AS "replayedMicro"
  FROM integrity_fault WHERE ${OF_READING}`;

/** A faulty request as its row has it. */
export interface FaultRow {
  readonly requestId: string;
  readonly faults: readonly IntegrityFault[];
  readonly chargedMicro: bigint | null;
  readonly usedMicro: bigint | null;
  readonly replayedMicro: bigint | null;
  readonly heldAt: Date | null;
  readonly endedAt: Date | null;
  readonly usedAt: Date | null;
}

/** The columns of a faulty request; money as text, since it may be of any size. */
export const FAULT_COLUMNS = `request_id AS "requestId", faults,
  charged_micro::text AS "chargedMicro", used_micro::text AS "usedMicro",
  replayed_micro::text AS "replayedMicro", held_at AS "heldAt", ended_at AS "endedAt",
  used_at AS "usedAt"`;

const LIST = `SELECT ${FAULT_COLUMNS} FROM integrity_fault
  WHERE ${OF_READING} AND cardinality(faults) > 0 ORDER BY request_id LIMIT ${FAULTS_SHOWN_MAX}`;

type TallyRow = FaultTally['counts'] & {
  readonly incomplete: number;
  readonly total: number;
  readonly underWay: number;
  readonly unpairedCharges: number;
  readonly chargedMicro: string;
  readonly usedMicro: string;
  readonly replayedMicro: string;
};

/** A faulty request as a statement has answered it. */
export function faultRowOf(row: object): FaultRow {
  const of = row as Record<keyof FaultRow, never>;
  const micro = (text: string | null) => (text === null ? null : BigInt(text));
  const { chargedMicro, usedMicro, replayedMicro } = of;
  const amounts = {
    chargedMicro: micro(chargedMicro),
    usedMicro: micro(usedMicro),
    replayedMicro: micro(replayedMicro),
  };
  return { ...(of as FaultRow), ...amounts };
}

/** What a reading has found in all: the tally, the first requests and how many there are. */
export async function foundIn(
  client: Pick<PoolClient, 'query'>,
  { tenantId, id, generation }: ReadingRef,
): Promise<{ tally: FaultTally; faulty: readonly FaultyRequest[]; total: number }> {
  const values = [tenantId, id, generation];
  const { rows } = await client.query<TallyRow>(TALLY, values);
  const listed = await client.query<object>(LIST, values);
  const faulty = listed.rows.map(faultRowOf).map((row) => ({
    facts: { ...NOTHING, ...row, tenantId },
    faults: row.faults,
  }));
  return { tally: tallyOfRow(rows[0]), faulty, total: rows[0]?.total ?? 0 };
}

/** Of the facts a list of faulty requests shows only some, which its rows have. */
const NOTHING = {
  holds: 0,
  charges: 0,
  releases: 0,
  chargedVatMicro: null,
  chargedRate: null,
  status: null,
  usedVatMicro: null,
  usedRate: null,
  priceBegun: null,
} as const;

function tallyOfRow(row: TallyRow | undefined): FaultTally {
  if (!row) return NO_FAULTS;
  const counts = Object.fromEntries(FAULT_GROUPS.map((group) => [group, row[group]]));
  return {
    ...NO_FAULTS,
    counts: counts as FaultTally['counts'],
    incomplete: row.incomplete,
    underWay: row.underWay,
    unpairedCharges: row.unpairedCharges,
    unpairedChargedMicro: BigInt(row.chargedMicro),
    unpairedUsedMicro: BigInt(row.usedMicro),
    unpairedReplayedMicro: BigInt(row.replayedMicro),
  };
}

const FORGET = `DELETE FROM integrity_fault WHERE ${OF_READING}`;

/** Forgets what a reading has found that changed nothing. */
export function forgetFaults(
  client: Pick<PoolClient, 'query'>,
  { tenantId, id, generation }: ReadingRef,
): Promise<unknown> {
  return client.query(FORGET, [tenantId, id, generation]);
}
