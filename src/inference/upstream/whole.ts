import type { Deployment } from '../../catalog/providers/model.js';
import type { Attempt, Skip, WholeAnswer } from './call.js';
import type { Passage } from './gate.js';
import { type RawUsage, usageOfBody } from './usage.js';

/** A whole answer; its usage is read out of the bytes when it is asked for. */
export class Whole implements WholeAnswer {
  readonly kind = 'whole';

  constructor(
    readonly deployment: Deployment,
    readonly attempts: readonly Attempt[],
    readonly skipped: readonly Skip[],
    readonly body: Buffer,
  ) {}

  get usage(): RawUsage | undefined {
    return usageOfBody(this.body);
  }
}

/** A whole answer has said what it used, and needs its place no longer. */
export function endWhole(passage: Passage, body: Buffer): void {
  const usage = usageOfBody(body);
  if (usage) passage.used(usage);
  passage.ended();
}
