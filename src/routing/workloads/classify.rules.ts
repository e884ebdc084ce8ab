import { type DecisionTable, decide } from '../../kernel/decision.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import type { CLASSIFIED, CLASSIFY_INPUT } from './tables.js';
import {
  COMPRESSION_SHARE_MIN,
  type Compression,
  DAY_SECONDS,
  HOUR_SECONDS,
  type InteractionClass,
  TASKS,
} from './vocabulary.js';

type Workload = ValuesOf<typeof CLASSIFY_INPUT.fields>;

/** How soon an answer is needed. Every doubt comes before every reason to wait. */
export const INTERACTION_GUARDS: DecisionTable<Workload, InteractionClass> = [
  {
    code: 'somebody_waits',
    outcome: 'REALTIME',
    description: 'Somebody waits for the answer.',
    applies: ({ userIsWaiting }) => userIsWaiting === true,
  },
  {
    code: 'waiting_unknown',
    outcome: 'REALTIME',
    description: 'It is not stated whether somebody waits.',
    applies: ({ userIsWaiting }) => userIsWaiting === null,
  },
  {
    code: 'streamed',
    outcome: 'REALTIME',
    description: 'The answer is streamed, so somebody reads along.',
    applies: ({ isStreamed }) => isStreamed,
  },
  {
    code: 'deadline_unknown',
    outcome: 'REALTIME',
    description: 'It is not stated when the answer is needed.',
    applies: ({ deadlineSeconds }) => deadlineSeconds === null,
  },
  {
    code: 'within_the_hour',
    outcome: 'NEAR_REALTIME',
    description: 'The answer is needed within the hour.',
    applies: ({ deadlineSeconds }) => deadlineSeconds !== null && deadlineSeconds < HOUR_SECONDS,
  },
  {
    code: 'within_the_day',
    outcome: 'DEFERRABLE',
    description: 'The answer is needed after the hour and within the day.',
    applies: ({ deadlineSeconds }) => deadlineSeconds !== null && deadlineSeconds < DAY_SECONDS,
  },
  {
    code: 'patient',
    outcome: 'BATCH',
    description: 'Nobody waits, and a day or more is left.',
    applies: () => true,
  },
];

/** Whether a model may write data of this class anew in its own words. */
export function mayBeSummarized(dataClass: Workload['dataClass']): boolean {
  return dataClass !== null && dataClass !== 'C3' && dataClass !== 'C4';
}

/** How a request should be handled: how soon, with how much reasoning, and how far shortened. */
export function classify(workload: Workload): ValuesOf<typeof CLASSIFIED.fields> {
  const { outcome, guard, reason } = decide(INTERACTION_GUARDS, workload);
  const worth = (workload.task && TASKS.find(workload.task)?.reasoningTokens) ?? 0;
  return {
    interactionClass: outcome,
    decidedBy: guard,
    reason,
    asyncEligible: outcome === 'DEFERRABLE' || outcome === 'BATCH',
    // Reasoning never takes more than half of what the answer may.
    reasoningTokensMax: Math.min(worth, Math.floor((workload.outputTokensMax ?? worth * 2) / 2)),
    compression: compressionOf(workload),
    freeSummaryAllowed: mayBeSummarized(workload.dataClass),
  };
}

function compressionOf({ dataClass, contextTokens, windowTokens }: Workload): Compression {
  const isFull = windowTokens !== null && contextTokens > windowTokens * COMPRESSION_SHARE_MIN;
  if (!isFull) return 'NONE';
  if (dataClass === null || dataClass === 'C4') return 'LOSSLESS';
  return dataClass === 'C3' ? 'EXTRACTIVE' : 'FREE_SUMMARY';
}
