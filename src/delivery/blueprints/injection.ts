import { inspectRequestApart } from '../../inference/firewall/apart/apart.js';
import { isHeavy } from '../../inference/firewall/apart/weight.js';
import { INJECTION_ONLY, saidByUser, textsIn } from './content.rules.js';
import { conditionsOf } from './lint-proof.js';
import type { Manifest } from './manifest.js';
import { type RunValues, valueAt } from './values.js';

/** The values of a run, with the verdicts on those that are too long to be read in a condition. */
export interface ReadValues extends RunValues {
  readonly injectionFree: Map<string, boolean>;
}

/**
 * Reads for injection markers what the manifest's conditions ask about, where it is too long to be
 * read in the thread that serves requests. Each value is read once for the whole run.
 * @param owner the organization that waits for it
 * @throws firewall_scan_too_long, firewall_busy
 */
export async function readInjections(
  manifest: Manifest,
  values: ReadValues,
  owner: () => string,
): Promise<void> {
  const asked = conditionsOf(manifest).map(({ condition }) => condition);
  for (const { ref, operator } of asked) {
    if (operator !== 'without_injection' || values.injectionFree.has(ref)) continue;
    const said = saidByUser(textsIn(valueAt(values, ref)));
    if (!isHeavy(said, INJECTION_ONLY)) continue;
    const scan = { owner: owner() };
    const { findings } = await inspectRequestApart(said, INJECTION_ONLY, undefined, scan);
    values.injectionFree.set(ref, findings.length === 0);
  }
}
