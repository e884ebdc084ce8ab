/**
 * What a run may spend. A request takes its upper estimate before it starts and gives back what it
 * did not cost, so the run never costs more than the budget.
 */
export class RunBudget {
  #spentMicro = 0n;
  #heldMicro = 0n;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly budgetMicro: bigint) {}

  /** Takes an upper estimate. False where the budget does not cover it, however others end. */
  async take(mostMicro: bigint): Promise<boolean> {
    while (this.#spentMicro + this.#heldMicro + mostMicro > this.budgetMicro) {
      if (this.#heldMicro === 0n) return false;
      // Estimates are far above what requests cost: one that ends may leave enough.
      await new Promise<void>((wake) => {
        this.#waiting.add(wake);
      });
    }
    this.#heldMicro += mostMicro;
    return true;
  }

  /** Gives an estimate back and notes what the request has cost. */
  settle(mostMicro: bigint, costMicro: bigint): void {
    this.#heldMicro -= mostMicro;
    this.#spentMicro += costMicro;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
