import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { length } from '../../kernel/errors/faults.js';
import { parseRub } from '../../kernel/money.js';
import { windowOf } from '../../kernel/window.rules.js';
import { type Tally, tallyEntries } from '../../records/journal-tally.js';
import { measuredFrom } from '../../records/measured.js';
import { USE_CASE } from '../economics/records.js';
import { OUTCOMES, ROUTING_OUTCOMES } from './outcomes-journal.js';
import { type CountedOutcomes, portfolioOf } from './portfolio.rules.js';
import type { AdaptivePortfolio } from './tables.js';
import { PORTFOLIO_ROWS_MAX } from './vocabulary.js';

/** Which outcomes are asked for. */
interface PortfolioQuestion {
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly useCase?: string | null;
}

const FIGURES = ['cost_rub', 'latency_ms'];
/** Every combination that there is of flags, sources and values. */
const TOTALS_MAX = 24;
/** Use cases have some models each, and outcomes of three values. */
const OF_MODELS_MAX = 20 * PORTFOLIO_ROWS_MAX;

/**
 * How often answers were accepted, by the outcomes that were reported in a window.
 * @throws invalid_request for a window that is empty or too long
 */
export async function adaptivePortfolio(
  ctx: AuthorizedCtx,
  question: PortfolioQuestion,
): Promise<AdaptivePortfolio> {
  const { from, to, faults } = windowOf(question, sharedNow());
  const { useCase = null } = question;
  failOnFaults([...faults, ...length('useCase', useCase, { min: 1, ...USE_CASE })]);
  const body = useCase === null ? undefined : { member: 'use_case', equals: useCase };
  const window = { from, to, body };
  const read = async (tx: Transaction) => {
    const tally = (members: readonly string[], groupsMax: number) => {
      const by = ['is_evidence', 'source', ...members];
      return tallyEntries(
        ctx,
        ROUTING_OUTCOMES,
        window,
        { by, figures: FIGURES, groupsMax },
        { tx },
      );
    };
    const totals = await tally(['explored'], TOTALS_MAX);
    const ofModels = await tally(['use_case', 'model'], OF_MODELS_MAX);
    return [
      {
        totals: totals.map((row) => ({ ...counted(row), explored: row.members[2] === 'true' })),
        ofModels: ofModels.map((row) => {
          const [, , ofUse, model] = row.members;
          return { ...counted(row), useCase: ofUse ?? '', model: model ?? '' };
        }),
      },
    ];
  };
  const { value, provenance } = await measuredFrom(ctx, read, ([rows]) =>
    portfolioOf(rows ?? { totals: [], ofModels: [] }),
  );
  return { ...value, from, to, provenance };
}

function counted({ value, members, entries, sums, counts }: Tally): CountedOutcomes {
  const [isEvidence, source] = members;
  const [costRub, latencyMs] = sums;
  const [costs = 0, latencies = 0] = counts;
  return {
    value: OUTCOMES.parse(value),
    entries,
    isEvidence: isEvidence === 'true',
    isRecorded: source === 'usage',
    costMicro: parseRub(costRub ?? '0') ?? 0n,
    costs,
    latencyMs: BigInt(latencyMs ?? 0),
    latencies,
  };
}
