import type { VersionUsage } from './tables.js';
import type { TrafficState } from './vocabulary.js';

/** The recorded requests of one version, summed by the database. */
export interface VersionTotals
  extends Omit<VersionUsage, 'errors' | 'schema' | 'simulatedRequests' | 'traffic'> {
  /** Requests whose model was simulated. */
  readonly simulated: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Answers that were held against the schema, of real models and of simulated ones. */
  readonly schemaChecked: number;
  readonly schemaValid: number;
  readonly schemaCheckedSimulated: number;
  readonly schemaValidSimulated: number;
}

/**
 * What the totals of a version say. Where nothing was measured, no share is stated. Simulated
 * answers enter the figures of the schema only where there are no others, and are then labelled.
 */
export function versionUsage(totals: VersionTotals): VersionUsage {
  const { requests, simulated, schemaCheckedSimulated, schemaValidSimulated } = totals;
  const isSimulated = totals.schemaChecked === 0 && schemaCheckedSimulated > 0;
  const schemaChecked = isSimulated ? schemaCheckedSimulated : totals.schemaChecked;
  const schemaValid = isSimulated ? schemaValidSimulated : totals.schemaValid;
  const measured = schemaChecked === 0 ? 'not_measured' : 'measured';
  const errors = Object.entries(totals.errors).map(([code, requests]) => ({ code, requests }));
  return {
    ...totals,
    simulatedRequests: simulated,
    errors: errors.sort((a, b) => b.requests - a.requests || (a.code < b.code ? -1 : 1)),
    traffic: trafficOf(requests, simulated),
    schema: {
      state: isSimulated ? 'simulated' : measured,
      checked: schemaChecked,
      valid: schemaValid,
      share: schemaChecked === 0 ? null : schemaValid / schemaChecked,
    },
  };
}

/** Whether requests show anything about real models. */
export function trafficOf(requests: number, simulated: number): TrafficState {
  if (requests === 0) return 'no_traffic';
  return simulated === requests ? 'simulated' : 'measured';
}
