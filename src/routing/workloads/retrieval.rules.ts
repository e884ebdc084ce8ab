import type { ValuesOf } from '../../kernel/fields/field.js';
import type { RETRIEVAL_INPUT, RETRIEVAL_PLAN } from './tables.js';

type Found = ValuesOf<typeof RETRIEVAL_INPUT.fields>;
type Candidate = Found['candidates'][number];

/**
 * The passages to read, one after the other: each time the one that covers the most needs still
 * open for its tokens, of equals the more relevant, then the earlier. It ends when nothing is
 * open, or when no passage that fits covers anything more: the greedy cover, which takes at most
 * 1 + ln(needs) times the tokens of the best (Chvátal 1979).
 */
export function planRetrieval(found: Found): ValuesOf<typeof RETRIEVAL_PLAN.fields> {
  const open = new Set(found.needs);
  let left = found.candidates;
  let usedTokens = 0;
  const steps: { passageId: string; adds: string[]; tokensSoFar: number }[] = [];
  while (open.size > 0) {
    const room = found.tokensMax - usedTokens;
    const next = bestOf(left, open, room);
    if (!next) break;
    const adds = added(next, open);
    for (const need of adds) open.delete(need);
    usedTokens += next.tokens;
    left = left.filter((each) => each !== next);
    steps.push({ passageId: next.passageId, adds, tokensSoFar: usedTokens });
  }
  return {
    verdict: open.size === 0 ? 'SUFFICIENT' : 'INSUFFICIENT',
    steps,
    uncovered: [...open],
    usedTokens,
    sparedTokens: left.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

function added({ covers }: Candidate, open: ReadonlySet<string>): string[] {
  return [...new Set(covers)].filter((need) => open.has(need));
}

function bestOf(candidates: readonly Candidate[], open: ReadonlySet<string>, room: number) {
  let best: { readonly candidate: Candidate; readonly worth: number } | undefined;
  for (const candidate of candidates) {
    const worth = candidate.tokens > room ? 0 : added(candidate, open).length / candidate.tokens;
    const isBetter =
      worth > (best?.worth ?? 0) ||
      (worth > 0 && worth === best?.worth && candidate.relevance > best.candidate.relevance);
    if (isBetter) best = { candidate, worth };
  }
  return best?.candidate;
}
