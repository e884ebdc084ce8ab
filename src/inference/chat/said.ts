import { looksForNothing, withoutInjection } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { Vault } from '../firewall/mask.js';
import { mayHoldValues, scan } from '../firewall/scan.js';
import { ScanReport } from '../firewall/stream.js';
import type { FirewallOut } from '../stages/firewall-out.js';

const NOTHING_FOUND: FirewallOut = { findings: [], masked: [] };

/** Counts what stands in a text that has passed; as it is there whole, it is looked at once. */
export function scanSaid(text: string, modes: FirewallModes, vault: Vault): FirewallOut {
  const wanted = withoutInjection(modes);
  if (looksForNothing(wanted) || !mayHoldValues(text, wanted)) return NOTHING_FOUND;
  const report = new ScanReport();
  for (const { class: code, confidence, start, end } of scan(text, wanted)) {
    if (!vault.owns(code, text.slice(start, end))) report.tally.add(code, confidence);
  }
  return foundBy(report);
}

/** A report as receipts show it. */
export function foundBy(report: ScanReport): FirewallOut {
  const masked = [...report.masked].map(([code, count]) => ({ class: code, count }));
  return { findings: report.tally.counts(), masked };
}
