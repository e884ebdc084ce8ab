import { createHmac } from 'node:crypto';
import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Ctx, Services, Transaction } from '../../graph/ctx.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { measuredFrom } from '../../records/measured.js';
import { transactAcrossTenants } from '../../records/scope.js';
import type { Beacon } from './tables.js';
import { BEACON_BOUNDS, OTHERS } from './vocabulary.js';

/** Something that is counted on a day. */
interface Counted {
  readonly kind: 'event' | 'path' | 'referrer' | 'session';
  readonly value: string;
}

/** The session of a day. The hash has a key of that day, so that days cannot be joined by it. */
export function sessionHash(secret: string, day: string, session: string): Uint8Array {
  const dayKey = createHmac('sha256', secret).update(`analytics session ${day}`).digest();
  return new Uint8Array(createHmac('sha256', dayKey).update(session).digest().subarray(0, 16));
}

/** Counts a beacon; nothing else of it is kept. */
export async function countBeacon(
  { services }: Ctx,
  { event, path, referrerHost, day }: Beacon,
  session: string | null,
): Promise<void> {
  const hash = session === null ? null : sessionHash(services.config.secret, day, session);
  await transactAcrossTenants(services, async (tx) => {
    const isNew = hash !== null && (await addSession(tx, day, hash));
    const counted: Counted[] = [
      { kind: 'event', value: event },
      { kind: 'path', value: path },
      ...(referrerHost === null ? [] : [{ kind: 'referrer', value: referrerHost } as const]),
      ...(isNew ? [{ kind: 'session', value: '' } as const] : []),
    ];
    await addCounts(tx, day, counted);
  });
}

/** @returns true where the session is the first of its hash on the day */
async function addSession(tx: Transaction, day: string, hash: Uint8Array): Promise<boolean> {
  const added = await tx.$executeRaw`
    INSERT INTO beacon_session (day, session_hash)
    SELECT ${day}::date, ${hash}::bytea
    WHERE coalesce((SELECT hits FROM beacon_count
                    WHERE day = ${day}::date AND kind = 'session' AND value = ''), 0)
      < ${BEACON_BOUNDS.sessionsOfDayMax}
    ON CONFLICT DO NOTHING`;
  return added === 1;
}

/** Rows are taken in one order, so that two beacons never wait for each other in a circle. */
async function addCounts(tx: Transaction, day: string, counted: readonly Counted[]): Promise<void> {
  for (const { kind, value } of counted) {
    await tx.$executeRaw`
      INSERT INTO beacon_count (day, kind, value, hits)
      SELECT ${day}::date, ${kind}, CASE
        WHEN EXISTS (SELECT FROM beacon_count
                     WHERE day = ${day}::date AND kind = ${kind} AND value = ${value})
          OR (SELECT count(*) FROM beacon_count WHERE day = ${day}::date AND kind = ${kind})
             < ${BEACON_BOUNDS.valuesOfDayMax}
        THEN ${value} ELSE ${OTHERS} END, 1
      ON CONFLICT (day, kind, value) DO UPDATE SET hits = beacon_count.hits + 1`;
  }
}

/** Days in UTC, both of them inside. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** Sums of some days: those of all events, and the most frequent ones of the rest. */
export function sumCounts(ctx: AuthorizedCtx, { from, to }: Days) {
  const read = (rows: Transaction) => rows.$queryRaw<CountRow[]>`
    SELECT kind, value, hits FROM (
      SELECT kind, value, sum(hits)::bigint AS hits,
             row_number() OVER (PARTITION BY kind ORDER BY sum(hits) DESC, value) AS place
      FROM beacon_count WHERE day BETWEEN ${from}::date AND ${to}::date
      GROUP BY kind, value) AS told
    WHERE place <= ${BEACON_BOUNDS.topMax} ORDER BY kind, place`;
  const options = { tx: everyTenant(ctx.services.prisma) as Transaction };
  return measuredFrom(ctx, read, (rows) => rows, options);
}

/** A sum of some days. */
export interface CountRow extends Counted {
  readonly hits: bigint;
}

/** Removes the sessions of days that are over; what is left of them is their number. */
export async function forgetSessions({ prisma }: Pick<Services, 'prisma'>): Promise<void> {
  await everyTenant(prisma).$executeRaw(Prisma.sql`
    DELETE FROM beacon_session WHERE day < (now() AT TIME ZONE 'UTC')::date`);
}
