import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/canonical.js';

/** An event of the audit trail as it is chained and exported. Its names are those of the wire. */
export interface ChainedEvent {
  readonly id: string;
  readonly tenant_id: string;
  /** From 1, without gaps. */
  readonly position: number;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly action: string;
  readonly subject: string;
  readonly subject_id: string;
  /** SHA-256 in hexadecimal digits. */
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  readonly request_id: string;
  /** With milliseconds and `Z`. */
  readonly created_at: string;
  /** The chain hash of the position before; null at the first. */
  readonly previous_hash: string | null;
}

/** The rule, as it is published. */
export const CHAIN_RULE =
  'chain_hash = SHA-256 over the RFC 8785 text of the exported line without chain_hash; ' +
  'previous_hash is the chain_hash of the position before it, null at position 1; positions of ' +
  'an organization count from 1 without gaps';

/** The chain hash of an event: it covers everything that is exported of it, and all before it. */
export function chainHash(event: ChainedEvent): Buffer {
  return createHash('sha256')
    .update(canonicalJson({ ...event }), 'utf8')
    .digest();
}
