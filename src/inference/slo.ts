import type { SlaClass } from '../money/billing/vocabulary.js';

/** What each class of service level promises for one request, in milliseconds. */
const SLO_TARGETS: Readonly<
  Record<SlaClass, { readonly latencyMsMax: number; readonly timeToFirstTokenMsMax: number }>
> = {
  standard: { latencyMsMax: 30_000, timeToFirstTokenMsMax: 3_000 },
  business: { latencyMsMax: 20_000, timeToFirstTokenMsMax: 2_000 },
  enterprise: { latencyMsMax: 15_000, timeToFirstTokenMsMax: 1_500 },
};

/** The targets of the class in force. */
export function sloTarget(slaClass: string) {
  return SLO_TARGETS[slaClass as SlaClass] ?? SLO_TARGETS.standard;
}
