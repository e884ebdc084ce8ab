import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How bad a finding of the lint is. */
export const LINT_LEVELS = vocabulary('BlueprintLintLevel', 'How bad a finding of the lint is.', [
  { code: 'error', description: 'The blueprint cannot run, or not safely.' },
  { code: 'warning', description: 'It runs, but something about it should be better.' },
]);

/** A level of a finding. */
export type LintLevel = CodeOf<typeof LINT_LEVELS>;

/** What the lint looks for, with the way to mend it. */
export const LINT_RULES = vocabulary('BlueprintLintCode', 'What the lint looks for.', [
  {
    code: 'manifest_invalid',
    level: 'error',
    description: 'The manifest does not satisfy its JSON Schema.',
    fix: 'Correct the field that the message names.',
  },
  {
    code: 'unknown_step_type',
    level: 'error',
    description: 'A step has a type that the sandbox does not run.',
    fix: 'Use one of the published step types.',
  },
  {
    code: 'schema_invalid',
    level: 'error',
    description: 'A schema does not compile, or cannot be checked in bounded time.',
    fix: 'Use the keywords that the message names; patterns run on RE2, references are not taken.',
  },
  {
    code: 'duplicate_step_id',
    level: 'error',
    description: 'Two steps have the same id.',
    fix: 'Give each step an id of its own.',
  },
  {
    code: 'cyclic_reference',
    level: 'error',
    description: 'Steps read each other in a circle.',
    fix: 'Cut the circle: a step reads only steps before it.',
  },
  {
    code: 'forward_reference',
    level: 'error',
    description: 'A step reads a later step, whose output is not there yet.',
    fix: 'Move the step behind the one that it reads.',
  },
  {
    code: 'undeclared_reference',
    level: 'error',
    description: 'A path leads to an input, a step or an output that does not exist.',
    fix: 'Declare the input or output, or correct the path.',
  },
  {
    code: 'undeclared_variable',
    level: 'error',
    description: 'A template or an operation reads a name that its step does not bind.',
    fix: 'Bind the name in `with`.',
  },
  {
    code: 'template_invalid',
    level: 'error',
    description: 'A template does not parse.',
    fix: 'Correct the template at the named line.',
  },
  {
    code: 'missing_output_schema',
    level: 'error',
    description: 'A model is asked without a schema of what it must answer.',
    fix: 'Give the step an output_schema.',
  },
  {
    code: 'unbounded_cost',
    level: 'error',
    description: 'What a run can cost is not bounded, or is above run_rub_max.',
    fix: 'Bound texts, lists and max_output_tokens, or raise run_rub_max.',
  },
  {
    code: 'capability_mismatch',
    level: 'error',
    description: 'A model of the manifest is unknown, or cannot do what the steps ask for.',
    fix: 'Name a model that has the capabilities.',
  },
  {
    code: 'unreachable_step',
    level: 'error',
    description: 'The condition of a step can never hold.',
    fix: 'Correct the condition, or remove the step.',
  },
  {
    code: 'undeclared_tool',
    level: 'error',
    description: 'A step asks for a tool or verb that the manifest does not list.',
    fix: 'List it under `tools`, with a verb of the published vocabulary.',
  },
  {
    code: 'personal_data_unprotected',
    level: 'error',
    description: 'Inputs hold a class of personal data that the policies neither mask nor block.',
    fix: 'Set the class to mask or block under policies.firewall.',
  },
  {
    code: 'example_invalid',
    level: 'error',
    description: 'The example input does not satisfy the input schema.',
    fix: 'Correct the example.',
  },
  {
    code: 'check_invalid',
    level: 'error',
    description: 'A condition has an operand that its operator cannot use.',
    fix: 'Give a pattern of RE2, two names of members, or the other value, as the message says.',
  },
  {
    code: 'golden_case_wrong',
    level: 'error',
    description: 'A golden case does not end as it says, or a lie about it goes through.',
    fix: 'Correct the case, or add a check that its answers fail.',
  },
  {
    code: 'missing_proof',
    level: 'warning',
    description: 'No check of the content can prove the result, so runs claim nothing.',
    fix: 'Compare an answer of a model with the input under business_result.proof.',
  },
  {
    code: 'missing_fallback',
    level: 'warning',
    description: 'No other model can take over when the primary one fails.',
    fix: 'Name a fallback that differs from the primary model.',
  },
  {
    code: 'unused_input',
    level: 'warning',
    description: 'No step reads an input.',
    fix: 'Read it, or take it out of the input schema.',
  },
  {
    code: 'unused_variable',
    level: 'warning',
    description: 'A step binds a name that its template does not read.',
    fix: 'Use it in the template, or remove it from `with`.',
  },
  {
    code: 'unused_step',
    level: 'warning',
    description: 'Nothing reads what a step computes.',
    fix: 'Read it in a later step or in the business result, or remove the step.',
  },
  {
    code: 'prompt_too_long',
    level: 'warning',
    description: 'A template is longer than 6,000 characters.',
    fix: 'Shorten it: every run pays for it.',
  },
  {
    code: 'undelimited_value',
    level: 'warning',
    description: 'Nothing tells a value from the instructions around it.',
    fix: 'Put it between tags or quotation marks, or write it by the filter json.',
  },
]);

/** A rule of the lint. */
export type LintRule = CodeOf<typeof LINT_RULES>;
