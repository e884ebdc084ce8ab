import {
  fieldTable,
  flag,
  integer,
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

/** What is recorded of a version with one model. */
const EVIDENCE_TARGET = fieldTable(
  'PromptGateTarget',
  'What is recorded of a version with one of its models: the latest completed evaluation over ' +
    'the case set.',
  {
    name: text('The model variant, or the model where the version names none.'),
    model: text('The model that requests name.'),
    simulatedOnly: flag(
      'Whether only the sandbox can answer for this model; then simulated answers are evidence.',
    ),
    evaluationId: optional(uuid('The evaluation; null where none has completed.')),
    receiptId: optional(uuid('Its sealed receipt.')),
    runs: integer('How many evaluations of it have completed; only the latest counts.'),
    outcomes: optional(
      text('A letter for each case, in their order: `p` passed, `f` failed, `u` unproved.', {
        min: 0,
      }),
    ),
    simulated: flag('Whether the sandbox made up an answer, or the judgement of one.'),
    schemaChecked: integer('Answers that were held against a schema.'),
    schemaValid: integer('Those that are valid by it.'),
    costMicro: money('What the cases were charged.'),
    latencyMsMedian: optional(integer('The median latency of the answers; null without one.')),
  },
);

/** What is recorded of a version with one model. */
export type EvidenceTarget = ValuesOf<typeof EVIDENCE_TARGET.fields>;

const TARGETS = list(object(EVIDENCE_TARGET, 'A model.'), 'One for each model that it names.');

const IN_PRODUCTION = fieldTable(
  'PromptGateProduction',
  'What is recorded of the version in production over the same cases.',
  {
    version: integer('The version that was in production.'),
    contentHash: sha256('Of its content.'),
    targets: TARGETS,
  },
);

/** What the gate knows of evaluations. */
export const EVIDENCE = fieldTable(
  'PromptGateEvidence',
  'The recorded evidence that the gate judges. The decision follows from it and from the other ' +
    'checks, so anybody can make it again.',
  {
    hasSchema: flag('Whether the version has an output schema.'),
    caseSetId: optional(uuid('The latest case set of the package; null where there is none.')),
    caseSetVersion: optional(integer('The number of the case set; null where there is none.')),
    caseSetHash: optional(sha256('Of its content.')),
    caseCount: integer('How many cases it has.'),
    passShareMin: number('The least share of cases that must pass with each model.'),
    significance: number('The level of the paired test.'),
    targets: TARGETS,
    production: optional(
      object(IN_PRODUCTION, 'The version in production; null where there is no other one.'),
    ),
  },
);

/** What the gate knows of evaluations. */
export type Evidence = ValuesOf<typeof EVIDENCE.fields>;
