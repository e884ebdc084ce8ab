import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { OwnChat } from '../../inference/in-process.js';
import { asObject } from '../../kernel/json.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { RunBudget } from './budget.js';
import { costMicroMax, type SizedRequest } from './cost-bound.js';

/** A budget does not cover the next request. */
export class BudgetExhausted extends Error {
  constructor(readonly budget: RunBudget) {
    super('the budget does not cover the request');
  }
}

/** Pays the requests of a run out of its budget. */
export class Payer {
  readonly #run: RunBudget;
  /** Of judges, by case and grader. */
  readonly #judges = new Map<string, RunBudget>();

  constructor(
    private readonly ctx: AuthorizedCtx,
    budgetMicro: bigint,
  ) {
    this.#run = new RunBudget(budgetMicro);
  }

  /**
   * Makes a request that the run pays.
   * @throws BudgetExhausted, and what the request is refused with
   */
  async pay(sized: SizedRequest, ask: () => Promise<OwnChat>): Promise<OwnChat> {
    return this.#within(this.#run, sized, ask);
  }

  /**
   * Makes a request that the budget of a judge bounds too.
   * @returns undefined where that budget does not cover it
   */
  async payJudge(
    { name, budgetMicro }: { readonly name: string; readonly budgetMicro: bigint },
    sized: SizedRequest,
    ask: () => Promise<OwnChat>,
  ): Promise<OwnChat | undefined> {
    const budget = this.#judges.get(name) ?? new RunBudget(budgetMicro);
    this.#judges.set(name, budget);
    try {
      return await this.#within(budget, sized, () => this.#within(this.#run, sized, ask));
    } catch (error) {
      if (error instanceof BudgetExhausted && error.budget === budget) return undefined;
      throw error;
    }
  }

  async #within(
    budget: RunBudget,
    sized: SizedRequest,
    ask: () => Promise<OwnChat>,
  ): Promise<OwnChat> {
    const most = await this.#mostOf(sized);
    if (!(await budget.take(most))) throw new BudgetExhausted(budget);
    let costMicro = 0n;
    try {
      const answered = await ask();
      costMicro = costOf(answered);
      return answered;
    } finally {
      budget.settle(most, costMicro);
    }
  }

  /** What has no price is refused by the chat path itself, and costs nothing. */
  async #mostOf(sized: SizedRequest): Promise<bigint> {
    const { services, who } = this.ctx;
    // Read anew: an alias may name a dearer model than when the run began.
    const aliases = await services.modelAliases.forTenant(who.tenantId);
    return costMicroMax(services, aliases, sized) ?? 0n;
  }
}

function costOf({ answer }: OwnChat): bigint {
  const rub = Number(asObject(answer.gw_routing)?.cost_rub ?? 0);
  return BigInt(Math.round(rub * Number(MICRO_PER_RUB)));
}
