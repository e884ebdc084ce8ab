import type { Deployment, Model, ModelAlias, Provider, Registry } from './model.js';
import type { PriceRow } from './price.js';

/**
 * The registry of a running process: it hands on to contents that are exchanged in one step. Who
 * reads several parts without waiting in between reads them of the same contents.
 */
export class LiveRegistry implements Registry {
  readonly #callbacks: (() => void)[] = [];

  constructor(private contents: Registry) {}

  /** Puts other contents in the place of those in force, and tells whoever follows. */
  exchange(contents: Registry): void {
    this.contents = contents;
    for (const callback of this.#callbacks) callback();
  }

  onExchange(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  get version(): number {
    return this.contents.version;
  }

  get providers(): readonly Provider[] {
    return this.contents.providers;
  }

  get providersById(): ReadonlyMap<string, Provider> {
    return this.contents.providersById;
  }

  get models(): ReadonlyMap<string, Model> {
    return this.contents.models;
  }

  get aliases(): ReadonlyMap<string, ModelAlias> {
    return this.contents.aliases;
  }

  get deploymentsByKey(): ReadonlyMap<string, Deployment> {
    return this.contents.deploymentsByKey;
  }

  deployments(modelId: string): readonly Deployment[] {
    return this.contents.deployments(modelId);
  }

  chain(modelId: string): readonly Deployment[] {
    return this.contents.chain(modelId);
  }

  priceAt(modelId: string, day: string): PriceRow | undefined {
    return this.contents.priceAt(modelId, day);
  }

  near(modelId: string): readonly string[] {
    return this.contents.near(modelId);
  }
}
