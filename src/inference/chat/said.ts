import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { Vault } from '../firewall/mask.js';
import { mayHoldValues } from '../firewall/scan.js';
import { ScanReport, StreamScanner } from '../firewall/stream.js';
import type { FirewallOut } from '../stages/firewall-out.js';

const NOTHING_FOUND: FirewallOut = { findings: [], masked: [] };

/** Counts what stands in a text that has passed. */
export function scanSaid(text: string, modes: FirewallModes, vault: Vault): FirewallOut {
  if (!mayHoldValues(text, modes)) return NOTHING_FOUND;
  const report = new ScanReport();
  const scanner = new StreamScanner(modes, vault, 'plain', report);
  scanner.push(text);
  scanner.flush();
  return foundBy(report);
}

/** A report as receipts show it. */
export function foundBy(report: ScanReport): FirewallOut {
  const masked = [...report.masked].map(([code, count]) => ({ class: code, count }));
  return { findings: report.tally.counts(), masked };
}
