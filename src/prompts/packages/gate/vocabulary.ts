import { dataRows, vocabularyIn } from '../../../kernel/fields/data-file.js';
import { flag } from '../../../kernel/fields/field.js';
import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
import CHECKS from './checks.json' with { type: 'json' };
import WORDS from './vocabulary.json' with { type: 'json' };

/** How a check of the gate may end. */
export const CHECK_STATUSES = vocabularyIn(WORDS, 'PromptGateCheckStatus');

/** The end of a check. */
export type CheckStatus = CodeOf<typeof CHECK_STATUSES>;

/** Whether the gate passes: it does when no check fails and one shows what the version does. */
export const GATE_STATUSES = vocabularyIn(WORDS, 'PromptGateStatus');

/** The end of a gate run. */
export type GateStatus = CodeOf<typeof GATE_STATUSES>;

/**
 * The checks of the gate, in the order of receipts. None calls a model. `shows` marks those that
 * show something about what the version does, beyond its form.
 */
export const GATE_CHECKS = vocabulary(
  'PromptGateCheckCode',
  'A check of the gate.',
  dataRows(CHECKS, { shows: flag('It shows something about what the version does.') }),
);

/** A check of the gate. */
export type GateCheckCode = CodeOf<typeof GATE_CHECKS>;

/** What the length of the answer is assumed from, in the order of preference. */
export const OUTPUT_ASSUMPTIONS = vocabularyIn(WORDS, 'PromptOutputAssumption');

/** An assumption about the length of the answer. */
export type OutputAssumption = CodeOf<typeof OUTPUT_ASSUMPTIONS>;
