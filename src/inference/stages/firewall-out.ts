import type { EffectivePolicy } from '../../access/policies/rules.js';
import { changesText } from '../../kernel/firewall/modes.js';
import type { JsonObject } from '../../kernel/json.js';
import type { FindingCount } from '../firewall/finding.js';
import { inspectResponse, type MaskedCount } from '../firewall/inspect.js';
import type { Inspected } from './firewall-in.js';

/** What was found in an answer. */
export interface FirewallOut {
  readonly findings: readonly FindingCount[];
  readonly masked: readonly MaskedCount[];
}

/**
 * True where the bytes of an answer cannot pass untouched. What only the defaults would replace is
 * counted, not replaced: an answer is rewritten where a policy says so.
 */
export function rewritesAnswer(policy: EffectivePolicy, { inspection }: Inspected): boolean {
  return changesText(policy.answerFirewall) || !inspection.vault.isEmpty;
}

/** Returns masked values to the client and handles what the model itself says. */
export function firewallOut<T extends JsonObject>(
  answer: T,
  policy: EffectivePolicy,
  { inspection }: Inspected,
): FirewallOut & { readonly body: T } {
  return inspectResponse(answer, policy.answerFirewall, inspection.vault);
}
