import type { Pool } from 'pg';
import { setClockAhead } from '../../kernel/clock.js';
import { type ClockOffset, offsetAfter } from './clock-offset.rules.js';
import type { Listener } from './listen.js';

/** The first reading opens the connection and is wide; those after it are narrow. */
const READINGS = 3;

const READ = {
  name: 'database_clock',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "saidMs"',
};

let known: ClockOffset | undefined;

/**
 * Reads the database's clock and tells it to `sharedNow`. To be called before anything is served,
 * whenever the database was away (another server may have taken over), and now and then, since
 * clocks drift and a machine may sleep. No request waits for it.
 * @throws what the pool throws
 */
export async function readDatabaseClock(pool: Pool, readings = READINGS): Promise<void> {
  for (let count = 0; count < readings; count += 1) {
    const askedMs = performance.now();
    const { rows } = await pool.query<{ saidMs: number }>(READ);
    const answeredMs = performance.now();
    const [row] = rows;
    if (!row) throw new Error('the database did not tell the time');
    known = offsetAfter(known, { saidMs: row.saidMs, askedMs, answeredMs });
    setClockAhead(known.aheadMs);
  }
}

/** Reads it anew whenever the database was away: another server may have taken over. */
export function clockOf(pool: Pool) {
  return {
    follow: async (listener: Listener): Promise<void> => {
      listener.onConnected(() => void readDatabaseClock(pool).catch(() => {}));
    },
  };
}
