/** The streams that run in this process, so that a node which stops can end them properly. */
export class RunningStreams {
  private readonly ends = new Set<() => void>();
  private ending = false;

  /** True once the node has ended its streams: an abort is then the node's, not the client's. */
  get areEnding(): boolean {
    return this.ending;
  }

  /** Calls `end` when the node stops, until the returned function is called. */
  add(end: () => void): () => void {
    if (this.ending) end();
    this.ends.add(end);
    return () => this.ends.delete(end);
  }

  /** Ends every stream: what was produced is charged, and the client is told. */
  endAll(): void {
    this.ending = true;
    for (const end of this.ends) end();
  }
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly runningStreams: RunningStreams;
  }
}
