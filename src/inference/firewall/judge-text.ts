import { UNREAD_MODE_DEFAULT, unreadDataClass } from '../../kernel/firewall/contents.js';
import { higherDataClass } from '../../kernel/firewall/data-class.rules.js';
import { FINDING_CLASSES, type FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { TextJudgement } from '../../prompts/context-policies/text-judge.js';
import { inspectRequestApart } from './apart/apart.js';
import { isHeavy } from './apart/weight.js';
import { inspectRequest, type RequestInspection } from './inspect.js';

/** Everything is looked for and nothing is changed, whatever a tenant's policy says. */
const DETECT_EVERYTHING = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, 'detect']),
) as FirewallModes;

/** What the firewall finds in a text of the product that is not part of a request. */
export function judgeText(text: string): TextJudgement {
  return judgementOf(inspectRequest({ text }, DETECT_EVERYTHING));
}

/**
 * What the firewall finds in each of several texts that are not part of a request. Long ones are
 * read without holding the event loop.
 * @throws firewall_scan_too_long
 */
export async function judgeTexts(
  texts: readonly string[],
  owner: string,
): Promise<TextJudgement[]> {
  if (!isHeavy(texts, DETECT_EVERYTHING)) return texts.map(judgeText);
  const judged: TextJudgement[] = [];
  for (const text of texts) {
    judged.push(
      judgementOf(await inspectRequestApart({ text }, DETECT_EVERYTHING, undefined, { owner })),
    );
  }
  return judged;
}

/** What nothing reads counts as it does in a request where no policy says anything else. */
function judgementOf({ dataClass, findings, unread }: RequestInspection<object>): TextJudgement {
  const unreadClass = unread.length > 0 ? unreadDataClass(UNREAD_MODE_DEFAULT) : 'C0';
  return {
    dataClass: higherDataClass(dataClass, unreadClass),
    findings: [...new Set(findings.map((finding) => finding.class))],
  };
}
