import type { Services } from '../graph/ctx.js';
import { checkInvariants } from '../money/ledger/invariants.js';
import { findUnexplained } from '../money/ledger/replay.js';

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/**
 * Checks the books of all tenants against their invariants, an hour apart; what does not hold is
 * logged by name and shown as a gauge, which an operator alerts on.
 */
export class LedgerInvariantMonitor {
  private violations = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly services: Services) {}

  /** Begins to check. */
  start(): void {
    this.services.metrics.gauge({
      name: 'gw_ledger_invariant_violations',
      help: 'Violations of the invariants of the books at the last check, made once an hour.',
      read: () => this.violations,
    });
    this.plan(FIRST_MS);
  }

  /** Stops. */
  stop(): void {
    clearTimeout(this.timer);
  }

  private plan(afterMs: number): void {
    this.timer = setTimeout(() => void this.check(), afterMs).unref();
  }

  private async check(): Promise<void> {
    const { platformPool, log } = this.services;
    try {
      const found = await checkInvariants(platformPool);
      const unexplained = await findUnexplained(platformPool);
      this.violations = found.length + unexplained.length;
      for (const violation of found) {
        log.error({ violation }, 'an invariant of the books is broken');
      }
      for (const { requestId } of unexplained) {
        log.error({ requestId }, 'a charge does not follow from its usage row');
      }
    } catch (error) {
      log.warn({ err: error }, 'the books could not be checked');
    }
    this.plan(EVERY_MS);
  }
}
