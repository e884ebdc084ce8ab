import { createHash } from 'node:crypto';
import type { Principal, Transaction } from '../graph/ctx.js';
import { canonicalJson, type Sealable } from '../kernel/canonical.js';
import { newId } from '../kernel/ids.js';

/** One management change. */
export interface Change {
  /** What was done, as the mutation is called, such as `policyUpdate`. */
  readonly action: string;
  /** The type of what was changed, such as `Policy`. */
  readonly subject: string;
  readonly subjectId: string;
  /** The thing before and after; left out when it did not exist. Only hashes are kept. */
  readonly before?: Sealable;
  readonly after?: Sealable;
  /** Who acts where the request has no caller yet: at registration, or when an invite is taken. */
  readonly actor?: Actor;
}

/** Who acts, for which tenant. */
export type Actor = Pick<Principal, 'kind' | 'id' | 'tenantId'>;

/** The request that a change belongs to. */
export interface AuditingScope {
  readonly requestId: string;
  readonly who?: Actor | undefined;
}

/**
 * Records a change in its own transaction, so that no change lacks its record and no record its
 * change. The hashes are sha256 over RFC 8785 text: whoever holds the object can prove which it
 * was.
 * @throws TypeError when nobody acts, or when before or after cannot be written exactly
 */
export async function audit(scope: AuditingScope, tx: Transaction, change: Change): Promise<void> {
  const actor = change.actor ?? scope.who;
  if (!actor) throw new TypeError(`${change.action} has no actor`);
  const { kind, id, tenantId } = actor;
  await tx.auditEvent.create({
    data: {
      id: newId('AuditEvent'),
      tenantId,
      actorKind: kind,
      actorId: id,
      action: change.action,
      subject: change.subject,
      subjectId: change.subjectId,
      beforeHash: hashOf(change.before),
      afterHash: hashOf(change.after),
      requestId: scope.requestId,
    },
  });
}

function hashOf(value: Sealable | undefined): Uint8Array<ArrayBuffer> | null {
  if (value === undefined) return null;
  return new Uint8Array(createHash('sha256').update(canonicalJson(value), 'utf8').digest());
}
