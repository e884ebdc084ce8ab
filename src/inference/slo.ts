/** What each class of service level promises for one request, in milliseconds. */
const SLO_TARGETS: Readonly<
  Record<string, { readonly latencyMsMax: number; readonly timeToFirstTokenMsMax: number }>
> = {
  standard: { latencyMsMax: 30_000, timeToFirstTokenMsMax: 3_000 },
  business: { latencyMsMax: 20_000, timeToFirstTokenMsMax: 2_000 },
  enterprise: { latencyMsMax: 15_000, timeToFirstTokenMsMax: 1_500 },
};

/** The targets of a class; those of `standard` for a class that has none of its own. */
export function sloTarget(slaClass: string) {
  return SLO_TARGETS[slaClass] ?? { latencyMsMax: 30_000, timeToFirstTokenMsMax: 3_000 };
}
