import { defineReference } from '../../records/references.js';
import { SCHEMA_CHANGES } from './diff/vocabulary.js';
import { CHECK_STATUSES, GATE_CHECKS, OUTPUT_ASSUMPTIONS } from './gate/vocabulary.js';
import { transitions } from './lifecycle.rules.js';
import { PROMPT_EVENTS, PROMPT_HAPPENINGS, PROMPT_STATUSES, VARIABLE_TYPES } from './vocabulary.js';

defineReference('prompts.status', PROMPT_STATUSES);
defineReference('prompts.event', PROMPT_EVENTS);
defineReference('prompts.transition', transitions());
defineReference('prompts.happening', PROMPT_HAPPENINGS);
defineReference('prompts.variable_type', VARIABLE_TYPES);
defineReference('prompts.gate_check', GATE_CHECKS);
defineReference('prompts.check_status', CHECK_STATUSES);
defineReference('prompts.output_assumption', OUTPUT_ASSUMPTIONS);
defineReference('prompts.schema_change', SCHEMA_CHANGES);
