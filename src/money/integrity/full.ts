import type { Services } from '../../graph/ctx.js';
import type { Window } from '../../kernel/window.rules.js';
import { type SnapshotQuery, tenantSnapshot } from '../../platform/database/tenant-snapshot.js';
import { InFlightLimiter } from '../../records/in-flight-limiter.js';
import { type FactsRow, factsOfRow } from './facts.js';
import type { RequestFacts } from './faults.rules.js';
import { REPLAYED_USAGE, REQUEST_LINES, suspectSql, unwholeSql } from './statements.js';
import { RAW_SUMS, type SumsRow, sumsOfRow } from './sums.js';
import {
  addSums,
  addTallies,
  NO_FAULTS,
  NO_SUMS,
  shownOf,
  tallyOf,
  touches,
  type WindowFacts,
} from './tally.rules.js';
import type { WindowQuestion } from './window.js';

/** It reads every row of a window: one at a time on a node. */
const atOnce = new InFlightLimiter(1);
const STATEMENT_MS_MAX = 120_000;
const SLICE_MS = 86_400_000;

/** Requests whose rows from $2 to $3 are not whole by themselves, of the tenant in $1. */
export const SUSPECTS = suspectSql(
  `SELECT * FROM ledger_entry WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3
     AND ${REQUEST_LINES}`,
  `SELECT * FROM ${REPLAYED_USAGE}
   WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3`,
);

/**
 * What the books of a window say, read anew from every ledger line and usage row of it, whatever
 * was proven before. A day at a time, in one snapshot.
 */
export function readWindowFully(
  { pool }: Pick<Services, 'pool'>,
  question: WindowQuestion,
): Promise<WindowFacts> {
  const { tenantId, window, danglingBefore } = question;
  const read = async (query: SnapshotQuery): Promise<WindowFacts> => {
    const suspects = new Map<string, RequestFacts>();
    let sums = NO_SUMS;
    for (const { from, to } of slicesOf(window)) {
      const values = [tenantId, from, to];
      const [row] = await query<SumsRow>(RAW_SUMS, values);
      sums = addSums(sums, sumsOfRow(row));
      const found = (await query<FactsRow>(unwholeSql(SUSPECTS), values)).map(factsOfRow);
      for (const facts of found) suspects.set(facts.requestId, facts);
    }
    const all = [...suspects.values()].filter((facts) => touches(window, facts));
    const tallies = all.map((facts) => tallyOf(facts, window, danglingBefore));
    const tally = tallies.reduce(addTallies, NO_FAULTS);
    const faulty = shownOf(all, question.faults, danglingBefore);
    return { sums, tally, faulty, isBehind: false, basis: 'full' };
  };
  return atOnce.take(() => tenantSnapshot(pool, tenantId, read, STATEMENT_MS_MAX));
}

function slicesOf({ from, to }: Window): Window[] {
  const slices: Window[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += SLICE_MS) {
    slices.push({ from: new Date(at), to: new Date(Math.min(at + SLICE_MS, to.getTime())) });
  }
  return slices;
}
