import type { AuthorizedCtx } from '../graph/ctx.js';
import type { Owing } from './open-requests.js';
import { type Admission, releaseAdmission } from './stages/admit.js';

/**
 * What a request owes back: the slot and the tokens that it took, and its hold. It is closed once,
 * by whoever ends the request first: settling and releasing close it, and everything after that
 * finds it closed and does nothing. So no exit can do it twice, and an exit that forgets it is
 * found by the watch over open requests.
 */
export class Claim implements Owing {
  goneMs: number | undefined;
  readonly aloneMs: number;
  private isOpen = true;
  private isCharged = false;

  constructor(
    private readonly ctx: AuthorizedCtx,
    private readonly admission: Admission,
  ) {
    // Under a key the answer is made all the same: its client will come back for it.
    this.aloneMs = ctx.keyed ? admission.longestMs : 0;
    ctx.services.openRequests.add(ctx.requestId, this);
    ctx.transport.onFinished?.(() => this.left());
  }

  /** Closes it and gives slot and unused tokens back. @returns false when it was closed before */
  close(tokensUsed: number): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    releaseAdmission(this.ctx, this.admission, tokensUsed);
    return true;
  }

  /** The ledger has taken the end of the request. */
  settled(): void {
    this.ctx.services.openRequests.remove(this.ctx.requestId);
  }

  /** A charge stands; it becomes final when the last byte has left. */
  charged(): void {
    this.isCharged = true;
    if (this.goneMs !== undefined) this.delivered();
  }

  giveUp(): void {
    this.close(0);
  }

  private left(): void {
    this.goneMs = performance.now();
    if (this.isCharged) this.delivered();
  }

  private delivered(): void {
    const { services, who, requestId } = this.ctx;
    services.ledger.delivered(who.accountId, requestId);
  }
}
