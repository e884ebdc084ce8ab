import type { PoolClient } from 'pg';
import type { Services } from '../../graph/ctx.js';
import {
  type Batch,
  goesOn,
  isDue,
  type Pace,
  type Reader,
  StepRows,
} from '../../records/brought-forward.js';
import type { LookTimes } from '../../records/looks.js';
import { ADVANCE_REFUNDS_SQL, ADVANCE_SQL, CLOSE_SQL, SETTINGS_SQL } from './cells.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly usageRollup: UsageRollup;
  }
}

/** The mark of the sums: what is up to it stands in them, what is after it only in the rows. */
export const MARK = 'usage_rollup';

/** The mark of the sums of refunds, which stand in cells of their own. */
export const REFUND_MARK = 'refund_rollup';

/**
 * Both readers write cells, and one of them makes coarser ones of the finer ones of both: they take
 * turns. Whoever has waited sees what the other has committed.
 */
const TURN_SQL = "SELECT pg_advisory_xact_lock(hashtextextended('usage_rollup', 0))";

const FORGET_SQL = `WITH closed AS (DELETE FROM usage_rollup_closed), marks AS (
    UPDATE reader_mark SET txid = 0, seq = 0 WHERE name IN ('${MARK}', '${REFUND_MARK}')
  ) DELETE FROM usage_rollup`;

/** As long as it takes: it happens once, to a database that has just been restored. */
const FORGET_MS_MAX = 600_000;

/** Cells of both are forgotten together, since either stands among the coarser ones. */
async function forget(client: PoolClient): Promise<void> {
  for (const text of [TURN_SQL, FORGET_SQL]) {
    const statement = { text, query_timeout: FORGET_MS_MAX };
    await client.query(statement);
  }
}

const READER: Reader = { name: MARK, table: 'usage_event', work: advance, forget };

/** The lines of refunds are of the view `ledger_refund`, and have the places of the ledger. */
const REFUND_READER: Reader = {
  name: REFUND_MARK,
  table: 'ledger_refund',
  work: advanceRefunds,
  forget,
};

/** Refunds close no time; those of a time that is closed go into its coarser cells too. */
async function advanceRefunds(client: PoolClient, batch: Batch): Promise<void> {
  await client.query(TURN_SQL);
  await client.query(SETTINGS_SQL);
  await client.query(ADVANCE_REFUNDS_SQL, [...valuesOf(batch)]);
}

function valuesOf({ after, until, limit }: Batch): readonly unknown[] {
  return [after.txid, after.seq, until.txid, until.seq, limit];
}

/** Days of a tenant that may be closed: from where its time is closed, null where none is yet. */
interface Closable {
  readonly tenantId: string;
  readonly from: Date | null;
  readonly to: Date;
}

/**
 * A batch writes the cells of the finest grain alone. Days and months are made of them once, when a
 * tenant has come to a later day; rows of a closed time that commit afterwards are added to all.
 */
async function advance(client: PoolClient, batch: Batch): Promise<void> {
  await client.query(TURN_SQL);
  await client.query(SETTINGS_SQL);
  const { rows } = await client.query<Closable & object>(ADVANCE_SQL, [...valuesOf(batch)]);
  const opened = rows.filter(({ from }) => from === null);
  if (opened.length > 0) {
    await client.query(
      `INSERT INTO usage_rollup_closed (tenant_id, until)
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[])`,
      [opened.map(({ tenantId }) => tenantId), opened.map(({ to }) => to)],
    );
    // Refunds may have come before the first row of usage.
    for (const { tenantId, to } of opened) await makeCoarser(client, tenantId, BEGIN, to);
  }
  const due = rows.filter(({ from }) => from !== null).slice(0, CLOSED_AT_ONCE.tenants);
  for (const { tenantId, from, to } of due) if (from) await close(client, tenantId, from, to);
}

/** What one step closes at most; the steps after it close the others. */
const CLOSED_AT_ONCE = { tenants: 10, ms: 31 * 86_400_000 } as const;

const CLOSE_MS_MAX = 60_000;

/** Before anything that was posted. */
const BEGIN = new Date('2000-01-01T00:00:00Z');

async function close(client: PoolClient, tenantId: string, from: Date, day: Date): Promise<void> {
  const to = new Date(Math.min(day.getTime(), from.getTime() + CLOSED_AT_ONCE.ms));
  await makeCoarser(client, tenantId, from, to);
  const closed = 'UPDATE usage_rollup_closed SET until = $2 WHERE tenant_id = $1';
  await client.query(closed, [tenantId, to]);
}

async function makeCoarser(
  client: PoolClient,
  tenantId: string,
  from: Date,
  to: Date,
): Promise<void> {
  const longer = { values: [tenantId, from, to], query_timeout: CLOSE_MS_MAX };
  for (const text of CLOSE_SQL) {
    const statement = { ...longer, text };
    await client.query(statement);
  }
}

/** When rows are summed: as soon as there are so many, or so long after the last time. */
const PACE: Pace = { rows: 5_000, ms: 60_000 };

/** How often it is asked whether there is enough to sum. */
export const ROLLUP_LOOKS: LookTimes = { busyMs: 5_000, quietMs: 60_000 };

/** Brings the sums forward, a bounded step at a time, each a transaction of its own. */
export class UsageRollup {
  private readonly usage: StepRows;
  private readonly refunds: StepRows;
  private running: Promise<boolean> | undefined;
  private stopped = false;

  /** @param rowsMax the most rows of one step */
  constructor(
    private readonly services: Pick<Services, 'platformPool' | 'log'>,
    rowsMax = 10_000,
  ) {
    this.usage = new StepRows({ max: rowsMax, min: 50 });
    this.refunds = new StepRows({ max: rowsMax, min: 50 });
  }

  /**
   * Up to the rows that no open transaction can precede; what runs already is waited for.
   * @returns true where all that there was is summed
   */
  bringForward(): Promise<boolean> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /**
   * The same where it is worth it: a cell is written once for all the rows of a batch, and few rows
   * after the mark are read as they are.
   * @returns true where nothing is left to sum
   */
  async bringForwardWhenDue(): Promise<boolean> {
    if (this.stopped) return true;
    const { platformPool } = this.services;
    return (await isDue(platformPool, [READER], PACE)) && (await this.bringForward());
  }

  /** Ends after the step under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running?.catch(() => undefined);
  }

  private async run(): Promise<boolean> {
    const isUsageSummed = await this.runReader(READER, this.usage);
    return (await this.runReader(REFUND_READER, this.refunds)) && isUsageSummed;
  }

  private async runReader(reader: Reader, rows: StepRows): Promise<boolean> {
    while (!this.stopped) {
      const step = await rows.bringForward(this.services.platformPool, reader);
      if (step === 'restored') {
        this.services.log.warn('the database is a restored one: sums of usage are made anew');
      }
      if (!goesOn(step)) return step === 'at_the_end';
    }
    return true;
  }
}
