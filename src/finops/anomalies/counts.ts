import { SEVERITIES, type Severity } from './vocabulary.js';

/** How many anomalies this process has found since its start, by their severity. */
export class AnomalyCounts {
  private readonly counts = new Map<Severity, number>(SEVERITIES.codes.map((code) => [code, 0]));

  /** Counts those that a look has found and written. */
  add(found: readonly Severity[]): void {
    for (const severity of found) this.counts.set(severity, (this.counts.get(severity) ?? 0) + 1);
  }

  /** Each severity with its count. */
  entries(): readonly (readonly [Severity, number])[] {
    return [...this.counts];
  }
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly anomalyCounts: AnomalyCounts;
  }
}
