import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
/** How a check of the gate may end. */
export const CHECK_STATUSES = vocabulary('PromptGateCheckStatus', 'How a check ended.', [
  { code: 'pass', description: 'What the check asks for holds.' },
  { code: 'warn', description: 'Worth a look; the gate passes.' },
  { code: 'fail', description: 'It does not hold; the gate fails.' },
  { code: 'not_measured', description: 'Not enough is given to tell; the message says what.' },
]);

/** The end of a check. */
export type CheckStatus = CodeOf<typeof CHECK_STATUSES>;

/** Whether the gate passes: it does when no check fails and every case is proved. */
export const GATE_STATUSES = vocabulary('PromptGateStatus', 'Whether the gate passes.', [
  {
    code: 'pass',
    description: 'No check fails, and recorded runs of this version prove every case.',
  },
  {
    code: 'fail',
    description:
      'At least one check fails, or is not measured although there is an output schema, a case ' +
      'or a version in production to prove it by.',
  },
  {
    code: 'not_measured',
    description:
      'No check fails, but the version has neither an output schema nor cases, so nothing is ' +
      'proved. It may go to staging and not to production.',
  },
]);

/** The end of a gate run. */
export type GateStatus = CodeOf<typeof GATE_STATUSES>;

/** What a check judges. */
export const CHECK_BASES = vocabulary('PromptGateCheckBasis', 'What a check judges.', [
  { code: 'content', description: 'The content of the version itself.' },
  { code: 'stated', description: 'Samples that an author or caller states. They prove nothing.' },
  { code: 'catalogue', description: 'Models, prices and policies of today; costs are estimates.' },
  { code: 'recorded', description: 'Recorded evaluations of this very version.' },
]);

/** The checks of the gate, in the order of receipts. None calls a model. */
export const GATE_CHECKS = vocabulary('PromptGateCheckCode', 'A check of the gate.', [
  {
    code: 'template_parses',
    basis: 'content',
    description: 'The template is well-formed. Else it fails.',
  },
  {
    code: 'variables_declared',
    basis: 'content',
    description: 'Every variable that the template uses is declared. A missing one fails.',
  },
  {
    code: 'variables_used',
    basis: 'content',
    description: 'Every declared variable is used by the template. An unused one warns.',
  },
  {
    code: 'samples_complete',
    basis: 'stated',
    description:
      'Each sample value has the declared type, else it fails. A required variable without ' +
      'sample value and default warns and renders with a stand-in; samples of undeclared ' +
      'variables warn.',
  },
  {
    code: 'template_renders',
    basis: 'stated',
    description: 'The template renders with the sample values. Else it fails.',
  },
  {
    code: 'output_schema_compiles',
    basis: 'content',
    description:
      'The output schema is a JSON Schema of draft 2020-12 in strict mode, formats known. Else ' +
      'it fails; not measured without an output schema.',
  },
  {
    code: 'sample_outputs_valid',
    basis: 'stated',
    description:
      'Every sample output, of the version and of the run, is valid by the output schema. Else ' +
      'it fails; not measured without a schema or without sample outputs. Samples are stated: ' +
      'that they are valid proves nothing.',
  },
  {
    code: 'models_known',
    basis: 'catalogue',
    description:
      'Every model variant names a chat model of this server. Else it fails; without variants ' +
      'it warns, since every request must then name its model.',
  },
  {
    code: 'models_allowed',
    basis: 'catalogue',
    description:
      'The policies of the caller’s project allow every model variant, its data route included. ' +
      'Else it fails.',
  },
  {
    code: 'models_capable',
    basis: 'catalogue',
    description:
      'Every model variant can do what the version needs: with an output schema `json_schema`. ' +
      'Else it fails.',
  },
  {
    code: 'context_window',
    basis: 'catalogue',
    description:
      'The rendered messages and the answer fit into the window of every model variant. Else it ' +
      'fails; tokens are counted by the encoding o200k, an estimate for other encodings.',
  },
  {
    code: 'cost_known',
    basis: 'catalogue',
    description:
      'Every model variant has a price today, and its call is costed. A model without a price ' +
      'fails.',
  },
  {
    code: 'context_policy',
    basis: 'stated',
    description:
      'The context policy of the package allows the given context pack. A violation fails, and ' +
      'so does a policy that is named and is not there; not measured without a policy or a pack.',
  },
  {
    code: 'injection_slots',
    basis: 'content',
    description:
      'Values that are not trusted are set apart from instructions. In a system section a bare ' +
      'value of a variable with `trusted: false` fails, one whose trust is not stated warns; in ' +
      'other sections a bare value with `trusted: false` warns.',
  },
  {
    code: 'output_schema_proved',
    basis: 'recorded',
    description:
      'With each of its models the version was run over the latest case set, and its answers ' +
      'are valid by the output schema. Else it fails; not measured, which fails too, while ' +
      'an answer to any case is missing.',
  },
  {
    code: 'cases_proved',
    basis: 'recorded',
    description:
      'Each case of the latest case set has a judged answer of this very version from every ' +
      'model that it names, of a real one unless the model is simulated. Else it is not ' +
      'measured, which fails where the package has cases.',
  },
  {
    code: 'cases_passed',
    basis: 'recorded',
    description:
      'With each model at least the share `pass_share_min` of the cases passes. Else it fails.',
  },
  {
    code: 'no_regression',
    basis: 'recorded',
    description:
      'Over the same cases the version is not worse than the one in production, by the exact ' +
      'one-sided test of McNemar (1947) at the level `significance`. A case counts as passed ' +
      'where it passes with every model of its version. A significant loss fails, another one ' +
      'warns; not measured, which fails too, while either version has a case unproved, or where ' +
      'too few cases became worse and better to tell.',
  },
]);

/** The checks that follow from recorded evidence. */
export const EVIDENCE_CHECKS: ReadonlySet<string> = new Set(
  GATE_CHECKS.rows.filter(({ basis }) => basis === 'recorded').map(({ code }) => code),
);

/** A check of the gate. */
export type GateCheckCode = CodeOf<typeof GATE_CHECKS>;

/** Whose sample an output of a gate run is. */
export const OUTPUT_SOURCES = vocabulary('PromptOutputSource', 'Whose sample an output is.', [
  { code: 'version', description: 'It belongs to the version.' },
  { code: 'run', description: 'The run of the gate brought it.' },
]);

/** What the length of the answer is assumed from, in the order of preference. */
export const OUTPUT_ASSUMPTIONS = vocabulary(
  'PromptOutputAssumption',
  'What the length of the answer is assumed from.',
  [
    { code: 'sample_outputs', description: 'The longest sample output, at most max_tokens.' },
    { code: 'max_tokens', description: 'The max_tokens of the variant: an upper bound.' },
    { code: 'model_maximum', description: 'The longest answer of the model: an upper bound.' },
  ],
);

/** An assumption about the length of the answer. */
export type OutputAssumption = CodeOf<typeof OUTPUT_ASSUMPTIONS>;
