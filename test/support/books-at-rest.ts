import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { checkInvariants, type Violation } from '../../src/money/ledger/invariants.js';

const REST_MS_MAX = 2_000;
const LOOK_MS = 10;

/**
 * Everything that is wrong with the books now that nothing is under way. The marks of the last
 * answers may still wait a moment for others to go with.
 */
export async function violationsAtRest(pool: pg.Pool): Promise<Violation[]> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const violations = await checkInvariants(pool, true);
    if (violations.length === 0 || waitedMs >= REST_MS_MAX) return violations;
    await sleep(LOOK_MS);
  }
}
