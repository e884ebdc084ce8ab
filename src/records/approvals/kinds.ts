import type { Approval } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import type { TenantScope } from '../scope.js';
import type { ApprovalKindCode } from './vocabulary.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly approvalKinds: ApprovalKinds;
  }
}

/** One attempt to carry out what was approved. */
export interface ApprovalRun {
  readonly approval: Approval;
  readonly services: Services;
  /** The tenant of the approval: with the services this is a scope for all of `records`. */
  readonly who: { readonly tenantId: string };
  /** Aborted when the attempt has used up its time; another may begin soon after. */
  readonly signal: AbortSignal;
}

/** What a module says about the approvals that it asks for. */
export interface ApprovalKind {
  readonly kind: ApprovalKindCode;
  /**
   * In the transaction that approves, rejects or expires: moves the subject along its lifecycle.
   * What it throws undoes the decision. With `scope` it can seal, also where nobody has asked for
   * the change, as when an approval expires.
   */
  readonly onDecided?: ApprovalStep;
  /**
   * Carries out what was approved, after the commit and outside of any transaction. A process that
   * dies half way is followed by another attempt, so the effect must be idempotent by the
   * approval's id. An endpoint that answers with a failure is an outcome to record, not a throw;
   * what is thrown is tried again, five times in all, unless it is a final error.
   */
  readonly execute?: (run: ApprovalRun) => Promise<void>;
  /** Errors of `execute` that no later attempt can change: the execution is given up at once. */
  readonly finalErrors?: readonly string[];
  /** In the transaction that gives the execution up: after its last attempt, or a final error. */
  readonly onGivenUp?: ApprovalStep;
}

/** A step of a subject in the transaction of its approval's step. */
export type ApprovalStep = (tx: Transaction, approval: Approval, scope: StepScope) => Promise<void>;

/** Whose approval it is, with the settings of the server. */
export type StepScope = TenantScope & { readonly services: Pick<Services, 'config'> };

/** Which kinds of approval there are, and what each of them does. */
export class ApprovalKinds {
  private readonly kinds = new Map<string, ApprovalKind>();

  /** Adds a kind. @throws TypeError when the kind is taken */
  define(kind: ApprovalKind): ApprovalKind {
    const name = kind.kind;
    if (this.kinds.has(name)) throw new TypeError(`the approval kind ${name} is defined twice`);
    this.kinds.set(name, kind);
    return kind;
  }

  /** The kind of this name. @throws TypeError when no module has defined it */
  named(name: string): ApprovalKind {
    const kind = this.kinds.get(name);
    if (!kind) throw new TypeError(`no module defines the approval kind ${name}`);
    return kind;
  }
}

/** Those of the product: each module defines its own when it is loaded. */
export const productKinds = new ApprovalKinds();

/** Defines a kind of the product. @throws TypeError when the kind is taken */
export function defineApprovalKind(kind: ApprovalKind): ApprovalKind {
  return productKinds.define(kind);
}
