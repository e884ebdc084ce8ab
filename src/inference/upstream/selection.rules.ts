import type { Deployment } from '../../catalog/providers/model.js';

/** What a deployment carries on this node. */
export interface DeploymentLoad {
  readonly inFlight: number;
  /** The median of its answers of late in milliseconds; undefined while none is known. */
  readonly latencyMs: number | undefined;
}

/** What selection needs of a deployment. */
export type Selectable = Pick<Deployment, 'id' | 'key' | 'jurisdiction' | 'selection' | 'weight'>;

/**
 * A chain with the deployments of each model in the order in which this request asks them. The
 * chosen model comes first with all of its deployments. Of a fallback only neighbours in the chain
 * that lie in the same jurisdiction change places, so that fallbacks abroad stay behind those in
 * Russia. Pure: the same request and loads give the same order.
 */
export function inTurn<D extends Selectable>(
  chain: readonly D[],
  requestId: string,
  loadOf: (deployment: D) => DeploymentLoad,
): readonly D[] {
  if (chain.length < 2 || chain.every(({ selection }) => selection === 'ordered')) return chain;
  return runsOf(chain).flatMap((run) => {
    const selection = run[0]?.selection;
    if (run.length < 2 || selection === 'ordered') return run;
    const drawn = drawnByWeight(run, requestId);
    return selection === 'weighted' ? drawn : lessLoadedFirst(drawn, loadOf);
  });
}

/** A chain in pieces, within each of which deployments may change places. */
function runsOf<D extends Selectable>(chain: readonly D[]): D[][] {
  const runs: D[][] = [];
  for (const deployment of chain) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const isSameModel = last?.id === deployment.id;
    const isChosen = runs.length === 1;
    const goesOn = isSameModel && (isChosen || last.jurisdiction === deployment.jurisdiction);
    if (run && goesOn) run.push(deployment);
    else runs.push([deployment]);
  }
  return runs;
}

/**
 * A drawing without replacement whose first is each deployment with the probability of its weight:
 * weighted rendezvous hashing (Schindelhauer and Schomaker, 2005), by -ln(u) / weight for u in
 * (0, 1) of request and deployment. Where one is left out, only its own share moves. Weight 0 comes
 * last.
 */
function drawnByWeight<D extends Selectable>(own: readonly D[], requestId: string): D[] {
  return own
    .map((deployment) => ({ deployment, at: arrival(deployment, requestId) }))
    .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at))
    .map(({ deployment }) => deployment);
}

function arrival({ key, weight }: Selectable, requestId: string): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(evenly(requestId, key)) / weight;
}

/** The power of two choices: of the first two drawn the better one goes first. */
function lessLoadedFirst<D extends Selectable>(
  drawn: readonly D[],
  loadOf: (deployment: D) => DeploymentLoad,
): D[] {
  const [first, second, ...rest] = drawn;
  if (!first || !second || second.weight === 0) return [...drawn];
  return isBetter(loadOf(second), loadOf(first))
    ? [second, first, ...rest]
    : [first, second, ...rest];
}

/**
 * True where one is expected to answer strictly sooner: its answers take so long, behind so many
 * that are under way. Where the pace of one is not known, what is under way decides alone.
 */
export function isBetter(one: DeploymentLoad, other: DeploymentLoad): boolean {
  const { latencyMs } = one;
  const isKnown = latencyMs !== undefined && other.latencyMs !== undefined;
  if (!isKnown) return one.inFlight < other.inFlight;
  return (one.inFlight + 1) * latencyMs < (other.inFlight + 1) * (other.latencyMs ?? 0);
}

/** A number in (0, 1) that two texts decide: FNV-1a, with the last mixing steps of MurmurHash3. */
export function evenly(one: string, other: string): number {
  let hash = 0x811c9dc5;
  for (const text of [one, '|', other]) {
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}
