import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
/** Whether a version has requests in the window of a report. */
export const TRAFFIC_STATES = vocabulary(
  'PromptTraffic',
  'Whether a version has requests in the window.',
  [
    { code: 'measured', description: 'Requests of the window used this version.' },
    {
      code: 'simulated',
      description:
        'Requests of the window used this version, and simulated models answered all of them: ' +
        'nothing is shown about its quality.',
    },
    {
      code: 'no_traffic',
      description: 'No request of the window used it, so nothing is said about its quality.',
    },
  ],
);

/** A state of traffic. */
export type TrafficState = CodeOf<typeof TRAFFIC_STATES>;

/** Whether it is known how many answers are by the output schema. */
export const SCHEMA_STATES = vocabulary(
  'PromptSchemaMeasurement',
  'Whether it is known how many answers are by the output schema.',
  [
    {
      code: 'measured',
      description: 'At least one whole answer of a real model was held against the schema.',
    },
    {
      code: 'simulated',
      description: 'Only simulated answers were held against it; the figures are theirs.',
    },
    {
      code: 'not_measured',
      description:
        'No answer was: the version has no output schema, or all answers were streams, calls of ' +
        'tools or failures. Whole answers of a version with a schema would lift this.',
    },
  ],
);
