import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { answerLengths, lengthKey, type PastWindow } from './past.js';
import type { WHAT_IF } from './tables.js';
import {
  costDifference,
  type Difference,
  type Moved,
  type PastDecision,
  qualityDifference,
  type Supposition,
} from './what-if.rules.js';

type WhatIfResult = ValuesOf<typeof WHAT_IF.fields>;
type Result = Omit<WhatIfResult, 'truncated' | 'damagedSituations'>;
type ChangedScorecard = WhatIfResult['changedScorecards'][number];

/** Sums up decisions that were asked again. */
export class WhatIfTally {
  readonly #moves: Moved[] = [];
  #decisions = 0;
  #costMicro = 0n;
  /** What those cost that do not move. */
  #unmovedMicro = 0n;
  readonly #scorecards = new Map<string, ChangedScorecard>();
  readonly #compared = new Set<string>();
  readonly #rows = new Map<string, string>();

  constructor(private readonly supposition: Supposition) {}

  /** Adds one decision, and how it moves where it does; the latest come first. */
  add(past: PastDecision, moved: Moved | undefined): void {
    this.#decisions += 1;
    this.#costMicro += past.costMicro;
    if (moved) this.#moves.push(moved);
    else this.#unmovedMicro += past.costMicro;
    this.#compare(past);
    this.#note(past);
  }

  /** Keeps the rows of the supposed day, but of models whose price is stated. */
  #note({ situation }: PastDecision): void {
    const { rowOf, prices } = this.supposition;
    if (!rowOf) return;
    const priced = situation.models.filter(({ model }) => !prices?.has(model));
    for (const { deployment } of priced.flatMap(({ deployments }) => deployments)) {
      if (this.#rows.has(deployment)) continue;
      const row = rowOf(deployment);
      if (row) this.#rows.set(deployment, row.effectiveFrom);
    }
  }

  /** Names every estimate that is another one today than in a situation. */
  #compare({ record, situation }: PastDecision): void {
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
    const moves = this.#moves;
    const lengths = moves.length > 0 ? await answerLengths(ctx, window) : new Map();
    const cost = costDifference(moves, (useCase, model) => lengths.get(lengthKey(useCase, model)));
    const quality = qualityDifference(moves, this.#decisions);
    return {
      verdict: this.#verdict(cost, quality),
      decisions: this.#decisions,
      unchanged: this.#decisions - moves.length,
      changed: moves.length,
      refused: moves.filter(({ model }) => model === null).length,
      recordedCostMicro: this.#costMicro,
      sameTokensCostMicro: sameTokens(this.#unmovedMicro, moves),
      priceRows: [...this.#rows].map(([deployment, effectiveFrom]) => ({
        deployment,
        effectiveFrom,
      })),
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
      moves: movesOf(moves),
      changedScorecards: [...this.#scorecards.values()],
    };
  }

  #verdict(cost: Difference<bigint>, quality: Difference<number>) {
    if (this.#decisions === 0) return 'cannot_certify';
    if (this.#moves.length === 0) return 'IDENTICAL';
    const isKnown = cost.expected !== null && quality.expected !== null;
    return isKnown ? 'DIFFERENT' : 'CANNOT_CONCLUDE';
  }
}

/** What the recorded tokens cost with the models that come out; null where one has no price. */
function sameTokens(unmovedMicro: bigint, moves: readonly Moved[]): bigint | null {
  let sum = unmovedMicro;
  for (const { model, sameTokensMicro } of moves) {
    if (sameTokensMicro !== undefined) sum += sameTokensMicro;
    else if (model !== null) return null;
  }
  return sum;
}

function movesOf(moved: readonly Moved[]): WhatIfResult['moves'] {
  const counts = new Map<
    string,
    { fromModel: string; toModel: string | null; decisions: number }
  >();
  for (const { answeredBy: fromModel, model: toModel } of moved) {
    const key = lengthKey(fromModel, toModel ?? '');
    const move = counts.get(key) ?? { fromModel, toModel, decisions: 0 };
    move.decisions += 1;
    counts.set(key, move);
  }
  return [...counts.values()].sort((left, right) => right.decisions - left.decisions);
}
