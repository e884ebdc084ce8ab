import type { ValuesOf } from '../../kernel/fields/field.js';
import type { ADMISSION } from './tables.js';
import { type InteractionClass, LOADS, type Load } from './vocabulary.js';

/** The places of a node as a chat finds them. */
export interface Places {
  /** Requests under way. */
  readonly inFlight: number;
  /** Of all requests, and of those that are worked on, whose number follows from how late it is. */
  readonly forChat: readonly { readonly taken: number; readonly max: number }[];
}

/** After so long the node of a rejected request has usually answered some that it has. */
const RETRY_AFTER_SECONDS = 2;
/** A request that can wait is sent again after so long. */
const ASYNC_AFTER_SECONDS = 60;

/** How busy a node is. */
export function loadOf({ forChat }: Pick<Places, 'forChat'>): Load {
  const share = Math.max(...forChat.map(({ taken, max }) => taken / max));
  return LOADS.rows.findLast(({ shareMin }) => share >= shareMin)?.code ?? 'LOW';
}

/** What is done with a request of this class on a node that is so busy. */
export function admit(
  interactionClass: InteractionClass,
  load: Load,
): ValuesOf<typeof ADMISSION.fields> {
  const canWait = interactionClass === 'DEFERRABLE' || interactionClass === 'BATCH';
  if (load === 'FULL' && !canWait) {
    const reason = 'No place is free, and the request cannot wait for one.';
    return { outcome: 'rejected', load, retryAfterSeconds: RETRY_AFTER_SECONDS, reason };
  }
  if (load !== 'LOW' && canWait) {
    const reason = 'The node is busy, and the request can wait.';
    return { outcome: 'recommend_async', load, retryAfterSeconds: ASYNC_AFTER_SECONDS, reason };
  }
  return { outcome: 'accepted', load, retryAfterSeconds: null, reason: 'A place is free.' };
}
