import type { Sealable } from '../../../kernel/canonical.js';
import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  kept,
  list,
  money,
  number,
  object,
  optional,
  sha256,
  tableUnion,
  text,
  uuid,
  type ValuesOf,
} from '../../../kernel/fields/field.js';
import { CONTEXT_RULES } from '../../context-policies/vocabulary.js';
import { EVIDENCE } from '../../evaluations/evidence-tables.js';
import {
  CHECK_STATUSES,
  GATE_CHECKS,
  GATE_STATUSES,
  OUTPUT_ASSUMPTIONS,
  OUTPUT_SOURCES,
} from './vocabulary.js';

const DETAIL = tableUnion(
  'PromptGateDetail',
  'A fact behind the message of a check; which one it is follows from the check.',
  [
    fieldTable('PromptGateTemplateFault', 'A place where the template is not well-formed.', {
      line: integer('The line of the template, from 1.'),
      message: text('What is wrong in that line.'),
    }),
    fieldTable('PromptGateSampleFinding', 'A variable whose sample value lacks or does not fit.', {
      variable: text('The variable, by its name.'),
      fault: optional(text('What is wrong with its sample value; null where a stand-in serves.')),
      standIn: optional(
        json('The value that took its place, of the declared type; null where one was given.'),
      ),
    }),
    fieldTable('PromptGateOutputFault', 'A sample output that is against the output schema.', {
      source: code(OUTPUT_SOURCES, 'Whose sample it is.'),
      index: integer('Its place among the samples of that source, from 0.'),
      faults: list(text('A fault.'), 'What the output schema says against it.'),
    }),
    fieldTable('PromptGateBareSlot', 'A place where a value stands bare among instructions.', {
      variable: text('The variable whose value stands there.'),
      line: integer('The line of the template, from 1.'),
      role: text('The section: `system`, `user` or `assistant`.'),
      status: code(CHECK_STATUSES, 'How bad that is.'),
    }),
    fieldTable('PromptGateContextViolation', 'A rule that the context pack violates.', {
      itemId: optional(text('The item; null where the pack as a whole violates the rule.')),
      rule: code(CONTEXT_RULES, 'The rule of the context policy.'),
      message: text('What violates it.'),
      fix: text('What would mend it.'),
    }),
    fieldTable('PromptGateVariantFinding', 'What speaks against a model variant.', {
      name: text('The name of the model variant.'),
      model: optional(text('The model that it names; null where only the reason is told.')),
      didYouMean: optional(
        list(text('A model.'), 'Models of a similar name, where the model is unknown.'),
      ),
      operation: optional(text('What the model is for, where it does not chat.')),
      reason: optional(text('Why the policies refuse it, or why nothing can be told.')),
      missing: optional(text('The capability that the model lacks.')),
      tokens: optional(integer('Tokens of messages and answer, where they pass the window.')),
      window: optional(integer('The window of the model in tokens, where they pass it.')),
      maxTokens: optional(integer('What the variant asks for, where it is above the maximum.')),
      maxTokensMax: optional(integer('The longest answer of the model, where it is passed.')),
    }),
    fieldTable('PromptGateProof', 'What recorded runs show of a version with one model.', {
      target: text('The model variant, or the model where the version names none.'),
      targetModel: text('The model that requests name.'),
      evaluationId: optional(uuid('The evaluation; null where none has completed.')),
      passed: integer('Cases that passed.'),
      failed: integer('Cases that failed.'),
      unproved: integer('Cases that were not answered or not judged.'),
      simulated: flag('Whether the sandbox made up an answer, or the judgement of one.'),
    }),
    fieldTable('PromptGateComparison', 'The paired test against the version in production.', {
      productionVersion: integer('The version in production.'),
      worse: integer('Cases that it passes and the new version does not.'),
      better: integer('Cases that the new version passes and it does not.'),
      probability: number('That chance alone makes so many cases worse, by the exact test.'),
      significance: number('The level below which that is a regression.'),
    }),
  ],
  fieldTable('PromptGateName', 'A name that the message speaks of.', {
    name: text('A variable, or the role of a message.'),
  }),
);

/** The end of one check. */
export const CHECK = fieldTable('PromptGateCheck', 'The end of one check.', {
  code: code(GATE_CHECKS, 'Which check of the gate has ended.'),
  status: code(CHECK_STATUSES, 'How the check ended.'),
  message: text('What was found, in a sentence; where it fails, what would mend it.'),
  details: list(kept<Sealable>(DETAIL, 'A fact.'), 'The facts behind the message.'),
});

/** The end of one check. */
export type GateCheck = ValuesOf<typeof CHECK.fields>;

/** What one call of a variant is estimated to cost. */
export const VARIANT_COST = fieldTable(
  'PromptVariantCost',
  'The estimated cost of one call: the rendered messages with the sample values at the input ' +
    'price of today, and an answer of the assumed length at the output price. Tokens are counted ' +
    'by the encoding o200k.',
  {
    name: text('The name of the model variant.'),
    model: text('The model that the variant names.'),
    inputTokens: optional(
      integer('Of the rendered messages; null where the template does not render.'),
    ),
    outputTokens: optional(integer('Of the assumed answer; null where nothing can be assumed.')),
    outputAssumption: optional(
      code(
        OUTPUT_ASSUMPTIONS,
        'What the answer is assumed from; null where nothing can be assumed.',
      ),
    ),
    costMicro: optional(
      money('For one call, at the price of the model; null with a reason beside it.'),
    ),
    reason: optional(text('Why the cost cannot be told; null where it is.')),
  },
);

/** What one call of a variant is estimated to cost. */
export type VariantCost = ValuesOf<typeof VARIANT_COST.fields>;

/** What a gate run found. */
export const GATE_FIELDS = {
  promptId: uuid('The package whose version was tested.'),
  promptKey: text('The key of the package.'),
  versionId: uuid('The id of the version that was tested.'),
  version: integer('The version that was tested.'),
  contentHash: sha256('Of the content of the version, which never changes.'),
  templateHash: sha256('Of the text of the template.'),
  gateStatus: code(
    GATE_STATUSES,
    'Whether the gate passed: no check failed, and recorded runs prove every case.',
  ),
  schemaValid: optional(
    flag(
      'Whether the output schema compiles and every sample output is valid by it; null where the ' +
        'version has no output schema, so that the question does not arise.',
    ),
  ),
  checks: list(object(CHECK, 'A check.'), 'Every check, in the published order.'),
  cost: list(
    object(VARIANT_COST, 'A model variant.'),
    'What a call is estimated to cost, for each model variant.',
  ),
  contextPolicyId: optional(uuid('The context policy of the package; null where it names none.')),
  contextAsOf: optional(
    instant(
      'The moment that ages in the context pack were counted from: the pack’s `as_of`, else the ' +
        'end of the day in Moscow. Null where no pack was evaluated.',
    ),
  ),
  evidence: optional(
    object(
      EVIDENCE,
      'The recorded evaluations that were judged; null in receipts from before they were.',
    ),
  ),
} as const;

/** What a gate run found, as it is sealed. */
export type GateFindings = ValuesOf<typeof GATE_FIELDS>;

/** Which receipt a run rests on. */
export const RUN_FIELDS = {
  ...GATE_FIELDS,
  receiptId: uuid('The sealed receipt.'),
  sha256: sha256('Of the sealed content.'),
  alreadySealed: flag('Whether an earlier run with the same inputs had sealed the receipt.'),
} as const;
