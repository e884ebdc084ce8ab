/** One version of a hypothesis: what it needs, and the open window in which top-ups count. */
export interface ClaimVersion {
  readonly wtpMicro: bigint;
  readonly from: Date;
  readonly to: Date;
}

/** Every hypothesis of a deal, in the order of recording. */
export interface Claim {
  readonly dealRef: string;
  readonly versions: readonly ClaimVersion[];
}

/** A top-up of the ledger, and the deal that it was stated to belong to, if any. */
export interface PaidTopUp {
  readonly requestId: string;
  readonly amountMicro: bigint;
  readonly toppedUpAt: Date;
  readonly statedFor: string | null;
}

/** The part of a top-up that is evidence for a deal. */
export interface Share {
  readonly topUp: PaidTopUp;
  readonly countedMicro: bigint;
}

interface OpenVersion {
  readonly from: Date;
  readonly to: Date;
  missingMicro: bigint;
}

interface OpenDeal {
  readonly rank: number;
  versions: OpenVersion[];
  readonly shares: Share[];
}

/**
 * Gives each ruble of the top-ups to one deal at most. A top-up that was stated for a deal counts
 * for that deal alone. Any other goes to the deals in the order of their first hypothesis; each
 * takes what its hypotheses still need in their windows. What no deal needs is evidence for none.
 * A share never changes by what comes later, except by a statement.
 * @param topUps in the order of the ledger
 */
export function sharesOfDeals(
  claims: readonly Claim[],
  topUps: readonly PaidTopUp[],
): ReadonlyMap<string, readonly Share[]> {
  const ranked = [...claims].sort(byFirstHypothesis);
  const deals = new Map(ranked.map(({ dealRef }, rank) => [dealRef, dealAt(rank)]));
  const coming = ranked
    .flatMap(({ dealRef, versions }) => versions.map((version) => ({ dealRef, version })))
    .sort((one, two) => one.version.from.getTime() - two.version.from.getTime());
  const open: OpenDeal[] = [];
  let begun = 0;
  for (const topUp of topUps) {
    for (let next = coming[begun]; next && next.version.from < topUp.toppedUpAt; ) {
      const deal = deals.get(next.dealRef);
      if (deal) begin(open, deal, next.version);
      begun += 1;
      next = coming[begun];
    }
    if (topUp.statedFor !== null) {
      const deal = deals.get(topUp.statedFor);
      if (deal) take(deal, topUp, topUp.amountMicro);
      continue;
    }
    let leftMicro = topUp.amountMicro;
    for (let index = 0; leftMicro > 0n && index < open.length; ) {
      const deal = open[index] as OpenDeal;
      leftMicro -= take(deal, topUp, leftMicro);
      if (neededMicro(deal, topUp.toppedUpAt) > 0n) index += 1;
      else open.splice(index, 1);
    }
  }
  return new Map([...deals].map(([dealRef, { shares }]) => [dealRef, shares]));
}

/** What of a deal's shares came within an open window. */
export function sharesWithin(
  shares: readonly Share[],
  { from, to }: Pick<ClaimVersion, 'from' | 'to'>,
): readonly Share[] {
  return shares.filter(({ topUp }) => topUp.toppedUpAt > from && topUp.toppedUpAt < to);
}

/** The sum of shares. */
export function countedOf(shares: readonly Share[]): bigint {
  return shares.reduce((sum, { countedMicro }) => sum + countedMicro, 0n);
}

function byFirstHypothesis(one: Claim, two: Claim): number {
  const [first, second] = [one, two].map(({ versions }) => versions[0]?.from.getTime() ?? 0);
  if (first !== second) return (first ?? 0) - (second ?? 0);
  return one.dealRef < two.dealRef ? -1 : 1;
}

function dealAt(rank: number): OpenDeal {
  return { rank, versions: [], shares: [] };
}

function begin(open: OpenDeal[], deal: OpenDeal, { from, to, wtpMicro }: ClaimVersion): void {
  deal.versions.push({ from, to, missingMicro: wtpMicro });
  if (open.includes(deal)) return;
  const place = open.findIndex(({ rank }) => rank > deal.rank);
  open.splice(place < 0 ? open.length : place, 0, deal);
}

function take(deal: OpenDeal, topUp: PaidTopUp, atMostMicro: bigint): bigint {
  const needed = neededMicro(deal, topUp.toppedUpAt);
  const countedMicro = needed < atMostMicro ? needed : atMostMicro;
  if (countedMicro <= 0n) return 0n;
  deal.shares.push({ topUp, countedMicro });
  for (const version of deal.versions) {
    if (version.from < topUp.toppedUpAt) version.missingMicro -= countedMicro;
  }
  return countedMicro;
}

/** The most that one of the hypotheses that are open at a moment still needs. */
function neededMicro(deal: OpenDeal, at: Date): bigint {
  deal.versions = deal.versions.filter(({ to }) => to > at);
  let most = 0n;
  for (const { from, missingMicro } of deal.versions) {
    if (from < at && missingMicro > most) most = missingMicro;
  }
  return most;
}
