import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  money,
  number,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  CASE_OUTCOMES,
  CASE_ROLES,
  EVALUATION_BOUNDS,
  EVALUATION_FAILURES,
  EVALUATION_STATUSES,
  GRADER_KINDS,
  GRADER_RULES,
} from './vocabulary.js';

const SHARE = { min: 0, max: 1 } as const;

const MESSAGE = fieldTable('PromptCaseMessage', 'A message that follows those of the prompt.', {
  role: code(CASE_ROLES, 'The role of the message in the chat.'),
  content: text('The text of the message.', { max: EVALUATION_BOUNDS.messageChars }),
});

const RULE = fieldTable('PromptRuleGrader', 'A fixed rule that judges an answer.', {
  kind: code(GRADER_RULES, 'How the answer is compared with the value.'),
  value: optional(
    text('What `equals`, `contains`, `not_contains` and `regex` look for.', {
      max: EVALUATION_BOUNDS.ruleValueChars,
    }),
  ),
  path: optional(
    text('Where `json_path` looks, such as `$.items[0].name`.', {
      max: EVALUATION_BOUNDS.pathChars,
    }),
  ),
  json: optional(json('The value at the path; without it any value but null passes.')),
});

const SIMILARITY = fieldTable(
  'PromptSimilarityGrader',
  'The similarity of an answer to the expected output: the Dice coefficient of the multisets of ' +
    'character trigrams, after NFKC, lower case and single spaces. Deterministic.',
  {
    shareMin: defaulting(number('The least similarity that passes, from 0 to 1.', SHARE), 0.8),
  },
);

const JUDGE = fieldTable(
  'PromptJudgeGrader',
  'A model that scores an answer by a rubric. It is asked in the name of the caller, through ' +
    'every stage of the gateway, and billed as any other request.',
  {
    model: text('The judging model.', { max: EVALUATION_BOUNDS.modelChars }),
    rubric: text('What a good answer is.', { max: EVALUATION_BOUNDS.rubricChars }),
    scoreMin: defaulting(number('The least score that passes, from 0 to 1.', SHARE), 0.5),
    budgetMicro: money('What judging this case may cost in one run, over all its models.', {
      min: 1n,
    }),
  },
);

/** Something that judges an answer. */
const GRADER = fieldTable('PromptGrader', 'Something that judges an answer: one of three.', {
  rule: optional(object(RULE, 'A fixed rule, for graders of the kind rule.')),
  similarity: optional(object(SIMILARITY, 'The similarity to the expected output.')),
  judge: optional(object(JUDGE, 'A judging model with a rubric and a budget.')),
});

/** Something that judges an answer. */
export type Grader = ValuesOf<typeof GRADER.fields>;

/** A rule that judges an answer. */
export type RuleGrader = ValuesOf<typeof RULE.fields>;

/** A model that judges an answer. */
export type JudgeGrader = ValuesOf<typeof JUDGE.fields>;

/** A case: what is asked, and what a good answer is. */
const CASE = fieldTable('PromptCase', 'What is asked, and what a good answer is.', {
  name: text('Names the case in results; once in a set.', {
    max: EVALUATION_BOUNDS.caseNameChars,
  }),
  variables: optional(json('Values of the variables of the template, by name. Default none.')),
  messages: defaulting(
    list(object(MESSAGE, 'A message.'), 'Messages after those of the prompt. Default none.', {
      max: EVALUATION_BOUNDS.messages,
    }),
    [],
  ),
  expectedOutput: optional(
    text('What a good answer is; without graders an answer must equal it.', {
      max: EVALUATION_BOUNDS.expectedChars,
    }),
  ),
  outputSchema: optional(
    json('The JSON Schema of the answer to this case. Default: that of the version.'),
  ),
  graders: defaulting(
    list(object(GRADER, 'A grader.'), 'What judges the answer; all must accept it.', {
      max: EVALUATION_BOUNDS.graders,
    }),
    [],
  ),
});

/** A case. */
export type PromptCase = ValuesOf<typeof CASE.fields>;

const TERMS = {
  description: optional(
    text('What the cases are for.', { max: EVALUATION_BOUNDS.descriptionChars }),
  ),
  passShareMin: defaulting(
    number('The least share of cases that must pass with each model, from 0.01 to 1.', {
      min: 0.01,
      max: 1,
    }),
    1,
  ),
  significance: defaulting(
    number('The level of the paired test against the version in production.', {
      min: 0.001,
      max: 0.2,
    }),
    0.05,
  ),
} as const;

/** A new version of the cases of a package. */
export const CASE_SET_INPUT = fieldTable(
  'PromptCaseSetCreateInput',
  'A new version of the cases of a prompt package. It never changes.',
  {
    ...TERMS,
    cases: list(object(CASE, 'A case.'), 'The cases, at least one.', {
      min: 1,
      max: EVALUATION_BOUNDS.cases,
    }),
  },
);

/** The cases of a package, with the terms that they are judged by. */
export type CaseSetContent = ValuesOf<typeof CASE_SET_INPUT.fields>;

/** A case set, as its row has it. */
export const CASE_SET_FIELDS = {
  promptId: uuid('The prompt package, by its id.'),
  version: integer('Its number: 1, 2, 3 without a gap. The gate judges by the latest.'),
  ...TERMS,
  passShareMin: number('The least share of cases that must pass with each model.'),
  significance: number('The level of the paired test against the version in production.'),
  caseCount: integer('How many cases it has.'),
  createdBy: uuid('The member or key that wrote it.'),
  createdAt: instant('When it was written.'),
} as const;

/** The cases themselves. */
export const CASES_FIELD = {
  cases: optional(
    list(object(CASE, 'A case.'), 'The cases; null where they were erased with personal data.'),
  ),
  ...ERASED_FIELD,
} as const;

/** What an evaluation runs cases with. */
export const TARGET = fieldTable('PromptEvaluationTarget', 'What cases are run with.', {
  name: text('The model variant of the version, or the model where the caller named it.'),
  model: text('The model that requests name.'),
  temperature: optional(number('The temperature of the variant; null leaves it to the model.')),
  maxTokens: optional(integer('The most tokens of an answer; null leaves it to the model.')),
});

/** What an evaluation runs cases with. */
export type Target = ValuesOf<typeof TARGET.fields>;

/** How one grader judged an answer. */
export const GRADE = fieldTable('PromptGrade', 'How one grader judged an answer.', {
  grader: code(GRADER_KINDS, 'What judged it.'),
  passed: optional(flag('Whether it accepts the answer; null where it could not judge.')),
  score: optional(number('Similarity or score from 0 to 1; null for rules and schemas.')),
  message: optional(text('Why it does not accept the answer; null where it does.')),
});

/** How one grader judged an answer. */
export type Grade = ValuesOf<typeof GRADE.fields>;

/** How one case ended with one model. */
export const RESULT_FIELDS = {
  caseIndex: integer('The place of the case in its set, from 0.'),
  caseName: text('The name of the case.'),
  target: text('The target, by its name.'),
  model: text('The model that was asked for.'),
  answeredModel: optional(text('The model that answered; null where none did.')),
  requestId: optional(uuid('The request in usage and ledger; null where it was refused.')),
  judgeRequestIds: list(uuid('A request.'), 'The requests to judging models.'),
  outcome: code(CASE_OUTCOMES, 'How the case ended.'),
  errorCode: optional(text('Why there is no answer to judge; null where there is one.')),
  schemaValid: optional(flag('Whether the answer is valid by the schema; null without one.')),
  grades: list(object(GRADE, 'A grade.'), 'How each grader judged the answer.'),
  outputHash: optional(sha256('Of the text of the answer, which is not kept; null without one.')),
  outputChars: optional(integer('The length of the answer; null without one.')),
  costMicro: money('What was charged for the answer and its judges.'),
  latencyMs: integer('How long the answer took; 0 where there is none.'),
  simulated: flag('Whether the answer, or the judgement of it, was made up by the sandbox.'),
} as const;

/** How one case ended with one model. */
const RESULT = fieldTable(
  'PromptEvaluationCase',
  'How one case ended with one model.',
  RESULT_FIELDS,
);

/** How one case ended with one model. */
export type CaseResult = ValuesOf<typeof RESULT.fields>;

/** An evaluation, as it is asked for. */
export const EVALUATION_INPUT = fieldTable(
  'PromptEvaluationStartInput',
  'A run of a version over a case set. Each case is a billed request of the caller.',
  {
    version: optional(integer('Default: the version that a promotion would take.', { min: 1 })),
    caseSetVersion: optional(integer('Default: the latest case set of the package.', { min: 1 })),
    models: optional(
      list(text('A model.', { max: EVALUATION_BOUNDS.modelChars }), 'Default: the variants.', {
        min: 1,
        max: EVALUATION_BOUNDS.models,
      }),
    ),
    budgetMicro: money(
      'The most that the run may cost. A request starts only while the rest of it covers the ' +
        'upper estimate of that request.',
      { min: 1n },
    ),
  },
);

const ABOUT = {
  promptId: uuid('The prompt package, by its id.'),
  promptVersion: integer('The version that was run.'),
  contentHash: sha256('Of the content of that version.'),
  caseSetId: uuid('The case set that was run.'),
  caseSetVersion: integer('The number of that case set.'),
  caseSetHash: sha256('Of the content of that case set.'),
  targets: list(object(TARGET, 'A target.'), 'What the cases are run with.'),
  budgetMicro: money('The most that the run may cost.'),
  status: code(EVALUATION_STATUSES, 'Where the run is.'),
  failure: optional(code(EVALUATION_FAILURES, 'Why it failed; null unless it did.')),
  costMicro: money('What its requests were charged so far, as usage has it.'),
} as const;

/** An evaluation, as it is shown. */
export const EVALUATION_FIELDS = {
  ...ABOUT,
  resultsPlanned: integer('Cases times targets.'),
  resultsEnded: integer('Those that have a result.'),
  resultsPassed: integer('Those that passed.'),
  resultsFailed: integer('Those that failed.'),
  resultsUnproved: integer('Those that show nothing.'),
  receiptId: optional(uuid('Its sealed receipt; null while it runs.')),
  requestedBy: uuid('The member or key that started it, and is billed.'),
  cancelRequestedAt: optional(instant('When it was asked to end; null unless it was.')),
  createdAt: instant('When it was started.'),
  endedAt: optional(instant('When it ended; null while it runs.')),
} as const;

/** What of an evaluation is sealed when it has ended. */
export const SEALED_EVALUATION = {
  evaluationId: uuid('The id of the evaluation that is sealed.'),
  ...ABOUT,
  resultsPlanned: EVALUATION_FIELDS.resultsPlanned,
  results: list(object(RESULT, 'A result.'), 'How each case ended with each target.'),
} as const;
