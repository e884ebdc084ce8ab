/** A request that owes something back. */
export interface Owing {
  /** Gives back what the request holds in this process, where it still does. */
  giveUp(): void;
  /** When its transport was gone, by performance.now(); undefined while it is there. */
  readonly goneMs: number | undefined;
  /** For how long it goes on without its transport, in milliseconds: 0 where it stops. */
  readonly aloneMs: number;
}

/** A request that has stopped is settled within this time, or it never will be. */
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
    if (request?.goneMs === undefined) return request !== undefined;
    return performance.now() - request.goneMs < request.aloneMs + SETTLED_WITHIN_MS;
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
