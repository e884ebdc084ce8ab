import type { Pool } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { goesOn, type Step, StepRows } from '../../records/brought-forward.js';
import { rereadContradicted } from '../integrity/due-seals.js';
import { proveBooks } from '../integrity/prove.js';
import { booksReader, run } from './increment.js';
import { booksState } from './state.rules.js';
import { compareTotals, readersBehind } from './totals.js';
import type { BooksState } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly booksMonitor: BooksMonitor;
  }
}

/** When the books are checked, in milliseconds. */
export interface MonitorTimes {
  readonly firstMs: number;
  readonly everyMs: number;
  /** So long after the last success nobody knows how the books are. */
  readonly overdueMs: number;
}

const TIMES: MonitorTimes = { firstMs: 60_000, everyMs: 300_000, overdueMs: 1_200_000 };
const ROWS = { max: 10_000, min: 100 } as const;

/** How the books stand by what this node knows; no database is asked. */
export interface BooksStanding {
  readonly state: BooksState;
  /** When a check last came to its end, on whichever node. */
  readonly checkedAt: Date | null;
}

/** What the last check has counted, of all organizations. */
const COUNT = `SELECT
    (SELECT count(*) FROM books_finding)::int
      + (SELECT count(*) FROM integrity_finding WHERE cardinality(faults) > 0)::int
      + (SELECT count(*) FROM integrity_seal WHERE verdict = 'VIOLATION')::int AS violations,
    (SELECT succeeded_at FROM books_check) AS "succeededAt"`;

const SUCCEEDED = 'UPDATE books_check SET succeeded_at = clock_timestamp()';

/**
 * Checks the books of all tenants: lines that have come since the last look by themselves, and
 * balances and counters against the totals of all lines. Whatever keeps it from an end is red: a
 * gauge and a line of the log say so, and it is tried again.
 */
export class BooksMonitor {
  private readonly startedMs: number;
  private readonly rows = new StepRows(ROWS);
  private readonly reader;
  private succeededMs: number | undefined;
  private hasFailed = false;
  private violations = 0;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly services: Pick<Services, 'platformPool' | 'log'>,
    private readonly times: MonitorTimes = TIMES,
    private readonly nowMs: () => number = sharedNowMs,
  ) {
    this.startedMs = nowMs();
    this.reader = booksReader((found) => {
      for (const violation of found) {
        this.services.log.error({ violation }, 'an invariant of the books is broken');
      }
    });
  }

  /** Begins to check, and shows how it stands among the metrics. */
  start({ metrics }: Pick<Services, 'metrics'>): void {
    const gauges = {
      gw_ledger_invariant_violations: [
        'Places where the books are wrong, as the last check counted them.',
        () => this.violations,
      ],
      gw_ledger_invariants_checked_timestamp_seconds: [
        'When a check of the books last came to its end; 0 before the first one.',
        () => (this.succeededMs ?? 0) / 1_000,
      ],
      gw_ledger_invariants_unchecked: [
        '1 while the last check of the books has failed, or is overdue.',
        () => (this.isRed() ? 1 : 0),
      ],
    } as const;
    for (const [name, [help, read]] of Object.entries(gauges)) metrics.gauge({ name, help, read });
    this.plan(this.times.firstMs);
  }

  /** Stops after the step under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** How the books stand, by what this node knows. */
  standing(): BooksStanding {
    const { startedMs, succeededMs, hasFailed, violations } = this;
    const known = { startedMs, succeededMs, hasFailed, violations };
    const state = booksState(known, this.nowMs(), this.times.overdueMs);
    return { state, checkedAt: succeededMs === undefined ? null : new Date(succeededMs) };
  }

  /** Checks once; what fails is told and never thrown. One that runs already is waited for. */
  check(): Promise<void> {
    this.running ??= this.checkAndTell().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private isRed(): boolean {
    const known = { startedMs: this.startedMs, succeededMs: this.succeededMs };
    const standing = { ...known, hasFailed: this.hasFailed, violations: 0 };
    const state = booksState(standing, this.nowMs(), this.times.overdueMs);
    return state === 'failing' || state === 'overdue';
  }

  private plan(afterMs: number): void {
    this.timer = setTimeout(async () => {
      await this.check();
      if (!this.stopped) this.plan(this.times.everyMs);
    }, afterMs).unref();
  }

  private async checkAndTell(): Promise<void> {
    const { platformPool, log } = this.services;
    try {
      await this.bringForward(platformPool);
      const found = await compareTotals(platformPool);
      for (const violation of found) {
        log.error({ violation }, 'an invariant of the books is broken');
      }
      const behind = await readersBehind(platformPool, this.times.overdueMs);
      if (behind.length > 0) throw new Error(`rows wait unread for ${behind.join(', ')}`);
      await run(platformPool, SUCCEEDED);
      await rereadContradicted(platformPool);
      await this.count(platformPool);
      this.hasFailed = false;
      if (this.violations > 0) {
        log.error({ violations: this.violations }, 'the books are not in order');
      }
    } catch (error) {
      this.hasFailed = true;
      const { state, checkedAt } = this.standing();
      const facts = { err: error, state, checked_at: checkedAt };
      log.error(facts, 'the books could not be checked');
    }
  }

  private async bringForward(pool: Pool): Promise<void> {
    await proveBooks({ platformPool: pool });
    let step: Step;
    do step = await this.rows.bringForward(pool, this.reader);
    while (goesOn(step) && !this.stopped);
  }

  private async count(pool: Pool): Promise<void> {
    const { rows } = await run<{ violations: number; succeededAt: Date }>(pool, COUNT);
    this.violations = rows[0]?.violations ?? 0;
    this.succeededMs = rows[0]?.succeededAt.getTime();
  }
}
