import type { MicroRub } from '../../kernel/money.js';
import type { KnownUsage, UsageRecord } from './usage-record.js';

/** Names one request of one account; every operation happens at most once for it. */
export interface RequestRef {
  readonly accountId: string;
  /** A uuid, as `newId('Request')` makes it. */
  readonly requestId: string;
}

/** Reserves the upper estimate of a request before anything is called. */
export interface HoldOp extends RequestRef {
  readonly tenantId: string;
  /** Zero is allowed: free models are held and settled like all others. */
  readonly amountMicro: MicroRub;
  /** The key that asks; the hold is refused when it is revoked. */
  readonly keyId?: string;
  /** The member that asks; the hold is refused when the member was removed. */
  readonly userId?: string;
  /** Every budget that must have room. */
  readonly budgetIds: readonly string[];
  /** Those of them that degrade and that the request has given way to: they only count it. */
  readonly beyondBudgetIds?: readonly string[];
  /** The version of the tenant's controls under which the request was decided. */
  readonly controls?: string;
  /** What the usage row says where the process dies before the request ends. */
  readonly usage?: KnownUsage;
}

/** The budget that refused a hold, as it stood in that moment. */
export interface BudgetState {
  readonly budgetId: string;
  readonly name: string;
  readonly period: 'day' | 'month' | 'total';
  readonly spentMicro: MicroRub;
  readonly heldMicro: MicroRub;
  readonly capMicro: MicroRub;
}

/**
 * The answer to a hold. `ok` and `duplicate` (the same hold stands already) admit the request;
 * everything else refuses it and has changed nothing. `already_settled`: the request id was used
 * and is closed. `budget_exhausted`: the cap has no room for this request even if every open
 * request were released; `budget_reserved`: it would have room then. `controls_changed`: the
 * request was decided under policies, contracts or switches that are not in force any more.
 */
export type HoldOutcome =
  | { readonly status: 'ok' | 'duplicate'; readonly heldMicro: MicroRub }
  | { readonly status: 'insufficient'; readonly availableMicro: MicroRub }
  | { readonly status: 'budget_exhausted' | 'budget_reserved'; readonly budget: BudgetState }
  | {
      readonly status:
        | 'already_settled'
        | 'key_revoked'
        | 'key_expired'
        | 'user_removed'
        | 'tenant_suspended'
        | 'controls_changed'
        | 'unknown_account'
        | 'unknown_budget';
    };

/** Turns a hold into a charge and writes the usage row in the same transaction. */
export interface SettleOp extends RequestRef {
  /** The exact cost, at most the hold. More is not collected, but recorded. */
  readonly amountMicro: MicroRub;
  readonly usage: UsageRecord;
  /** What the upstream reported beyond the bounds of the request. */
  readonly overrun?: Overrun;
  /** The sealed answer of a keyed request; with it the charge is final. */
  readonly answer?: Buffer;
  /**
   * True when nothing more will reach the client although the charge stands (it disconnected).
   * Otherwise `delivered` must follow, or a crash refunds the charge.
   */
  readonly delivered?: boolean;
}

/**
 * A charge whose amount is known before anything is held, as that of a kept answer: hold, charge
 * and usage row are written in one transaction, which checks all that a hold checks. It counts
 * against no budget. `delivered`: its caller needs nothing but to know of it, so it is final then.
 */
export interface ChargeOp extends Omit<HoldOp, 'budgetIds' | 'beyondBudgetIds' | 'usage'> {
  readonly usage: UsageRecord;
  /** What the upstream had reported beyond what the request allows now. */
  readonly overrun?: Overrun;
  readonly delivered?: boolean;
}

/** Usage that an upstream reported beyond what the request allowed: the platform bears it. */
export interface Overrun {
  /** What the reported usage would have cost. */
  readonly costMicro: MicroRub;
  readonly provider: string;
  readonly model: string;
  /** The usage object as the upstream wrote it. */
  readonly rawUsage: unknown;
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
}

/** What the ledger knows of a request id. `none`: it was never held. */
export interface StandingRequest {
  readonly state: 'none' | 'open' | 'finalized' | 'delivered' | 'refunded' | 'released';
  /** The sealed answer that was kept with the charge. */
  readonly answer: Buffer | undefined;
}

/** Gives a hold back in full; a usage row with status `failed` and amount 0 records why. */
export interface ReleaseOp extends RequestRef {
  readonly usage?: UsageRecord;
}

/** The cost so far of a long stream. After a crash the request is charged this much. */
export interface CheckpointOp extends RequestRef {
  readonly amountMicro: MicroRub;
  readonly usage: UsageRecord;
}

/**
 * The answer to a settle or a release. `journaled`: the database is away, the operation is on
 * this node's disk and will be written when it returns; the amount is then what was asked for.
 * `already_finalized` and `already_released` tell that the other one happened first; `no_hold`
 * that nothing was reserved. These three change nothing.
 */
export interface SettleOutcome {
  readonly status:
    | 'ok'
    | 'duplicate'
    | 'journaled'
    | 'already_finalized'
    | 'already_released'
    | 'no_hold';
  /** What the account was charged, tax included; 0 for a release. */
  readonly chargedMicro: MicroRub;
  /** The part of the cost that the hold did not cover: it is not collected. */
  readonly uncollectedMicro: MicroRub;
}

/** A posting by a person or the platform. The request id makes it happen once. */
export interface PostOp extends RequestRef {
  /** Positive; an adjustment may be negative. */
  readonly amountMicro: MicroRub;
  readonly description: string;
  /** The member or key that did it; absent for the platform itself. */
  readonly actorId?: string;
}

/** A refund may name the charged request: then it never exceeds what is left of that charge. */
export interface RefundOp extends PostOp {
  readonly chargedRequestId?: string;
}

/**
 * The answer to a posting, with the account after it. `insufficient`: a negative adjustment would
 * overdraw. `exceeds_charge`: the refund is more than what is left of the named charge.
 * `no_charge`: the named request was never charged.
 */
export interface PostOutcome {
  readonly status:
    | 'ok'
    | 'duplicate'
    | 'insufficient'
    | 'exceeds_charge'
    | 'no_charge'
    | 'unknown_account';
  readonly postedMicro: MicroRub;
  readonly heldMicro: MicroRub;
  /** The version of the entry that was written (or was there already); 0 when refused. */
  readonly accountVersion: bigint;
}

/** Figures for metrics. Counts are since start. */
export interface LedgerGauges {
  readonly epoch: bigint;
  readonly queuedOps: number;
  readonly inFlightOps: number;
  readonly batches: number;
  readonly ops: number;
  readonly lastBatchMs: number;
  readonly retries: number;
  readonly journaledOps: number;
  /** Settles that found their hold already released: produced, but not charged. */
  readonly lostSettles: number;
  /** Open holds of this process whose request was gone; each is a fault of the gateway. */
  readonly lostHolds: number;
  /** Requests for which an upstream reported more than they allowed. */
  readonly overruns: number;
}

/**
 * The one way to move money. All operations of a node share batches: one statement is in flight,
 * and every answer is given after its commit.
 */
export interface Ledger {
  /**
   * Reserves funds and budgets.
   * @throws ledger_unavailable within 2.5 s when the database does not answer. A hold that was
   * written all the same is released by itself.
   */
  hold(op: HoldOp): Promise<HoldOutcome>;
  /**
   * Holds and charges at once; `duplicate` where the same request was charged before.
   * @throws ledger_unavailable within 2.5 s when the database does not answer. A charge that was
   * written all the same is refunded by itself.
   */
  charge(op: ChargeOp): Promise<HoldOutcome>;
  /** Charges. Never rejects for an absent database: it is then journaled. */
  settle(op: SettleOp): Promise<SettleOutcome>;
  /** Gives the hold back. Never rejects for an absent database: it is then journaled. */
  release(op: ReleaseOp): Promise<SettleOutcome>;
  /** The last byte has left: the charge is final. Written with the next batch. */
  delivered(accountId: string, requestId: string): void;
  /** Written with the next batch; of several, the last one counts. */
  checkpoint(op: CheckpointOp): void;
  /** How a request stands, with the answer that was kept for its key. */
  standing(accountId: string, requestId: string): Promise<StandingRequest>;
  /**
   * Releases the open holds of this process that are older than `olderThanMs` and whose request is
   * not under way any more.
   * @returns the ids of their requests
   */
  releaseLost(isUnderWay: (requestId: string) => boolean, olderThanMs: number): Promise<string[]>;
  /** Removes kept answers that no key can ask for any more. */
  forgetAnswers(): Promise<void>;
  topUp(op: PostOp): Promise<PostOutcome>;
  refund(op: RefundOp): Promise<PostOutcome>;
  adjust(op: PostOp): Promise<PostOutcome>;
  credit(op: PostOp): Promise<PostOutcome>;
  /** Takes the node's epoch over, replays the write-ahead file, recovers, and starts beating. */
  start(): Promise<void>;
  /** Resolves when everything accepted so far is committed or journaled. */
  drain(): Promise<void>;
  /** Drains, retires the epoch and stops the timers. */
  stop(): Promise<void>;
  /** False from the first unanswered batch until the next committed one. */
  healthy(): boolean;
  gauges(): LedgerGauges;
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly ledger: Ledger;
  }
}
