import type { ClientBase } from 'pg';
import type { Services } from '../graph/ctx.js';
import { ConfigError } from '../platform/config.js';
import { warnUnlessAway } from '../platform/database/outage.js';
import { named } from '../platform/database/pool.js';
import { RESTORED_WITH_DROPPED_MONTHS } from './brought-forward.js';

declare module '../graph/ctx.js' {
  interface Services {
    readonly months: Months;
  }
}

/** Months that stand ready beyond the present one. */
const MONTHS_AHEAD = 3;

/**
 * Whole months before the present one that the command `retention` keeps unless the operator names
 * another number: of usage longer than the longest window of a report, of events until they are
 * read.
 */
export const MONTHS_KEPT = { usage: 13, events: 3 } as const;

/**
 * The fewest months that the operator can name: reports of fixed length look back by up to 90 days,
 * and the present month counts as none.
 */
export const MONTHS_KEPT_MIN = { usage: 4, events: 1 } as const;

/** A table that is kept by months, by what is made of it. */
interface Standing {
  /** The first month that is not made. */
  readonly untilMonth: string;
  /** Rows for which no month is made: they stand in the rest, and nothing drops them. */
  readonly beyond: bigint;
}

const MAKE = 'SELECT make_months($1) AS made';
const STANDING = `SELECT until_month AS "untilMonth", beyond FROM months_standing()`;

const IS_STRANDED = `SELECT EXISTS (SELECT FROM month_partition WHERE dropped_at IS NOT NULL)
  AND EXISTS (SELECT FROM reader_mark
    WHERE txid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS stranded`;

/**
 * Asked by a start and what goes before one: with marks beyond what can be read, reports would be
 * less than there was.
 * @throws ConfigError that says what helps
 */
export async function requireReadable(database: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await database.query<{ stranded: boolean }>(IS_STRANDED);
  if (rows[0]?.stranded === true) throw new ConfigError(RESTORED_WITH_DROPPED_MONTHS);
}

/**
 * Makes the months of usage and events before their first row comes. On any number of nodes one
 * makes them; a row whose month is missing all the same goes to the rest and is counted.
 */
export class Months {
  private beyond = 0;
  private untilSeconds = 0;

  constructor(private readonly services: Pick<Services, 'platformPool' | 'log'>) {}

  /** Looks for the first time, and shows among the metrics how far the months reach. */
  start({ metrics }: Pick<Services, 'metrics'>): void {
    const { log } = this.services;
    this.makeAhead().catch((error) => warnUnlessAway(log, error, 'months could not be made'));
    metrics.gauge({
      name: 'gw_months_made_until_timestamp_seconds',
      help: 'The end of the last month that is made for usage and events; 0 before the first look.',
      read: () => this.untilSeconds,
    });
    metrics.gauge({
      name: 'gw_rows_beyond_months',
      help: 'Rows of usage and events that came for a month that is not made.',
      read: () => this.beyond,
    });
  }

  /** Makes what is missing, and looks how it stands. @returns how many months it has made */
  async makeAhead(): Promise<number> {
    const { platformPool, log } = this.services;
    const { rows } = await named<{ made: number }>(platformPool, 'months_make', MAKE, [
      MONTHS_AHEAD,
    ]);
    const made = rows[0]?.made ?? 0;
    if (made > 0) log.info({ made }, 'months of usage and events were made');
    const standing = await named<Standing & object>(platformPool, 'months_standing', STANDING, []);
    this.beyond = Number(standing.rows.reduce((sum, each) => sum + each.beyond, 0n));
    const ends = standing.rows.map(({ untilMonth }) => Date.parse(`${untilMonth}T00:00:00+03:00`));
    this.untilSeconds = Math.min(...ends) / 1_000;
    if (this.beyond > 0) log.warn({ rows: this.beyond }, 'rows came for months that are not made');
    return made;
  }
}
