import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../../graph/ctx.js';
import type { Unsubscribe } from '../../../platform/database/listen.js';
import { warnUnlessAway } from '../../../platform/database/outage.js';
import { Alarm } from '../../../records/alarm.js';
import { Attempts } from './attempts.js';
import { FeedFollowers } from './followers.js';
import { WorkerLease } from './lease.js';
import { sweepDeliveries } from './retention.js';
import { releaseLeft } from './statements.js';

/** What the delivery of webhooks uses. */
type WorkerServices = Pick<
  Services,
  | 'config'
  | 'pool'
  | 'platformPool'
  | 'prisma'
  | 'keyring'
  | 'dataKeys'
  | 'feedNotifier'
  | 'listener'
  | 'log'
  | 'telemetry'
>;

declare module '../../../graph/ctx.js' {
  interface Services {
    readonly webhooks: WebhookWorker;
  }
}

/** The channel on which changes of endpoints are told. */
const CHANNEL = 'gw_webhooks';
const RENEW_EVERY_MS = 1_500;
/** How often a node that does not deliver asks whether it should. */
const ASK_EVERY_MS = 1_000;
/** Retries, replays and tests become due without anybody being woken. */
const LOOK_EVERY_MS = 400;
const ROUND_MS_MIN = 20;
/** Without an active endpoint nobody delivers: the first one that comes is told to all nodes. */
const NOTHING_TO_DO_MS = 30_000;
const RELOAD_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 60_000;

/**
 * Delivers the webhooks of all tenants on the one node that has the lease. Its rounds are one after
 * the other, so that it takes one connection at a time, whatever is pending: outcomes are recorded,
 * feeds are followed, attempts are begun. Attempts themselves run beside the rounds.
 */
export class WebhookWorker {
  private readonly alarm = new Alarm();
  private readonly lease: WorkerLease;
  private readonly followers: FeedFollowers;
  private readonly attempts: Attempts;
  private readonly unsubscribes: Unsubscribe[] = [];
  private rounds: Promise<void> | undefined;
  private mustReload = true;
  /** The lease was taken, and how many deliveries its last owner has left; told once it matters. */
  private taken: { readonly left: number } | undefined;
  private renewedMs = 0;
  private reloadedMs = 0;
  private sweptMs = performance.now();

  constructor(private readonly services: WorkerServices) {
    const wake = () => this.alarm.ring();
    this.lease = new WorkerLease(services.platformPool, services.config.nodeId);
    this.followers = new FeedFollowers(services, wake);
    this.attempts = new Attempts(services, wake);
  }

  /** True while this node is the one that delivers. */
  get delivers(): boolean {
    return this.lease.held;
  }

  /** Attempts of this node under way. */
  get attemptsUnderWay(): number {
    return this.attempts.underWayCount;
  }

  /** Begins to deliver, or to wait for the lease. */
  async start(): Promise<void> {
    const { listener } = this.services;
    const reload = () => {
      this.mustReload = true;
      this.alarm.ring();
    };
    this.unsubscribes.push(await listener.listen(CHANNEL, reload), listener.onConnected(reload));
    this.rounds = this.run();
  }

  /** Ends what is under way, keeps what became of it, and lets another node deliver at once. */
  async stop(): Promise<void> {
    this.alarm.stop();
    for (const unsubscribe of this.unsubscribes) unsubscribe();
    await this.rounds;
    await this.attempts.end();
    this.followers.clear();
    try {
      await this.attempts.record();
      await this.lease.release();
    } catch (error) {
      this.services.log.warn({ err: error }, 'webhooks stop without a word to the other nodes');
    }
  }

  private async run(): Promise<void> {
    while (!this.alarm.stopped) {
      let pauseMs = ASK_EVERY_MS;
      try {
        pauseMs = await this.round();
      } catch (error) {
        warnUnlessAway(this.services.log, error, 'a round of webhooks failed; trying again');
      }
      if (pauseMs > 0) await this.alarm.wait(pauseMs);
      if (!this.alarm.stopped) await sleep(ROUND_MS_MIN, undefined, { ref: false });
    }
  }

  /** @returns how long to wait for the next round unless something happens, in milliseconds */
  private async round(): Promise<number> {
    if (!(await this.mayDeliver())) return ASK_EVERY_MS;
    await this.attempts.record();
    await this.reloadWhenItMust();
    const moreToRead = await this.followers.readDue();
    // A slow database can make a round longer than the lease.
    if (!this.lease.held) return 0;
    const isIdle = this.followers.size === 0 && !this.attempts.busy;
    const moreToSend = isIdle ? false : await this.attempts.begin();
    await this.sweepWhenItMust();
    if (moreToRead || moreToSend) return 0;
    if (!isIdle) return Math.min(LOOK_EVERY_MS, this.followers.untilDueMs());
    // A lease that nobody needs need not be renewed; what rings meanwhile ends the wait.
    await this.lease.release();
    return NOTHING_TO_DO_MS;
  }

  private async mayDeliver(): Promise<boolean> {
    const { lease } = this;
    if (lease.held) {
      if (performance.now() - this.renewedMs < RENEW_EVERY_MS) return true;
      await lease.renew();
      this.renewedMs = performance.now();
      if (lease.held) return true;
    }
    // Whoever has the lease now sends again what is cut here.
    this.followers.clear();
    await this.attempts.end();
    if (!(await lease.take())) return false;
    this.renewedMs = performance.now();
    this.mustReload = true;
    await this.attempts.record();
    this.taken = { left: await releaseLeft(this.services.platformPool) };
    return true;
  }

  private async reloadWhenItMust(): Promise<void> {
    if (!this.mustReload && performance.now() - this.reloadedMs < RELOAD_EVERY_MS) return;
    this.mustReload = false;
    this.reloadedMs = performance.now();
    try {
      await this.followers.reload();
    } catch (error) {
      this.mustReload = true;
      throw error;
    }
    if (this.taken === undefined || this.followers.size === 0) return;
    this.services.log.info(this.taken, 'this node delivers webhooks');
    this.taken = undefined;
  }

  private async sweepWhenItMust(): Promise<void> {
    if (performance.now() - this.sweptMs < SWEEP_EVERY_MS) return;
    this.sweptMs = performance.now();
    await sweepDeliveries(this.services.platformPool);
  }
}
