import type { AuthorizedCtx } from '../../graph/ctx.js';
import { ownTransport } from '../../inference/in-process.js';
import type { EvaluationFailure } from '../../prompts/evaluations/vocabulary.js';
import { BudgetExhausted, Payer } from './payer.js';
import type { RunPlan } from './plan.js';
import { type Ending, endEvaluation, keepEvaluation, recordResult } from './record.js';
import { type Item, runCase } from './run-case.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly promptEvaluations: EvaluationRuns;
  }
}

/** Cases of a run that are asked at the same time. */
const CONCURRENCY = 4;
const RENEW_EVERY_MS = 5_000;

/** Why a run is ended before its last case. */
type Stop = 'cancelled' | 'ended_elsewhere' | EvaluationFailure;

/** The evaluations that this process runs, beside the requests that started them. */
export class EvaluationRuns {
  readonly #running = new Map<string, { stop(why: Stop): void; done: Promise<void> }>();

  /** Runs a plan whose row is committed. It never throws: what fails ends the run. */
  begin(caller: AuthorizedCtx, plan: RunPlan): void {
    const run = new EvaluationRun(caller, plan);
    const done = run.run().finally(() => this.#running.delete(plan.id));
    this.#running.set(plan.id, { stop: (why) => run.stop(why), done });
  }

  /** Ends a run of this process; one of another node learns of it when it renews its row. */
  cancel(id: string): void {
    this.#running.get(id)?.stop('cancelled');
  }

  /** Ends all that runs here, as failed, when the process stops. */
  async stop(): Promise<void> {
    const all = [...this.#running.values()];
    for (const each of all) each.stop('node_lost');
    await Promise.all(all.map(({ done }) => done));
  }
}

/** One run. */
class EvaluationRun {
  readonly #abort = new AbortController();
  readonly #ctx: AuthorizedCtx;
  #stopped: Stop | undefined;

  constructor(
    caller: AuthorizedCtx,
    private readonly plan: RunPlan,
  ) {
    this.#ctx = detached(caller, this.#abort.signal);
  }

  stop(why: Stop): void {
    this.#stopped ??= why;
    this.#abort.abort();
  }

  async run(): Promise<void> {
    const { log } = this.#ctx.services;
    const timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref();
    try {
      await this.#end(await this.#runAll());
    } catch (error) {
      log.error({ err: error, run: this.plan.id }, 'an evaluation could not be ended');
    } finally {
      clearInterval(timer);
    }
  }

  /** How the run ends once no case is under way any more. */
  async #runAll(): Promise<Ending> {
    try {
      await this.#runCases();
    } catch (error) {
      this.#ctx.services.log.error({ err: error, run: this.plan.id }, 'an evaluation failed');
      return { status: 'failed', failure: 'internal' };
    }
    const why = this.#stopped;
    if (why === undefined) return { status: 'completed' };
    if (why === 'cancelled' || why === 'ended_elsewhere') return { status: 'cancelled' };
    return { status: 'failed', failure: why };
  }

  async #runCases(): Promise<void> {
    const payer = new Payer(this.#ctx, this.plan.budgetMicro);
    const waiting = itemsOf(this.plan).values();
    const work = async () => {
      for (const item of waiting) {
        if (this.#stopped) return;
        await this.#runOne(item, payer);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  async #runOne(item: Item, payer: Payer): Promise<void> {
    try {
      const result = await runCase(this.#ctx, this.plan, item, payer);
      // What was cut off by the end of the run shows nothing of the case.
      if (this.#abort.signal.aborted && result.requestId === null) return;
      this.#heed(await recordResult(this.#ctx, this.plan.id, item.place, result));
    } catch (error) {
      if (error instanceof BudgetExhausted) this.#stopped ??= 'budget_exhausted';
      else if (!this.#stopped) {
        const { log } = this.#ctx.services;
        log.error({ err: error, run: this.plan.id }, 'a case of an evaluation failed');
        this.#stopped = 'internal';
      }
    }
  }

  async #renew(): Promise<void> {
    try {
      this.#heed(await keepEvaluation(this.#ctx, this.plan.id));
    } catch (error) {
      this.#ctx.services.log.warn({ err: error, run: this.plan.id }, 'a run was not renewed');
    }
  }

  #heed(going: Awaited<ReturnType<typeof keepEvaluation>>): void {
    if (going === 'cancelled') this.stop('cancelled');
    if (going === 'ended') this.stop('ended_elsewhere');
  }

  async #end(ending: Ending): Promise<void> {
    if (this.#stopped === 'ended_elsewhere') return;
    await endEvaluation(this.#ctx, this.plan.id, ending);
  }
}

/** Every case with every target, a case after the other. */
function itemsOf({ cases, targets }: RunPlan): Item[] {
  const pairs = cases.flatMap((planned) => targets.map((target) => ({ planned, target })));
  return pairs.map((each, place) => ({ ...each, place }));
}

/** The caller without their request, which is answered long before the run ends. */
function detached(caller: AuthorizedCtx, signal: AbortSignal): AuthorizedCtx {
  const { requestId, who, authorization } = caller;
  // The run outlives the transaction of a request under a key.
  const services = caller.processServices ?? caller.services;
  return {
    requestId,
    startedMs: performance.now(),
    who,
    ...(authorization !== undefined && { authorization }),
    services,
    signal,
    transport: { ...ownTransport(caller.transport), trace: undefined, idles: undefined },
  };
}
