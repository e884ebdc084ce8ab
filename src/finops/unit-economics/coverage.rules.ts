import type { MicroRub } from '../../kernel/money.js';
import type { Coverage } from './cost-tables.js';
import { shareOf } from './ladder.rules.js';
import { leakageOf } from './leakage.rules.js';
import type { Leakage } from './tables.js';
import { type Category, COST_SOURCES, type Confidence } from './vocabulary.js';

/** Recorded costs that are alike, summed by the database. */
export interface RecordedCost {
  readonly source: (typeof COST_SOURCES.codes)[number];
  readonly confidence: Confidence;
  readonly category: Category | null;
  /** Whether they lie in the first half of the window. */
  readonly isEarly: boolean;
  readonly events: number;
  readonly netMicro: MicroRub;
}

/** Whether costs are in the total: no simulated ones, and none that the ledger knows already. */
function isCounted({ source }: Pick<RecordedCost, 'source'>): boolean {
  return source === 'ledger' || source === 'event';
}

/** What counted costs add up to. */
export function sumOf(
  costs: readonly RecordedCost[],
  isWanted: (cost: RecordedCost) => boolean = () => true,
): MicroRub {
  return costs.reduce(
    (sum, each) => sum + (isCounted(each) && isWanted(each) ? each.netMicro : 0n),
    0n,
  );
}

/** How much of recorded cost is DIRECT; of no cost at all nothing is certified. */
export function coverageOf(costs: readonly RecordedCost[]): Coverage {
  const of = (confidence: Confidence) => sumOf(costs, (each) => each.confidence === confidence);
  const totalMicro = sumOf(costs);
  const directMicro = of('DIRECT');
  return {
    ...(totalMicro > 0n ? CERTIFIED : EMPTY),
    coverageBasisPoints: shareOf(directMicro, totalMicro, 'floor'),
    totalMicro,
    directMicro,
    allocatedMicro: of('ALLOCATED'),
    estimatedMicro: of('ESTIMATED'),
    unallocatedMicro: of('UNALLOCATED'),
    sources: COST_SOURCES.codes.map((source) => {
      const own = costs.filter((each) => each.source === source);
      return {
        source,
        isCounted: isCounted({ source }),
        events: own.reduce((sum, { events }) => sum + events, 0),
        netMicro: own.reduce((sum, { netMicro }) => sum + netMicro, 0n),
      };
    }),
  };
}

const CERTIFIED = { verdict: 'certified', reason: null, needed: [] } as const;
const EMPTY = {
  verdict: 'cannot_certify',
  reason: 'The window has no recorded cost.',
  needed: ['requests that a real model answers, or cost events'],
} as const;

/** What of recorded cost leaked: the same rule that judges stated figures. */
export function leakageOfRecorded(costs: readonly RecordedCost[]): Leakage {
  const counted = costs.filter(isCounted);
  const categories = counted.map(({ category, netMicro }) => ({ category, costMicro: netMicro }));
  return leakageOf(categories, null);
}
