import { allocate } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import { costPerResult } from './roi.rules.js';
import type { VerticalCost } from './tables.js';
import { COST_LINES, EVENT_TYPES, type EventType, VERTICALS, type Vertical } from './vocabulary.js';

/** Results of one type in one use case. */
export interface ResultsOfType {
  readonly useCase: string;
  readonly eventType: EventType;
  readonly results: number;
  /** What events that state a value state, together; null where none does. */
  readonly valueMicro: bigint | null;
}

/** What a use case has cost. */
export interface CostOfUseCase {
  readonly useCase: string;
  readonly costMicro: bigint;
}

/** A part of a use case that stands in one line. */
interface Part {
  readonly line: VerticalCost['vertical'];
  readonly useCase: string;
  readonly results: number;
  readonly valueMicro: bigint | null;
  readonly costMicro: bigint;
  readonly isShared: boolean;
}

/**
 * Cost per result by vertical. The cost of a use case stands in the vertical of its results; where
 * these are of several verticals it is shared by the number of results, to the micro-ruble. Cost
 * without results is a line of its own, so that the lines add up to the whole cost.
 */
export function verticalCosts(
  costs: readonly CostOfUseCase[],
  results: readonly ResultsOfType[],
  costProvenance: Provenance,
): VerticalCost[] {
  const useCases = new Set([...costs, ...results].map(({ useCase }) => useCase));
  const costOf = new Map<string, bigint>();
  for (const { useCase, costMicro } of costs) {
    costOf.set(useCase, (costOf.get(useCase) ?? 0n) + costMicro);
  }
  const ofUseCase = grouped(results, ({ useCase }) => useCase);
  const parts = [...useCases].flatMap((useCase) =>
    partsOf(useCase, costOf.get(useCase) ?? 0n, ofUseCase.get(useCase) ?? []),
  );
  return COST_LINES.codes.map((line) =>
    lineOf(
      line,
      parts.filter((each) => each.line === line),
      costProvenance,
    ),
  );
}

/** The vertical of each use case: that of most results, and of equals the first of the list. */
export function mainVerticals(results: readonly ResultsOfType[]): ReadonlyMap<string, Vertical> {
  const ofUseCase = [...grouped(results, ({ useCase }) => useCase)];
  return new Map(
    ofUseCase.map(([useCase, rows]) => {
      const countOf = (wanted: Vertical) =>
        rows.reduce((n, row) => n + (verticalOf(row.eventType) === wanted ? row.results : 0), 0);
      const [first] = [...VERTICALS.codes].sort((one, other) => countOf(other) - countOf(one));
      return [useCase, first ?? 'other'];
    }),
  );
}

function partsOf(useCase: string, costMicro: bigint, results: readonly ResultsOfType[]): Part[] {
  const lines = [...grouped(results, ({ eventType }) => verticalOf(eventType))];
  if (lines.length === 0) {
    const none = { results: 0, valueMicro: null, isShared: false };
    return costMicro === 0n ? [] : [{ line: 'unattributed', useCase, costMicro, ...none }];
  }
  const counts = lines.map(([, those]) => those.reduce((sum, each) => sum + each.results, 0));
  const shares = allocate(costMicro, counts.map(BigInt));
  return lines.map(([line, those], index) => ({
    line,
    useCase,
    results: counts[index] ?? 0,
    valueMicro: sumOrNull(those.map(({ valueMicro }) => valueMicro)),
    costMicro: shares[index] ?? 0n,
    isShared: lines.length > 1,
  }));
}

function grouped<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}

function verticalOf(type: EventType): Vertical {
  return EVENT_TYPES.find(type)?.vertical ?? 'other';
}

function lineOf(
  vertical: VerticalCost['vertical'],
  parts: readonly Part[],
  costProvenance: Provenance,
): VerticalCost {
  const results = parts.reduce((sum, each) => sum + each.results, 0);
  const costMicro = parts.reduce((sum, each) => sum + each.costMicro, 0n);
  return {
    vertical,
    useCases: parts.length,
    results,
    valueMicro: sumOrNull(parts.map(({ valueMicro }) => valueMicro)),
    costMicro,
    costProvenance: parts.some(({ isShared }) => isShared) ? 'estimated' : costProvenance,
    costPerResultMicro: costPerResult(costMicro, results),
    reason: reasonOf(costMicro, results),
  };
}

function reasonOf(costMicro: bigint, results: number): string | null {
  if (results > 0 && costMicro > 0n) return null;
  if (results > 0) return 'Results were recorded, and no cost of real models in their use cases.';
  return costMicro > 0n ? 'Cost was recorded, and no result.' : 'Nothing was recorded.';
}

function sumOrNull(values: readonly (bigint | null)[]): bigint | null {
  const stated = values.filter((each) => each !== null);
  return stated.length > 0 ? stated.reduce((sum, each) => sum + each, 0n) : null;
}
