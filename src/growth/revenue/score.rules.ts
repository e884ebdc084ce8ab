import type { Provenance } from '../../kernel/provenance.js';
import type { ScoreComponent } from './tables.js';
import {
  DIMENSIONS,
  type Dimension,
  LEAD_EVENTS,
  type LeadEvent,
  STAGES,
  type Stage,
  USAGE_STEPS,
} from './vocabulary.js';

/** What an account is scored by. */
export interface ScoreFacts {
  /** How often each event was recorded. */
  readonly events: Readonly<Partial<Record<LeadEvent, number>>>;
  /** Answers of real models to the account. */
  readonly requests: number;
  /** Where the number of answers comes from. */
  readonly usageProvenance: Provenance;
}

/** The points of an account, part by part, in the order of the published list. */
export function scoreComponents(facts: ScoreFacts): readonly ScoreComponent[] {
  return DIMENSIONS.rows.map(({ code: dimension, pointsMax }) => {
    const eventPoints = pointsOfEvents(facts, dimension);
    const usagePoints = dimension === 'usage' ? pointsOfUsage(facts.requests) : 0;
    const isMeasured = dimension === 'usage' && eventPoints === 0;
    return {
      dimension,
      points: Math.min(pointsMax, eventPoints + usagePoints),
      pointsMax,
      eventPoints,
      usagePoints,
      provenance: isMeasured ? facts.usageProvenance : 'declared',
    };
  });
}

function pointsOfEvents({ events }: ScoreFacts, dimension: Dimension): number {
  return LEAD_EVENTS.rows
    .filter((row) => row.dimension === dimension)
    .reduce((sum, { code, points, countMax }) => {
      return sum + points * Math.min(countMax, events[code] ?? 0);
    }, 0);
}

function pointsOfUsage(requests: number): number {
  return USAGE_STEPS.rows.find(({ requestsMin }) => requests >= requestsMin)?.points ?? 0;
}

/** The score of an account: the points of its parts, 0 to 100. */
export function scoreOf(components: readonly ScoreComponent[]): number {
  return components.reduce((sum, { points }) => sum + points, 0);
}

/** What besides the score says how far an account is. */
export interface Closed {
  /** How the signal was closed that was closed last as won or lost; null where none was. */
  readonly lastResolution: 'won' | 'lost' | null;
  readonly openSignals: number;
}

/** How far an account is. What was won stays won; what was lost comes back with a new signal. */
export function stageOf(score: number, { lastResolution, openSignals }: Closed): Stage {
  if (lastResolution === 'won') return 'won';
  if (lastResolution === 'lost' && openSignals === 0) return 'lost';
  const reached = STAGES.rows.filter(({ scoreMin }) => scoreMin !== null && score >= scoreMin);
  return reached.at(-1)?.code ?? 'lead';
}

/** The published probability of a stage, in percent. */
export function probabilityOf(stage: Stage): number {
  return STAGES.find(stage)?.probabilityPercent ?? 0;
}
