import { joinedExposition, type Part } from '../../platform/joined-exposition.rules.js';

/** How long a worker that is busy is waited for. */
const WAIT_MS_MAX = 2_000;

interface Gathering {
  readonly parts: Part[];
  readonly missing: Set<number>;
  readonly end: () => void;
}

/** Gathers the metrics of all workers when one of them is asked for them. */
export class GatheredFigures {
  private readonly gatherings = new Map<number, Gathering>();
  private last = 0;

  /**
   * @param ask asks a worker for its own, to be handed over by `add` under that id
   * @param own the primary's
   */
  constructor(
    private readonly ask: (worker: number, id: number) => void,
    private readonly own: () => Promise<string>,
  ) {}

  /** The metrics of the primary and of these workers, without those that do not answer in time. */
  async text(workers: readonly number[]): Promise<string> {
    const primary = { worker: 'primary', text: await this.own() };
    const parts: Part[] = [];
    this.last += 1;
    const id = this.last;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, WAIT_MS_MAX);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      this.gatherings.set(id, { parts, missing: new Set(workers), end });
      for (const worker of workers) this.ask(worker, id);
    });
    this.gatherings.delete(id);
    parts.sort((one, other) => Number(one.worker) - Number(other.worker));
    return joinedExposition([primary, ...parts]);
  }

  /** Takes what a worker has answered. */
  add(worker: number, id: number, text: string): void {
    const gathering = this.gatherings.get(id);
    if (!gathering?.missing.delete(worker)) return;
    gathering.parts.push({ worker: String(worker), text });
    if (gathering.missing.size === 0) gathering.end();
  }

  /** Waits for a worker no more. */
  forget(worker: number): void {
    for (const { missing, end } of this.gatherings.values()) {
      if (missing.delete(worker) && missing.size === 0) end();
    }
  }
}
