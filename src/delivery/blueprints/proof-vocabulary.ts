import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What shows that a run has its result. */
export const PROOFS = vocabulary('BlueprintProof', 'What shows that a run has its result.', [
  {
    code: 'proved',
    description: 'A check that this very input could have failed held, and no check failed.',
  },
  { code: 'failed', description: 'A check of the content did not hold; nothing is claimed.' },
  { code: 'not_proved', description: 'No check of the content applied; nothing is claimed.' },
  {
    code: 'simulated',
    description: 'A simulated model answered, which is evidence of nothing; nothing is claimed.',
  },
]);

/** What shows that a run has its result. */
export type Proof = CodeOf<typeof PROOFS>;

/** What a check of the content came to. */
export const CHECK_RESULTS = vocabulary(
  'BlueprintCheckResult',
  'What a check of the content came to.',
  [
    { code: 'held', description: 'What the check demands was so.' },
    { code: 'failed', description: 'What the check demands was not so.' },
    {
      code: 'not_applicable',
      description: 'Its condition did not hold, or there was nothing to check.',
    },
  ],
);

/** What a check of the content came to. */
export type CheckResult = CodeOf<typeof CHECK_RESULTS>;

/** What a golden case tries. */
export const GOLDEN_KINDS = vocabulary('BlueprintGoldenCaseKind', 'What a golden case tries.', [
  { code: 'normal', description: 'An input that the blueprint is made for.' },
  { code: 'gibberish', description: 'Words without any meaning.' },
  { code: 'empty', description: 'Nothing but blanks where a text should be.' },
  { code: 'contradictory', description: 'Facts that exclude one another.' },
  { code: 'injection', description: 'Instructions for the model inside the data.' },
  { code: 'other_language', description: 'A text in another language than the templates.' },
]);
