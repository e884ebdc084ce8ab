import { setTimeout as sleep } from 'node:timers/promises';
import { forgetLogins } from '../access/auth/sessions.js';
import { findOutliving, OUTLIVING_EVERY_MS } from '../access/keys/outliving.js';
import { sealOpenRows } from '../access/personal-data/seal-open-rows.js';
import { RECHECK_EVERY_MS, recheckRecords } from '../assurance/publishers/proof.js';
import { LOG_LOOKS } from '../assurance/transparency/log.js';
import { ASK_WITNESSES_EVERY_MS } from '../assurance/transparency/vocabulary.js';
import {
  forgetSpending,
  WATCH_LOOKS,
  watchRows,
  watchSpending,
} from '../finops/anomalies/spend-watch.js';
import { PRICE_NOTICES_EVERY_MS, PriceNotices } from '../finops/costs/price-notices.js';
import { forgetFocusGroups } from '../finops/focus/kept-groups.js';
import { ROLLUP_LOOKS } from '../finops/reports/rollup.js';
import type { Services } from '../graph/ctx.js';
import { forgetSessions } from '../growth/analytics/counts.js';
import { SEAL_LOOKS, sealDuePeriods } from '../money/integrity/due-seals.js';
import { PROOF_LOOKS, proofRows, proveBooksWhenDue } from '../money/integrity/prove.js';
import { forgetWitnesses } from '../money/integrity/witness.js';
import { readDatabaseClock } from '../platform/database/clock-follower.js';
import { warnUnlessAway } from '../platform/database/outage.js';
import { chainTrails } from '../records/audit-chain.js';
import { RENEW_EVERY_MS } from '../records/idempotency.js';
import { sweepOutcomes } from '../records/keyed-outcomes.js';
import { type Follower, Looks } from '../records/looks.js';
import { doLeftWork } from './left-work.js';

/** How soon a node follows a clock of the database that was set, or its own that has drifted. */
const CLOCK_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;
const LEFT_WORK_EVERY_MS = 10_000;
const HOLDS_EVERY_MS = 10_000;
/** How soon a node counts others in or out that came or went without a word. */
const FLEET_EVERY_MS = 10_000;
/** What takes longer than this fails when the database is closed, and is done again by a start. */
const STOP_MS_MAX = 5_000;
/** A hold this young may belong to a request that is only just being entered. Milliseconds. */
const HOLD_AGE_MS_MIN = 15_000;
const ANSWERS_EVERY_MS = 3_600_000;
/** How often it is asked, of memory alone, whether a follower of usage is to look. */
const FOLLOWERS_EVERY_MS = 1_000;
/** How soon a scan on another node knows an address from which a key is used. */
const SIGHTINGS_EVERY_MS = 5_000;

/** How long an audit event may stand outside of the chain of its organization. */
const CHAIN_EVERY_MS = 5_000;

/**
 * Gives back the open holds of this process whose request is gone. Each is a fault of the gateway:
 * it is named in the log and counted.
 * @returns the ids of the requests
 */
export async function releaseLostHolds(
  { ledger, openRequests, log }: Services,
  olderThanMs: number,
): Promise<readonly string[]> {
  const lost = await ledger.releaseLost((id) => openRequests.isUnderWay(id), olderThanMs);
  for (const requestId of lost) {
    openRequests.forget(requestId);
    log.error({ requestId }, 'a hold was open although its request is gone');
  }
  return lost;
}

type Work = () => Promise<unknown>;

/** What is done again and again, until it is stopped. */
class PeriodicWork {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly warn: (error: unknown) => void) {}

  /** What is due at once is done one after the other, so that it takes one connection. */
  every(ms: number, works: readonly Work[]): void {
    const begin = () => {
      const done = this.inTurn(works).finally(() => this.underWay.delete(done));
      this.underWay.add(done);
    };
    this.timers.push(setInterval(begin, ms).unref());
  }

  /** Begins nothing more, and waits a moment for what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    const patience = new AbortController();
    const tooLong = sleep(STOP_MS_MAX, undefined, { signal: patience.signal }).catch(() => {});
    await Promise.race([Promise.all(this.underWay), tooLong]);
    patience.abort();
  }

  private async inTurn(works: readonly Work[]): Promise<void> {
    for (const work of works) if (!this.isStopped) await work().catch(this.warn);
  }
}

/** Starts everything that is done again and again. */
export function startTimers(services: Services): Pick<PeriodicWork, 'stop'> {
  const { log } = services;
  const periodic = new PeriodicWork((error) =>
    warnUnlessAway(log, error, 'a periodic task failed'),
  );
  for (const [ms, ...works] of worksOf(services)) periodic.every(ms, works);
  return periodic;
}

/** What is done, and after how many milliseconds each time. */
function worksOf(services: Services): readonly (readonly [number, ...Work[]])[] {
  const { idempotency, ledger } = services;
  const priceNotices = new PriceNotices(services);
  return [
    [FOLLOWERS_EVERY_MS, ...followersOf(services)],
    [CLOCK_EVERY_MS, () => readDatabaseClock(services.pool, 1)],
    [RENEW_EVERY_MS, () => idempotency.renew()],
    [
      SWEEP_EVERY_MS,
      () => idempotency.sweep(),
      () => sweepOutcomes(services),
      () => forgetFocusGroups(services),
      () => sealOpenRows(services),
    ],
    [
      ANSWERS_EVERY_MS,
      () => ledger.forgetAnswers(),
      () => services.keySightings.forgetOld(),
      () => services.egressLog.forgetOld(),
      () => forgetSpending(services),
      () => forgetSessions(services),
      () => forgetLogins(services),
      () => services.months.makeAhead(),
      () => forgetWitnesses(services),
    ],
    [HOLDS_EVERY_MS, () => releaseLostHolds(services, HOLD_AGE_MS_MIN)],
    [FLEET_EVERY_MS, () => services.fleet.reload(), () => services.tokens.reload()],
    [LEFT_WORK_EVERY_MS, () => doLeftWork(services)],
    [SIGHTINGS_EVERY_MS, () => services.keySightings.write(), () => services.egressLog.write()],
    [CHAIN_EVERY_MS, () => chainTrails(services)],
    [PRICE_NOTICES_EVERY_MS, () => priceNotices.tellWhenDue()],
    [OUTLIVING_EVERY_MS, () => findOutliving(services)],
    [RECHECK_EVERY_MS, () => recheckRecords(services)],
    [ASK_WITNESSES_EVERY_MS, () => services.witnessRounds.ask()],
  ];
}

/** What follows usage and the ledger: the watch, which is to tell soon, and what sums them up. */
function followersOf(services: Services): (() => Promise<void>)[] {
  const [rows, proof] = [watchRows(), proofRows()];
  const followers: readonly Follower[] = [
    { times: WATCH_LOOKS, look: () => watchSpending(services, rows) },
    { times: PROOF_LOOKS, look: () => proveBooksWhenDue(services, proof) },
    { times: LOG_LOOKS, look: () => services.transparencyLog.bringForward() },
    { times: SEAL_LOOKS, look: () => sealDuePeriods(services) },
    { times: ROLLUP_LOOKS, look: () => services.usageRollup.bringForwardWhenDue() },
  ];
  const writtenOps = () => services.ledger.gauges().ops;
  return followers.map((follower) => {
    const looks = new Looks(follower, writtenOps);
    return () => looks.lookWhenDue();
  });
}
