import { FINDING_CLASSES, type FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { TextJudgement } from '../../prompts/context-policies/text-judge.js';
import { inspectRequest } from './inspect.js';

/** Everything is looked for and nothing is changed, whatever a tenant's policy says. */
const DETECT_EVERYTHING = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, 'detect']),
) as FirewallModes;

/** What the firewall finds in a text that is not part of a request. */
export function judgeText(text: string): TextJudgement {
  const { dataClass, findings } = inspectRequest({ text }, DETECT_EVERYTHING);
  return { dataClass, findings: [...new Set(findings.map((finding) => finding.class))] };
}
