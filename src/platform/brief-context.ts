import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value that follows what is begun inside of some work. Node pays for such a context with every
 * promise of the process, those of the chat path too, from its first use until it is disabled: so
 * it is there only while some work under it has not ended.
 */
export class BriefContext<T> {
  readonly #storage = new AsyncLocalStorage<T>();
  #underWay = 0;

  /** The value here; undefined outside of any work. */
  get(): T | undefined {
    return this.#storage.getStore();
  }

  /** Does the work under the value, which holds until the promise of the work has ended. */
  async run<R>(value: T, work: () => PromiseLike<R>): Promise<R> {
    this.#underWay += 1;
    try {
      // Some promises begin when somebody waits for them, which has to be in here.
      return await this.#storage.run(value, async () => await work());
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#storage.disable();
    }
  }
}
