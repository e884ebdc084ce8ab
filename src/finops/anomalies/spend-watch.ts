import type { Services } from '../../graph/ctx.js';
import { goesOn, type Reader, type Step, StepRows } from '../../records/brought-forward.js';
import type { LookTimes } from '../../records/looks.js';
import { tellDueAlerts } from '../budgets/alerts-due.js';
import { climbDueLadders } from '../budgets/climb.js';
import type {} from './counts.js';
import { findAnomalies } from './find.js';
import { actOnAnomalies } from './pauses.js';
import type { Severity } from './vocabulary.js';
import { forgetAll, forgetOld } from './watch-store.js';
import { watchedUsage } from './watched-usage.js';

/**
 * How often the watch looks. What has committed is told within two seconds, although the rows that
 * come meanwhile are one batch.
 */
export const WATCH_LOOKS: LookTimes = { busyMs: 800, quietMs: 5_000 };

/** So many rows of usage are taken in one transaction; each may name scopes of its own. */
const ROWS = { max: 5_000, min: 50 } as const;

/** How many rows the watch takes at once, from look to look. */
export function watchRows(): StepRows {
  return new StepRows(ROWS);
}

/**
 * Follows the usage of all organizations and tells what it shows: soft alerts that are reached,
 * steps of ladders that begin, and anomalies, which then act. It costs requests nothing; one node
 * at a time does it, and the next one goes on where it stopped.
 * @param rows those of the caller, which looks again and again
 * @returns true where nothing is left that a further look would find
 */
export async function watchSpending(services: Services, rows = watchRows()): Promise<boolean> {
  let found: readonly Severity[] = [];
  const reader = readerFor(services, (severities) => {
    found = severities;
  });
  let step: Step;
  let hasRead = false;
  do {
    found = [];
    step = await rows.bringForward(services.platformPool, reader);
    // Committed by now: what a step has found that failed is found again.
    services.anomalyCounts.add(found);
    hasRead ||= step !== 'at_the_end';
  } while (goesOn(step));
  if (hasRead) await actOnAnomalies(services, services.platformPool);
  return step === 'at_the_end';
}

function readerFor(services: Services, onFound: (severities: readonly Severity[]) => void): Reader {
  return {
    name: 'spend_watch',
    table: 'usage_event',
    async work(client, batch) {
      const usage = await watchedUsage(client, batch);
      await tellDueAlerts(services, client, usage.tenantIds);
      await climbDueLadders(services, client, usage.tenantIds);
      onFound(await findAnomalies(client, usage.scopes));
    },
    forget: forgetAll,
  };
}

/** Forgets what the watch needs no longer: scopes that nobody uses, and hours long gone. */
export function forgetSpending({ platformPool }: Pick<Services, 'platformPool'>): Promise<void> {
  return forgetOld(platformPool);
}
