import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How an answer is judged by a fixed rule. */
export const GRADER_RULES = vocabulary('PromptGraderRule', 'How an answer is judged by a rule.', [
  {
    code: 'equals',
    description: 'It equals `value`, as JSON where both are JSON, else as trimmed text.',
  },
  { code: 'contains', description: 'It contains `value`, upper and lower case apart.' },
  { code: 'not_contains', description: 'It does not contain `value`.' },
  {
    code: 'regex',
    description: 'The regular expression `value` (RE2 syntax, linear time) matches somewhere.',
  },
  {
    code: 'json_path',
    description:
      'It is JSON and has a value at `path`, which equals `json` where that is stated. A path is ' +
      'a singular query of RFC 9535: `$`, `.name`, `["name"]` and `[0]`.',
  },
]);

/** What kinds of graders there are. */
export const GRADER_KINDS = vocabulary('PromptGraderKind', 'What judges an answer.', [
  { code: 'schema', description: 'The output schema of the case, else of the version.' },
  { code: 'expected', description: 'The expected output, where a case has no grader.' },
  { code: 'rule', description: 'A fixed rule, such as a text that the answer contains.' },
  { code: 'similarity', description: 'The similarity to the expected output.' },
  { code: 'judge', description: 'A judging model with a rubric.' },
]);

/** How a case ended with a model. */
export const CASE_OUTCOMES = vocabulary('PromptCaseOutcome', 'How a case ended with a model.', [
  { code: 'passed', description: 'It was answered, and every grader and schema accepts that.' },
  { code: 'failed', description: 'It was answered, and a grader or the schema rejects that.' },
  {
    code: 'unproved',
    description:
      'It was not answered, not by the model that was asked for, or not judged; or its rules ' +
      'would pass an answer without having read the question.',
  },
]);

/** An outcome of a case. */
export type CaseOutcome = CodeOf<typeof CASE_OUTCOMES>;

/** Where an evaluation is. */
export const EVALUATION_STATUSES = vocabulary(
  'PromptEvaluationStatus',
  'Where an evaluation of a prompt version is.',
  [
    { code: 'running', description: 'Cases are being run.' },
    { code: 'completed', description: 'Every case has a result. The gate judges these alone.' },
    { code: 'failed', description: 'It ended before its last case; `failure` says why.' },
    { code: 'cancelled', description: 'It was cancelled before its last case.' },
  ],
);

/** Why an evaluation ended before its last case. */
export const EVALUATION_FAILURES = vocabulary(
  'PromptEvaluationFailure',
  'Why an evaluation ended before its last case.',
  [
    { code: 'node_lost', description: 'The process that ran it ended.' },
    {
      code: 'budget_exhausted',
      description: 'The budget of the run did not cover the upper estimate of the next request.',
    },
    { code: 'internal', description: 'The gateway failed; nothing is wrong with the version.' },
  ],
);

/** A failure of an evaluation. */
export type EvaluationFailure = CodeOf<typeof EVALUATION_FAILURES>;

/** Who speaks in a message of a case. */
export const CASE_ROLES = vocabulary('PromptCaseRole', 'Who speaks in a message of a case.', [
  { code: 'user', description: 'The person or program that asks.' },
  { code: 'assistant', description: 'The model, in an earlier turn.' },
]);

/** Bounds of case sets and evaluations; what is beyond them is refused by name. */
export const EVALUATION_BOUNDS = {
  caseSets: 200,
  cases: 100,
  caseNameChars: 120,
  messages: 20,
  messageChars: 50_000,
  graders: 10,
  ruleValueChars: 10_000,
  patternChars: 1_000,
  pathChars: 500,
  rubricChars: 5_000,
  expectedChars: 50_000,
  descriptionChars: 500,
  /** Bytes of all cases, as RFC 8785 JSON. */
  setBytes: 500_000,
  models: 5,
  modelChars: 200,
  /** Cases of a run times its models. */
  requests: 300,
  /** Runs of an organization that go on at the same time. */
  running: 4,
  /** Characters of an answer that graders read; a longer one fails. */
  answerChars: 100_000,
} as const;
