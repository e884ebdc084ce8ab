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

/** When rows are summed: as soon as there are so many, or so long after the last time. */
const PACE: Pace = { rows: 5_000, ms: 60_000 };

/** How often it is asked whether there is enough to sum. */
export const ROLLUP_LOOKS: LookTimes = { busyMs: 5_000, quietMs: 60_000 };

/** Brings the sums forward, a bounded step at a time, each a transaction of its own. */
export class UsageRollup {
  private readonly rows = new StepRows({ max: 10_000, min: 50 });
  private running: Promise<boolean> | undefined;
  private stopped = false;

  constructor(private readonly services: Pick<Services, 'platformPool' | 'log'>) {}

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
    while (!this.stopped) {
      const step = await this.rows.bringForward(this.services.platformPool, READER);
      if (step === 'restored') {
        this.services.log.warn('the database is a restored one: sums of usage are made anew');
      }
      if (!goesOn(step)) return step === 'at_the_end';
    }
    return true;
  }
}
