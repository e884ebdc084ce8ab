import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { answerLengths, lengthKey, type PastWindow } from './past.js';
import type { WHAT_IF } from './tables.js';
import {
  type AskedAgain,
  costDifference,
  type Difference,
  qualityDifference,
  type Supposition,
} from './what-if.rules.js';

type WhatIfResult = ValuesOf<typeof WHAT_IF.fields>;
type Result = Omit<WhatIfResult, 'truncated' | 'damagedSituations'>;
type ChangedScorecard = WhatIfResult['changedScorecards'][number];

/** Sums up decisions that were asked again. */
export class WhatIfTally {
  readonly #asked: AskedAgain[] = [];
  readonly #scorecards = new Map<string, ChangedScorecard>();
  readonly #compared = new Set<string>();

  constructor(private readonly supposition: Supposition) {}

  /** Adds one decision; the latest come first. */
  add(asked: AskedAgain): void {
    this.#asked.push(asked);
    this.#compare(asked.past);
  }

  /** Names every estimate that is another one today than in a situation. */
  #compare({ record, situation }: AskedAgain['past']): void {
    const { estimates } = this.supposition;
    const { useCase } = record;
    const compared = lengthKey(useCase, record.situation);
    if (!estimates || this.#compared.has(compared)) return;
    this.#compared.add(compared);
    for (const before of situation.models) {
      const key = lengthKey(useCase, before.model);
      if (this.#scorecards.has(key)) continue;
      const now = estimates(useCase, before);
      const isSame =
        now.qualityBasisPoints === before.qualityBasisPoints &&
        now.qualitySource === before.qualitySource;
      if (isSame) continue;
      this.#scorecards.set(key, {
        useCase,
        model: before.model,
        sourceBefore: before.qualitySource,
        sourceNow: now.qualitySource,
        qualityBasisPointsBefore: before.qualityBasisPoints,
        qualityBasisPointsNow: now.qualityBasisPoints,
      });
    }
  }

  /** What all of them come to. */
  async result(ctx: AuthorizedCtx, window: PastWindow): Promise<Result> {
    const asked = this.#asked;
    const moved = asked.filter((one) => one.moved !== undefined);
    const lengths = moved.length > 0 ? await answerLengths(ctx, window) : new Map();
    const cost = costDifference(asked, (useCase, model) => lengths.get(lengthKey(useCase, model)));
    const quality = qualityDifference(asked);
    const recordedCostMicro = asked.reduce((sum, { past }) => sum + past.costMicro, 0n);
    return {
      verdict: this.#verdict(moved.length, cost, quality),
      decisions: asked.length,
      unchanged: asked.length - moved.length,
      changed: moved.length,
      refused: moved.filter(({ model }) => model === null).length,
      recordedCostMicro,
      sameTokensCostMicro: sameTokens(asked),
      cost: {
        lowMicro: cost.low,
        expectedMicro: cost.expected,
        highMicro: cost.high,
        needed: cost.needed,
      },
      quality: {
        lowBasisPoints: quality.low,
        expectedBasisPoints: quality.expected,
        highBasisPoints: quality.high,
        needed: quality.needed,
      },
      moves: movesOf(moved),
      changedScorecards: [...this.#scorecards.values()],
    };
  }

  #verdict(moved: number, cost: Difference<bigint>, quality: Difference<number>) {
    if (this.#asked.length === 0) return 'cannot_certify';
    if (moved === 0) return 'IDENTICAL';
    const isKnown = cost.expected !== null && quality.expected !== null;
    return isKnown ? 'DIFFERENT' : 'CANNOT_CONCLUDE';
  }
}

/** What the recorded tokens cost with the models that come out; null where one has no price. */
function sameTokens(asked: readonly AskedAgain[]): bigint | null {
  let sum = 0n;
  for (const { past, model, moved } of asked) {
    if (!moved) sum += past.costMicro;
    else if (moved.sameTokensMicro !== undefined) sum += moved.sameTokensMicro;
    else if (model !== null) return null;
  }
  return sum;
}

function movesOf(moved: readonly AskedAgain[]): WhatIfResult['moves'] {
  const counts = new Map<
    string,
    { fromModel: string; toModel: string | null; decisions: number }
  >();
  for (const { past, model } of moved) {
    const key = `${past.answeredBy}\n${model ?? ''}`;
    const move = counts.get(key) ?? { fromModel: past.answeredBy, toModel: model, decisions: 0 };
    move.decisions += 1;
    counts.set(key, move);
  }
  return [...counts.values()].sort((left, right) => right.decisions - left.decisions);
}
