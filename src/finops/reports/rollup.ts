import type { PoolClient } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { named } from '../../platform/database/pool.js';
import {
  type Batch,
  bringForward,
  markOf,
  type Reader,
  type Step,
} from '../../records/brought-forward.js';
import { ADVANCE_SQL, DAYS_SQL, MONTHS_SQL, SETTINGS_SQL } from './cells.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly usageRollup: UsageRollup;
  }
}

/** The mark of the sums: what is up to it stands in them, what is after it only in the rows. */
export const MARK = 'usage_rollup';

/** As long as it takes: it happens once, to a database that has just been restored. */
const FORGET = {
  text: 'WITH closed AS (DELETE FROM usage_rollup_closed) DELETE FROM usage_rollup',
  query_timeout: 600_000,
};

const READER: Reader = {
  name: MARK,
  table: 'usage_event',
  work: advance,
  forget: (client) => client.query(FORGET),
};

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
async function advance(client: PoolClient, { after, until, limit }: Batch): Promise<void> {
  await client.query(SETTINGS_SQL);
  const values = [after.txid, after.seq, until.txid, until.seq, limit];
  const { rows } = await client.query<Closable & object>(ADVANCE_SQL, values);
  const opened = rows.filter(({ from }) => from === null);
  if (opened.length > 0) {
    await client.query(
      `INSERT INTO usage_rollup_closed (tenant_id, until)
       SELECT * FROM unnest($1::uuid[], $2::timestamptz[])`,
      [opened.map(({ tenantId }) => tenantId), opened.map(({ to }) => to)],
    );
  }
  const due = rows.filter(({ from }) => from !== null).slice(0, CLOSED_AT_ONCE.tenants);
  for (const { tenantId, from, to } of due) if (from) await close(client, tenantId, from, to);
}

/** What one step closes at most; the steps after it close the others. */
const CLOSED_AT_ONCE = { tenants: 10, ms: 31 * 86_400_000 } as const;

const CLOSE_MS_MAX = 60_000;

async function close(client: PoolClient, tenantId: string, from: Date, day: Date): Promise<void> {
  const to = new Date(Math.min(day.getTime(), from.getTime() + CLOSED_AT_ONCE.ms));
  const longer = { values: [tenantId, from, to], query_timeout: CLOSE_MS_MAX };
  for (const text of [DAYS_SQL, MONTHS_SQL]) {
    const statement = { ...longer, text };
    await client.query(statement);
  }
  const closed = 'UPDATE usage_rollup_closed SET until = $2 WHERE tenant_id = $1';
  await client.query(closed, [tenantId, to]);
}

/** Rows of one step: at most so many, and so few where the database is too slow for more. */
const STEP_ROWS = { max: 10_000, min: 50 } as const;

/** When rows are summed: as soon as there are so many, or so long after the last time. */
const DUE = { rows: 5_000, ms: 60_000 } as const;

const DUE_SQL = `SELECT EXISTS (
    SELECT FROM usage_event WHERE (txid, seq) > ($1, $2) ORDER BY txid, seq OFFSET $4 - 1 LIMIT 1
  ) OR (SELECT moved_at < clock_timestamp() - $5 * interval '1 ms'
    OR txid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    FROM reader_mark WHERE name = $3) AS due`;

/** Brings the sums forward, a bounded step at a time, each a transaction of its own. */
export class UsageRollup {
  private limit: number = STEP_ROWS.max;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly services: Pick<Services, 'platformPool' | 'log'>) {}

  /** Up to the rows that no open transaction can precede; what runs already is waited for. */
  bringForward(): Promise<void> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /**
   * The same where it is worth it: a cell is written once for all the rows of a batch, and few rows
   * after the mark are read as they are.
   */
  async bringForwardIfDue(): Promise<void> {
    if (!this.stopped && (await this.isDue())) await this.bringForward();
  }

  private async isDue(): Promise<boolean> {
    const { platformPool } = this.services;
    const mark = await markOf(platformPool, MARK);
    if (!mark) return true;
    const values = [mark.txid, mark.seq, MARK, DUE.rows, DUE.ms];
    const { rows } = await named<{ due: boolean }>(platformPool, 'rollup_due', DUE_SQL, values);
    return rows[0]?.due === true;
  }

  /** Ends after the step under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running?.catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const step = await this.step();
      if (step === 'restored') {
        this.services.log.warn('the database is a restored one: sums of usage are made anew');
      }
      if (step === 'at_the_end' || step === 'busy') return;
    }
  }

  private async step(): Promise<Step> {
    try {
      const step = await bringForward(this.services.platformPool, READER, this.limit);
      this.limit = Math.min(this.limit * 2, STEP_ROWS.max);
      return step;
    } catch (error) {
      this.limit = Math.max(Math.floor(this.limit / 4), STEP_ROWS.min);
      throw error;
    }
  }
}
