/** A request that owes something back. */
export interface Owing {
  /** Gives back what the request holds in this process, where it still does. */
  giveUp(): void;
  /** When its transport was gone, by performance.now(); undefined while it is there. */
  readonly goneMs: number | undefined;
}

/** A request whose client is gone is settled within this time, or it never will be. */
const SETTLED_WITHIN_MS = 10_000;

/**
 * The requests of this process that hold funds, a slot or tokens. The ledger's open holds are
 * compared with them: an open hold without its request is a fault, and is given back.
 */
export class OpenRequests {
  private readonly open = new Map<string, Owing>();

  /** How many there are. */
  get size(): number {
    return this.open.size;
  }

  /** A request begins to owe. */
  add(requestId: string, request: Owing): void {
    this.open.set(requestId, request);
  }

  /** A request has settled everything. */
  remove(requestId: string): void {
    this.open.delete(requestId);
  }

  /** True while something may still settle the request. */
  isUnderWay(requestId: string): boolean {
    const request = this.open.get(requestId);
    if (!request) return false;
    return request.goneMs === undefined || performance.now() - request.goneMs < SETTLED_WITHIN_MS;
  }

  /** Gives back the slot and the tokens of a request that nothing settled. */
  forget(requestId: string): void {
    this.open.get(requestId)?.giveUp();
    this.open.delete(requestId);
  }
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly openRequests: OpenRequests;
  }
}
