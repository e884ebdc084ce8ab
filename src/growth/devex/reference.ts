import { CAPABILITIES } from '../../catalog/providers/vocabulary.js';
import { code, fieldTable, list, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { DEBUG_VERDICTS, DEBUG_WARNINGS } from './debug/vocabulary.js';
import { MILESTONES } from './onboarding/vocabulary.js';
import { CAPABILITY_NOTES, SNIPPET_CHECKS, STACKS, USE_CASES } from './vocabulary.js';

const STACK = fieldTable('QuickstartStackRow', 'What a first request can be written in.', {
  language: text('The language of its snippet.'),
  aliases: list(text('A name.'), 'Further names by which `stack` understands it.'),
  check: code(SNIPPET_CHECKS, 'How the tests of the gateway check its snippet.'),
});

const USE_CASE = fieldTable('DevexUseCaseRow', 'What the gateway is commonly used for.', {
  operations: list(text('A method and a path.'), 'The operations that serve it.'),
  capabilities: list(code(CAPABILITIES, 'A capability.'), 'What its models must be able to do.'),
});

const MILESTONE = fieldTable('OnboardingMilestoneRow', 'What an onboarding is made of.', {
  closedBy: text('The call that reaches it.'),
});

publishReference({
  module: 'devex',
  type: 'DevexReference',
  description: 'Stacks, use cases, what is to be known of capabilities, and the words of answers.',
  lists: {
    stacks: rows('stack', STACKS.rows, STACK),
    useCases: rows('use_case', USE_CASES.rows, USE_CASE),
    capabilityNotes: codes('capability_note', CAPABILITY_NOTES),
    capabilities: codes('capability', CAPABILITIES),
    snippetChecks: codes('snippet_check', SNIPPET_CHECKS),
    milestones: rows('milestone', MILESTONES.rows, MILESTONE),
    debugVerdicts: codes('debug_verdict', DEBUG_VERDICTS),
    debugWarnings: codes('debug_warning', DEBUG_WARNINGS),
  },
});
