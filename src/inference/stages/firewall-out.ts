import type { EffectivePolicy } from '../../access/policies/rules.js';
import { changesText } from '../../kernel/firewall/modes.js';
import type { JsonObject } from '../../kernel/json.js';
import { type Asker, inspectResponseApart } from '../firewall/apart/apart.js';
import { isHeavy } from '../firewall/apart/weight.js';
import { type FirewallOut, inspectResponse } from '../firewall/inspect.js';
import type { Inspected } from './firewall-in.js';

/**
 * True where the bytes of an answer cannot pass untouched. What only the defaults would replace is
 * counted, not replaced: an answer is rewritten where a policy says so.
 */
export function rewritesAnswer(policy: EffectivePolicy, { inspection }: Inspected): boolean {
  return changesText(policy.answerFirewall) || !inspection.vault.isEmpty;
}

/** What became of a whole answer. */
interface AnswerOut<T> extends FirewallOut {
  readonly body: T;
}

/**
 * Returns masked values to the client and handles what the model itself says. A long answer is
 * read apart, so that no provider holds the event loop.
 * @throws upstream_failed where reading it takes longer than a scan is given
 */
export function firewallOut<T extends JsonObject>(
  answer: T,
  { answerFirewall }: EffectivePolicy,
  { inspection: { vault } }: Inspected,
  asker: Asker,
): AnswerOut<T> | Promise<AnswerOut<T>> {
  if (!isHeavy(answer, answerFirewall)) return inspectResponse(answer, answerFirewall, vault);
  return inspectResponseApart(answer, answerFirewall, vault, asker);
}
