import type { Deployment } from '../../catalog/providers/model.js';

/** What a deployment carries on this node. */
export interface DeploymentLoad {
  readonly inFlight: number;
  /** The median of its answers of late in milliseconds; undefined while none is known. */
  readonly latencyMs: number | undefined;
}

/** What selection needs of a deployment. */
export type Selectable = Pick<Deployment, 'id' | 'key' | 'selection' | 'weight'>;

/**
 * A chain with the deployments of each model in the order in which this request asks them. Models
 * keep their order, so fallbacks stay behind all deployments of the chosen model. Pure: the same
 * request and loads give the same order.
 */
export function inTurn<D extends Selectable>(
  chain: readonly D[],
  requestId: string,
  loadOf: (deployment: D) => DeploymentLoad,
): readonly D[] {
  if (chain.length < 2 || chain.every(({ selection }) => selection === 'ordered')) return chain;
  const models = [...new Set(chain.map(({ id }) => id))];
  return models.flatMap((model) => {
    const own = chain.filter(({ id }) => id === model);
    const selection = own[0]?.selection;
    if (own.length < 2 || selection === 'ordered') return own;
    const drawn = drawnByWeight(own, requestId);
    return selection === 'weighted' ? drawn : lessLoadedFirst(drawn, loadOf);
  });
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
