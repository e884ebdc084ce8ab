import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { inputFaults } from '../../kernel/fields/faults.js';
import { closedOf, daysUntil, eventsOf, usageOf } from './facts.js';
import { scoreComponents, scoreOf, stageOf } from './score.rules.js';
import { ACCOUNT, type Score } from './tables.js';
import { EVENT_DAYS, STAGES } from './vocabulary.js';

/**
 * The score of an account. One without events and usage has none: it is not at 0.
 * @throws invalid_request for what is no reference of an account
 */
export async function scoreAccount(ctx: AuthorizedCtx, accountRef: string): Promise<Score> {
  failOnFaults(inputFaults({ accountRef: ACCOUNT }, { accountRef }, ''));
  const now = sharedNow();
  const [events, usage, closed] = await Promise.all([
    eventsOf(ctx, accountRef, now),
    usageOf(ctx, [accountRef], now),
    closedOf(ctx, [accountRef]),
  ]);
  const { requests } = usage.value(accountRef);
  const standing = closed(accountRef);
  const count = Object.values(events).reduce((sum, each) => sum + each, 0);
  const components = scoreComponents({ events, requests, usageProvenance: usage.provenance });
  const score = scoreOf(components);
  const isKnown = count > 0 || requests > 0;
  const stage = isKnown ? stageOf(score, standing) : null;
  return {
    accountRef,
    verdict: isKnown ? 'scored' : 'cannot_score',
    score: isKnown ? score : null,
    stage,
    recommendedAction: stage && (STAGES.find(stage)?.task ?? null),
    components: isKnown ? components : [],
    events: count,
    requests,
    usageProvenance: usage.provenance,
    openSignals: standing.openSignals,
    from: daysUntil(now, EVENT_DAYS).from,
    to: now,
    reason: isKnown ? null : 'Nothing was recorded of the account, and it has no usage.',
    needed: isKnown ? [] : NEEDED,
  };
}

const NEEDED = [
  'events of the account: POST /v1/gw/revenue/events',
  'requests with `metadata.client_id` of the account, answered by a real model',
];
