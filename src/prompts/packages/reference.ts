import { fieldTable } from '../../kernel/fields/field.js';
import { DATA_CLASSES } from '../../kernel/firewall/vocabulary.js';
import { type Vocabulary, vocabulary } from '../../kernel/vocabulary.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  CASE_OUTCOMES,
  EVALUATION_FAILURES,
  EVALUATION_STATUSES,
  GRADER_KINDS,
  GRADER_RULES,
} from '../evaluations/vocabulary.js';
import { SCHEMA_CHANGES } from './diff/vocabulary.js';
import { CHECK_BASES, CHECK_STATUSES, GATE_CHECKS, OUTPUT_ASSUMPTIONS } from './gate/vocabulary.js';
import { TRANSITION, transitions } from './lifecycle.rules.js';
import { PROMPT_EVENTS, PROMPT_HAPPENINGS, PROMPT_STATUSES, VARIABLE_TYPES } from './vocabulary.js';

const ENTRY = fieldTable('PromptReferenceEntry', 'A value of a published list.', {});
const CLASSES = vocabulary('DataClass', 'Sensitivity of data, lowest first.', DATA_CLASSES);

const words = (noun: string, from: Vocabulary) => ({ ...codes(noun, from), row: ENTRY });

publishReference({
  module: 'prompts',
  type: 'PromptsReference',
  description: 'What prompt packages are judged by. Rules and this answer read the same lists.',
  lists: {
    transitions: rows('transition', transitions(), TRANSITION),
    states: words('status', PROMPT_STATUSES),
    events: words('event', PROMPT_EVENTS),
    happenings: words('happening', PROMPT_HAPPENINGS),
    gateChecks: words('gate_check', GATE_CHECKS),
    checkBases: words('check_basis', CHECK_BASES),
    graderKinds: words('grader_kind', GRADER_KINDS),
    graderRules: words('grader_rule', GRADER_RULES),
    caseOutcomes: words('case_outcome', CASE_OUTCOMES),
    evaluationStatuses: words('evaluation_status', EVALUATION_STATUSES),
    evaluationFailures: words('evaluation_failure', EVALUATION_FAILURES),
    checkStatuses: words('check_status', CHECK_STATUSES),
    outputAssumptions: words('output_assumption', OUTPUT_ASSUMPTIONS),
    variableTypes: words('variable_type', VARIABLE_TYPES),
    schemaChanges: words('schema_change', SCHEMA_CHANGES),
    dataClasses: words('data_class', CLASSES),
  },
});
