/** A wait that a ring ends early; a ring while nobody waits is kept for the next wait. */
export class Alarm {
  stopped = false;
  private rung = false;
  private end: (() => void) | undefined;

  ring(): void {
    this.rung = true;
    this.end?.();
  }

  stop(): void {
    this.stopped = true;
    this.end?.();
  }

  /** True when it ended by a ring. */
  async wait(ms: number): Promise<boolean> {
    if (!this.rung && !this.stopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        timer.unref();
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.end = undefined;
    }
    const { rung } = this;
    this.rung = false;
    return rung;
  }
}
