import { ERASED_FIELD } from '../../kernel/fields/erased.js';
import {
  code,
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
import { PROVENANCES } from '../../kernel/provenance.js';
import { CHECK_RESULTS, PROOFS } from './proof-vocabulary.js';
import {
  INPUT_SOURCES,
  RUN_FAILURES,
  RUN_STATUSES,
  STEP_STATUSES,
  STEP_TYPES,
} from './vocabulary.js';

const ATTEMPT = fieldTable('BlueprintStepAttempt', 'A request to a model that a step made.', {
  model: text('The model that was asked for.'),
  requestId: optional(
    uuid('The id in usage and ledger; null where the request was refused uncharged.'),
  ),
  costMicro: money('What was charged.'),
  errorCode: optional(text('Why it did not serve; null where it did.')),
});

/** One request to a model that a step made. */
export type StepAttempt = ValuesOf<typeof ATTEMPT.fields>;

/** Who answered, in short. */
export const ROUTING = fieldTable(
  'BlueprintStepRouting',
  'Who answered, from the receipt `gw_routing` of the request.',
  {
    requestedModel: text('The model asked for.'),
    model: text('The model that answered.'),
    provider: text('The provider that ran the model.'),
    jurisdiction: text('Where the data went.'),
    strategy: text('How the model was chosen.'),
    simulated: flag('True for made-up answers.'),
    failedCalls: integer('Calls that failed inside the request before a model answered.'),
  },
);

const FOUND = fieldTable(
  'BlueprintStepFinding',
  'How often the firewall found a class. Values are never kept.',
  {
    class: text('The class of finding.'),
    count: integer('How often it was found.'),
    confidence: text('How sure the detector is.'),
  },
);

/** What the firewall said, in short. */
export const FIREWALL = fieldTable(
  'BlueprintStepFirewall',
  'What the firewall said, from the receipt `gw_firewall` of the request.',
  {
    verdict: text('pass, masked or blocked.'),
    dataClass: text('The class of the data.'),
    findings: list(object(FOUND, 'A class.'), 'What was found.'),
  },
);

/** A step as it is sealed. */
export const STEP = fieldTable('BlueprintStep', 'A step of a run, as it went.', {
  step: text('The step of the manifest.'),
  type: code(STEP_TYPES, 'What the step does.'),
  title: text('What people call the step.'),
  status: code(STEP_STATUSES, 'How the step ended.'),
  reason: optional(text('Why it was left out or failed; null where it was done.')),
  errorCode: optional(
    text('The code of the failure, as GET /v1/gw/errors lists it; null without one.'),
  ),
  fallback: flag('Whether another model than the primary one had to be asked.'),
  attempts: list(object(ATTEMPT, 'A request.'), 'Requests to models; none where none is asked.'),
  routing: optional(object(ROUTING, 'Who answered; null where no model did.')),
  firewall: optional(object(FIREWALL, 'What the firewall said; null where nothing reached it.')),
  costMicro: money('What was charged for the step: the sum of its attempts.'),
  latencyMs: integer('How long it took, in milliseconds.'),
  output: optional(json('What it gave, with personal data replaced by placeholders.')),
  outputTruncated: flag(
    'True where the output was too long: then it is the beginning of its JSON text.',
  ),
  outputValid: optional(
    flag('Whether the answer satisfies the output schema; null without a schema.'),
  ),
});

/** A step as it is sealed. */
export type KeptStep = ValuesOf<typeof STEP.fields>;

/** A step of a run with the receipt that seals it. */
export const SEALED_STEP = fieldTable(
  'BlueprintRunStep',
  'A step of a run. It is sealed by itself.',
  {
    ...STEP.fields,
    receiptId: uuid('Its sealed receipt.'),
    receiptHash: sha256('The hash of that receipt; the receipt of the run names it too.'),
  },
);

/** A step of a run with the receipt that seals it. */
export type SealedStep = ValuesOf<typeof SEALED_STEP.fields>;

const CHECK = fieldTable('BlueprintContentCheck', 'A check of the content, as it was judged.', {
  code: text('The check of the manifest.'),
  result: code(CHECK_RESULTS, 'What the check came to.'),
  proves: flag('Whether it compares what a model answered with the input.'),
  demands: text('What the check demands.'),
  message: optional(text('Why it failed; null for every other result.')),
});

/** What a run was worth. */
export const BUSINESS_RESULT = fieldTable(
  'BlueprintBusinessResult',
  'What the run was worth, by the rule of the manifest. A result is claimed only where `proof` ' +
    'is `proved`; else quantity and minutes are zero.',
  {
    event: text('The value event that a real run records.'),
    unit: text('What is counted.'),
    proof: code(PROOFS, 'What shows that the run has its result.'),
    checks: list(object(CHECK, 'A check.'), 'Every check of the content, in its order.'),
    achieved: flag('Whether every condition held and the content is proved.'),
    notAchievedBecause: list(
      text('A condition that did not hold, or what the content lacks.'),
      'Why nothing is claimed; empty where a result is.',
    ),
    quantity: integer('Units that were done; 0 where nothing is claimed.'),
    quantityProvenance: code(PROVENANCES, '`estimated`: it comes from answers of models.'),
    minutesSaved: number('Quantity times minutes of one.'),
    minutesSavedProvenance: code(
      PROVENANCES,
      '`declared`: the minutes of one unit are stated by the manifest.',
    ),
    costPerUnitMicro: optional(
      money('The charge of the run over the quantity, half up; null without a unit.'),
    ),
    facts: optional(json('Facts that the manifest takes from the outputs.')),
    simulated: flag('True where a simulated model answered, or none was asked.'),
  },
);

/** What a run was worth. */
export type BusinessResult = ValuesOf<typeof BUSINESS_RESULT.fields>;

const KEPT_INPUT = fieldTable('BlueprintInput', 'The input of a run.', {
  source: code(INPUT_SOURCES, 'Where it came from.'),
  values: json('The input, with personal data replaced by placeholders.'),
});

/** The input of a run as it is stored. */
export type KeptInput = ValuesOf<typeof KEPT_INPUT.fields>;

/** What the receipt of a run says of it, and the run itself too. */
export const RUN_VERDICT = {
  status: code(RUN_STATUSES, 'How the run ended.'),
  failure: optional(
    code(RUN_FAILURES, 'Why it ended where no step says it; null for all other runs.'),
  ),
  simulated: flag('True where a simulated model answered a step, or no model was asked.'),
  inputSource: code(INPUT_SOURCES, 'Where the input came from.'),
  costMicro: money('What was charged: the sum of the steps, equal to the ledger.'),
  fallbacks: integer('Steps that needed another model.'),
  businessResult: object(BUSINESS_RESULT, 'What it was worth.'),
} as const;

/** A run as it is shown. */
export const RUN_FIELDS = {
  blueprintId: text('The slug of the blueprint.'),
  manifestHash: sha256('SHA-256 of the manifest that was run.'),
  ...RUN_VERDICT,
  simulated: optional(flag(`${RUN_VERDICT.simulated.description} Null where it was erased.`)),
  inputSource: optional(
    code(INPUT_SOURCES, `${RUN_VERDICT.inputSource.description} Null where it was erased.`),
  ),
  businessResult: optional(object(BUSINESS_RESULT, 'What it was worth; null where it was erased.')),
  input: optional(KEPT_INPUT.fields.values),
  steps: optional(
    list(
      object(SEALED_STEP, 'A step.'),
      'A receipt for each step, in order; steps after a failure are not there. Null where they ' +
        'were erased.',
    ),
  ),
  ...ERASED_FIELD,
  receiptId: uuid('The sealed receipt of the run, which names those of the steps.'),
  requestedBy: uuid('The member or key.'),
  startedAt: instant('When the run began.'),
  createdAt: instant('When it had ended.'),
} as const;

/** A run that goes on. */
export const UNDERWAY = fieldTable(
  'BlueprintRunUnderway',
  'A run of a blueprint that goes on. When it ends it is a `BlueprintRun` of the same id, also ' +
    'where its process died.',
  {
    runId: uuid('The id that the run will have.'),
    blueprintId: text('The slug of the blueprint.'),
    manifestHash: sha256('SHA-256 of the manifest that is run.'),
    stepsEnded: list(text('A step.'), 'The steps that have ended so far, in order.'),
    requestedBy: uuid('The member or key.'),
    startedAt: instant('When the run began.'),
  },
);
