import { vocabularyIn } from '../../kernel/fields/data-file.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import WORDS from './vocabulary.json' with { type: 'json' };

/** Whether a version has requests in the window of a report. */
export const TRAFFIC_STATES = vocabularyIn(WORDS, 'PromptTraffic');

/** A state of traffic. */
export type TrafficState = CodeOf<typeof TRAFFIC_STATES>;

/** Whether it is known how many answers are by the output schema. */
export const SCHEMA_STATES = vocabularyIn(WORDS, 'PromptSchemaMeasurement');

/** Days of a report: by default, and at most. */
export const REPORT_DAYS = { default: 30, max: 366 } as const;
