import type { Services } from '../../graph/ctx.js';
import { bringForward, type Reader, type Step } from '../../records/brought-forward.js';
import { tellDueAlerts } from '../budgets/alerts-due.js';
import { climbDueLadders } from '../budgets/climb.js';
import { findAnomalies } from './find.js';
import { actOnAnomalies } from './pauses.js';
import { forgetAll, forgetOld } from './watch-store.js';

/** How often it is asked whether there may be new usage. Milliseconds. */
export const WATCH_EVERY_MS = 400;

/** How often it is looked for although the ledger of this node has written nothing. */
const QUIET_LOOK_MS = 5_000;

/** So many rows of usage are taken in one transaction. */
const ROWS_MAX = 5_000;

/** The watch of a process. */
interface Watch {
  isLooking: boolean;
  /** What the ledger of this node had committed before the last look. */
  seenOps: number;
  /** When to look at the latest, by `performance.now`. */
  dueMs: number;
}

const watches = new WeakMap<object, Watch>();

/**
 * Follows the usage of all organizations and tells what it shows: soft alerts that are reached,
 * steps of ladders that begin, and anomalies, which then act. It costs requests nothing; one node
 * at a time does it, and the next one goes on where it stopped. It is to be called every
 * `WATCH_EVERY_MS`. Each node looks when its own ledger has written, which is no matter to the
 * database while nobody spends, and now and then for what a node has left that died right after.
 */
export async function watchSpending(services: Services): Promise<void> {
  const watch = watches.get(services) ?? { isLooking: false, seenOps: -1, dueMs: 0 };
  watches.set(services, watch);
  const nowMs = performance.now();
  const { ops } = services.ledger.gauges();
  if (watch.isLooking || (ops === watch.seenOps && nowMs < watch.dueMs)) return;
  watch.isLooking = true;
  try {
    const isThrough = await lookThrough(services);
    await actOnAnomalies(services, services.platformPool);
    Object.assign(watch, { seenOps: ops, dueMs: isThrough ? nowMs + QUIET_LOOK_MS : 0 });
  } finally {
    watch.isLooking = false;
  }
}

/** True where nothing is left that a further look would find. */
async function lookThrough(services: Services): Promise<boolean> {
  const reader = readerFor(services);
  let step: Step;
  do step = await bringForward(services.platformPool, reader, ROWS_MAX);
  while (step === 'moved');
  return step === 'at_the_end';
}

function readerFor(services: Services): Reader {
  return {
    name: 'spend_watch',
    table: 'usage_event',
    async work(client, batch) {
      await tellDueAlerts(services, client, batch);
      await climbDueLadders(services, client, batch);
      await findAnomalies(client, batch);
    },
    forget: forgetAll,
  };
}

/** Forgets what the watch needs no longer: scopes that nobody uses, and hours long gone. */
export function forgetSpending({ platformPool }: Pick<Services, 'platformPool'>): Promise<void> {
  return forgetOld(platformPool);
}
