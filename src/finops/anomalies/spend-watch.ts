import type { Services } from '../../graph/ctx.js';
import { bringForward, goesOn, type Reader, type Step } from '../../records/brought-forward.js';
import type { LookTimes } from '../../records/looks.js';
import { tellDueAlerts } from '../budgets/alerts-due.js';
import { climbDueLadders } from '../budgets/climb.js';
import { findAnomalies } from './find.js';
import { actOnAnomalies } from './pauses.js';
import { forgetAll, forgetOld } from './watch-store.js';
import { watchedUsage } from './watched-usage.js';

/**
 * How often the watch looks. What has committed is told within two seconds, although the rows that
 * come meanwhile are one batch.
 */
export const WATCH_LOOKS: LookTimes = { busyMs: 800, quietMs: 5_000 };

/** So many rows of usage are taken in one transaction. */
const ROWS_MAX = 5_000;

/**
 * Follows the usage of all organizations and tells what it shows: soft alerts that are reached,
 * steps of ladders that begin, and anomalies, which then act. It costs requests nothing; one node
 * at a time does it, and the next one goes on where it stopped.
 * @returns true where nothing is left that a further look would find
 */
export async function watchSpending(services: Services): Promise<boolean> {
  const reader = readerFor(services);
  let step: Step;
  let hasRead = false;
  do {
    step = await bringForward(services.platformPool, reader, ROWS_MAX);
    hasRead ||= step !== 'at_the_end';
  } while (goesOn(step));
  if (hasRead) await actOnAnomalies(services, services.platformPool);
  return step === 'at_the_end';
}

function readerFor(services: Services): Reader {
  return {
    name: 'spend_watch',
    table: 'usage_event',
    async work(client, batch) {
      const usage = await watchedUsage(client, batch);
      await tellDueAlerts(services, client, usage.tenantIds);
      await climbDueLadders(services, client, usage.tenantIds);
      await findAnomalies(client, usage.scopes);
    },
    forget: forgetAll,
  };
}

/** Forgets what the watch needs no longer: scopes that nobody uses, and hours long gone. */
export function forgetSpending({ platformPool }: Pick<Services, 'platformPool'>): Promise<void> {
  return forgetOld(platformPool);
}
