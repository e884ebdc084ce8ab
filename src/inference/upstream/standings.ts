import type { Deployment, Registry } from '../../catalog/providers/model.js';
import { Gate, type GateParts, type LimitUse } from './gate.js';
import { Standing } from './standing.js';

interface Known {
  readonly key: string;
  readonly standing: Standing;
  readonly gate: Gate;
}

/**
 * How the deployments of a registry stand, by their keys. One that leaves the registry is kept, as
 * requests may still be under way to it, and since it may come back.
 */
export class Standings {
  readonly #known = new Map<string, Known>();
  /** Those whose breaker is not closed: mostly none, so that nobody has to look through all. */
  readonly #tripped = new Map<string, Standing>();
  #outer: readonly Known[] = [];

  constructor(
    private readonly registry: Registry,
    private readonly parts: GateParts,
  ) {}

  /** Takes the contents of the registry as they are now. */
  adopt(): void {
    const deployments = [...this.registry.deploymentsByKey.values()];
    for (const { key, simulated } of deployments) {
      if (this.#known.has(key)) continue;
      const standing: Standing = new Standing({
        opens: !simulated,
        maySlow: () => this.#maySlow(),
        changed: (state) => {
          if (state === 'closed') this.#tripped.delete(key);
          else this.#tripped.set(key, standing);
        },
      });
      this.#known.set(key, { key, standing, gate: new Gate(this.parts) });
    }
    this.#outer = deployments
      .filter(({ simulated }) => !simulated)
      .map((deployment) => this.of(deployment));
  }

  /** What is known of a deployment. @throws Error for one that never was of the registry */
  of({ key }: Deployment): Known {
    const known = this.#known.get(key);
    if (known === undefined) throw new Error(`${key} is not of the registry`);
    return known;
  }

  /** What is known of those of the registry. */
  all(): readonly Known[] {
    return [...this.registry.deploymentsByKey.values()].map((deployment) => this.of(deployment));
  }

  /** The keys of those whose breaker lets no call in at this moment. */
  shut(): readonly string[] {
    const shut: string[] = [];
    for (const [key, standing] of this.#tripped) if (!standing.admits()) shut.push(key);
    return shut;
  }

  /** True when so many breakers are open that the fault is more likely ours. */
  areDoubtful(): boolean {
    return this.#countOuter(({ state }) => state !== 'closed') * 2 > this.#outer.length;
  }

  /** How much of their limits the deployments have used: one question for all of them. */
  async limitUse(): Promise<ReadonlyMap<string, LimitUse>> {
    const deployments = [...this.registry.deploymentsByKey.values()];
    const windows = deployments.flatMap((one) => this.of(one).gate.windowsOf(one, 0));
    const { states } = await this.parts.counters.take(windows.map(({ limit }) => limit));
    const use = new Map<string, LimitUse>();
    for (const [index, { key, of }] of windows.entries()) {
      const { limit = 0, remaining = 0 } = states[index] ?? {};
      use.set(key, { ...use.get(key), [of]: limit - remaining });
    }
    return use;
  }

  /** When most are slow, the fault is ours. */
  #maySlow(): boolean {
    return (this.#countOuter(({ aside }) => aside === 'slow') + 1) * 2 <= this.#outer.length;
  }

  #countOuter(test: (standing: Standing) => boolean): number {
    return this.#outer.filter(({ standing }) => test(standing)).length;
  }
}
