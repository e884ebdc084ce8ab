import type { Booked } from './books.js';
import { chunksOf, type Seen } from './client.js';

/** Why a request is booked in another way than its client saw it; undefined when it is right. */
function faultOf(seen: Seen, booked: Booked | undefined): string | undefined {
  if (!booked) return seen.complete ? 'answered and not booked' : undefined;
  if (booked.charges > 1) return 'charged twice';
  if (seen.complete) {
    if (booked.charges !== 1) return 'answered and not charged';
    if (booked.state === 'delivered') return undefined;
    // Its last byte left in the moment of the kill, before that could be written down.
    const givenBack = booked.state === 'refunded' && booked.refundedMicro === booked.chargedMicro;
    return givenBack ? undefined : `answered and ${booked.state}`;
  }
  if (booked.state === 'released' || booked.state === 'refunded') return undefined;
  const produced = chunksOf(seen).length;
  const charged = booked.errorCode === 'node_lost' ? (booked.outputTokens ?? 0) : Infinity;
  return charged <= produced ? undefined : `charged ${charged} tokens and ${produced} came`;
}

/** Everything that the books say of these requests and should not. */
export function faultsOf(seen: readonly Seen[], booked: ReadonlyMap<string, Booked>): string[] {
  const known = new Set(seen.map(({ requestId }) => requestId));
  const unseen = [...booked.values()].filter(
    ({ requestId, state }) => state === 'delivered' && !known.has(requestId),
  );
  const faults = unseen.map(({ requestId }) => `${requestId} charged and its client saw nothing`);
  for (const one of seen) {
    const fault = faultOf(one, booked.get(one.requestId));
    if (fault) faults.push(`${one.requestId} ${fault}`);
  }
  return faults;
}
