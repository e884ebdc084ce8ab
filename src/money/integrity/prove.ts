import type { PoolClient, QueryConfig, QueryResultRow } from 'pg';
import type { Services } from '../../graph/ctx.js';
import {
  BATCH_SETTINGS,
  type Batch,
  goesOn,
  isDue,
  type Pace,
  type Reader,
  type Step,
  StepRows,
} from '../../records/brought-forward.js';
import type { LookTimes } from '../../records/looks.js';
import { type FactsRow, factsOfRow, findingOf } from './facts.js';
import { PROVE_LINES, PROVE_USAGE } from './statements.js';
import { WITNESS_READER } from './witness.js';

/** The mark of the reader of ledger lines. */
export const LEDGER_MARK = 'integrity_ledger';
/** The mark of the reader of usage rows. */
export const USAGE_MARK = 'integrity_usage';

/** So many rows are compared in one transaction: a fraction of a second on a usual machine. */
const ROWS = { max: 20_000, min: 100 } as const;
/** A run ends after so long; the next one goes on. */
const RUN_MS_MAX = 4_000;
/**
 * Rows cost a fraction by thousands of what they cost by dozens, and each batch judges anew what is
 * under way at its edges. What stands behind the marks is read row by row by every check.
 */
const PACE: Pace = { rows: 4_000, ms: 20_000 };
const STATEMENT_MS_MAX = 60_000;

/** Both readers judge the same requests: whoever judges later must see what the other has seen. */
const IN_TURN = `SELECT pg_advisory_xact_lock(hashtext('billing_integrity'))`;

const REMEMBER = `
  INSERT INTO integrity_finding AS f
  SELECT r.* FROM jsonb_populate_recordset(NULL::integrity_finding, $1) r
  ON CONFLICT (tenant_id, request_id) DO UPDATE SET status = EXCLUDED.status,
    used_micro = EXCLUDED.used_micro, used_vat_micro = EXCLUDED.used_vat_micro,
    used_rate = EXCLUDED.used_rate, replayed_micro = EXCLUDED.replayed_micro,
    price_begun = EXCLUDED.price_begun, used_at = EXCLUDED.used_at,
    faults = ARRAY(SELECT DISTINCT unnest(f.faults || EXCLUDED.faults))`;

/**
 * Each reader leaves to the other what that one sees too, so they begin anew together. A batch of
 * the other one that is under way ends without effect, since its mark has moved.
 */
const FORGET = [
  'DELETE FROM integrity_hour',
  'DELETE FROM integrity_finding',
  `UPDATE reader_mark SET txid = 0, seq = 0 WHERE name IN ('${LEDGER_MARK}', '${USAGE_MARK}')`,
];

const READERS: readonly Reader[] = [
  {
    name: LEDGER_MARK,
    table: 'ledger_entry',
    work: (client, batch) => prove(client, batch, PROVE_LINES),
    forget,
  },
  {
    name: USAGE_MARK,
    table: 'usage_event',
    work: (client, batch) => prove(client, batch, PROVE_USAGE),
    forget,
  },
  WITNESS_READER,
];

function run<R extends QueryResultRow>(
  client: PoolClient,
  text: string,
  values: readonly unknown[] = [],
) {
  const config = { text, values: [...values], query_timeout: STATEMENT_MS_MAX };
  return client.query<R>(config as QueryConfig);
}

/** Judges the requests that a batch touches, and adds it to the sums of its hours. */
async function prove(client: PoolClient, { after, until }: Batch, sql: string): Promise<void> {
  const values = [after.txid, after.seq, until.txid, until.seq];
  await run(client, IN_TURN);
  await run(client, BATCH_SETTINGS);
  const { rows } = await run<FactsRow & QueryResultRow>(client, sql, values);
  const findings = rows.map((row) => findingOf(factsOfRow(row)));
  if (findings.length > 0) await run(client, REMEMBER, [JSON.stringify(findings)]);
}

/** Forgets the whole proof, which is made anew from the rows. */
async function forget(client: PoolClient): Promise<void> {
  await run(client, IN_TURN);
  for (const statement of FORGET) await run(client, statement);
}

/** How many rows the readers of a process take at once, from run to run. */
export function proofRows(): ReadonlyMap<string, StepRows> {
  return new Map(READERS.map(({ name }) => [name, new StepRows(ROWS)]));
}

/** How often it is asked whether there is enough to prove. */
export const PROOF_LOOKS: LookTimes = { busyMs: 2_000, quietMs: 60_000 };

/**
 * Brings the proof forward to the oldest open transaction, or as far as a run goes. On any number
 * of nodes one process does it at a time; a crash loses a batch and counts nothing twice.
 * @param rows of earlier runs: a step that failed is followed by a smaller one
 * @returns true where all that there was stands in it
 */
export async function proveBooks(
  { platformPool }: Pick<Services, 'platformPool'>,
  rows = proofRows(),
): Promise<boolean> {
  const deadlineMs = performance.now() + RUN_MS_MAX;
  const ends: Step[] = [];
  for (const reader of READERS) {
    const steps = rows.get(reader.name) ?? new StepRows(ROWS);
    let step: Step;
    do step = await steps.bringForward(platformPool, reader);
    while (goesOn(step) && performance.now() < deadlineMs);
    ends.push(step);
  }
  return ends.every((step) => step === 'at_the_end');
}

/** The same where it is worth it. @returns true where nothing is left to prove */
export async function proveBooksWhenDue(
  services: Pick<Services, 'platformPool'>,
  rows: ReadonlyMap<string, StepRows>,
): Promise<boolean> {
  return (await isDue(services.platformPool, READERS, PACE)) && (await proveBooks(services, rows));
}
