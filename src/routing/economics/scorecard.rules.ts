import type { Fault } from '../../kernel/errors/fail.js';
import { fits, present } from '../../kernel/errors/faults.js';
import { divide, type MicroRub } from '../../kernel/money.js';
import { shareInterval } from '../decision/interval.rules.js';
import { BASIS_POINTS, SCORECARD_SOURCES } from '../decision/vocabulary.js';
import type { Scorecard } from './records.js';
import type { ScorecardInput } from './tables.js';

const FIGURES = [
  ['qualityBasisPoints', 'qualityBasisPoints'],
  ['qualityLowBasisPoints', 'qualityLowBasisPoints'],
  ['qualityHighBasisPoints', 'qualityHighBasisPoints'],
  ['latencyMs', 'latencyMs'],
  ['costMicro', 'costRub'],
] as const;

/** What no single field shows: which source takes which figures. */
export function scorecardFaults(input: ScorecardInput): Fault[] {
  const { source, evaluationReceiptId: receipt } = input;
  const isMeasured = SCORECARD_SOURCES.find(source)?.isMeasured ?? false;
  const nominal = 'must not be NOMINAL, which follows from the catalogue alone';
  const stated = isMeasured
    ? FIGURES.filter(([name]) => input[name] !== null).flatMap(([, shown]) =>
        fits(`input.${shown}`, false, `must be left out: ${source} is measured by the gateway`),
      )
    : [];
  return [
    ...fits('input.source', source !== 'NOMINAL', nominal),
    ...stated,
    ...(source === 'DECLARED' ? declaredFaults(input) : []),
    ...(source === 'EVALUATION'
      ? present('input.evaluationReceiptId', receipt, 'is needed for the source EVALUATION')
      : fits(
          'input.evaluationReceiptId',
          receipt === null,
          'must be left out: only the source EVALUATION rests on a receipt',
        )),
  ];
}

function declaredFaults(input: ScorecardInput): Fault[] {
  const { qualityBasisPoints: quality } = input;
  const { qualityLowBasisPoints: low, qualityHighBasisPoints: high } = input;
  return [
    ...present('input.qualityBasisPoints', quality, 'is needed for the source DECLARED'),
    ...fits(
      'input.qualityLowBasisPoints',
      (low ?? 0) <= (quality ?? 0),
      'must not lie above the quality',
    ),
    ...fits(
      'input.qualityHighBasisPoints',
      (high ?? BASIS_POINTS) >= (quality ?? 0),
      'must not lie below the quality',
    ),
  ];
}

/** The key of a scorecard. */
function keyOf({ useCase, model }: Pick<ScorecardInput, 'useCase' | 'model'>): string {
  return `${useCase}/${model}`;
}

/** A scorecard by what the organization states; an interval that it does not state is all. */
export function declaredScorecard(input: ScorecardInput): Scorecard {
  const { useCase, model, qualityBasisPoints, latencyMs, costMicro } = input;
  return {
    scorecardKey: keyOf(input),
    useCase,
    model,
    source: 'DECLARED',
    qualityBasisPoints: qualityBasisPoints ?? 0,
    qualityLowBasisPoints: input.qualityLowBasisPoints ?? 0,
    qualityHighBasisPoints: input.qualityHighBasisPoints ?? BASIS_POINTS,
    samples: 0,
    latencyMs,
    costMicro,
    evidence: null,
    measuredTo: null,
  };
}

/** Answers of one model, as recorded rows count them. */
export interface MeasuredAnswers {
  readonly answers: number;
  readonly good: number;
  /** Over all answers. */
  readonly latencyMs: bigint;
  readonly costMicro: MicroRub;
}

/** What a measured scorecard rests on. */
export interface Grounds {
  readonly evidence: string;
  readonly measuredTo: Date;
}

/**
 * A scorecard by what was measured: the share of good answers with its interval, latency and cost
 * as their means, rounded half up.
 * @param measured at least one answer
 */
export function measuredScorecard(
  { useCase, model, source }: Pick<ScorecardInput, 'useCase' | 'model' | 'source'>,
  { answers, good, latencyMs, costMicro }: MeasuredAnswers,
  grounds: Grounds,
): Scorecard {
  const quality = shareInterval(good, answers);
  const count = BigInt(answers);
  return {
    scorecardKey: keyOf({ useCase, model }),
    useCase,
    model,
    source,
    qualityBasisPoints: quality.basisPoints,
    qualityLowBasisPoints: quality.lowBasisPoints,
    qualityHighBasisPoints: quality.highBasisPoints,
    samples: answers,
    latencyMs: Math.max(1, Number(divide(latencyMs, count, 'half_up'))),
    costMicro: divide(costMicro, count, 'half_up'),
    ...grounds,
  };
}
