import { dataRows } from '../../../kernel/fields/data-file.js';
import { flag } from '../../../kernel/fields/field.js';
import { type CodeOf, vocabulary } from '../../../kernel/vocabulary.js';
import CHECKS from './checks.json' with { type: 'json' };
/** How a check of the gate may end. */
export const CHECK_STATUSES = vocabulary('PromptGateCheckStatus', 'How a check ended.', [
  { code: 'pass', description: 'It holds.' },
  { code: 'warn', description: 'Worth a look; the gate passes.' },
  { code: 'fail', description: 'It does not hold; the gate fails.' },
  { code: 'not_measured', description: 'Not enough is given to tell; the message says what.' },
]);

/** The end of a check. */
export type CheckStatus = CodeOf<typeof CHECK_STATUSES>;

/** Whether the gate passes: it does when no check fails and one shows what the version does. */
export const GATE_STATUSES = vocabulary('PromptGateStatus', 'Whether the gate passes.', [
  { code: 'pass', description: 'No check fails.' },
  { code: 'fail', description: 'At least one check fails.' },
  {
    code: 'not_measured',
    description:
      'No check fails, but none of outputs, models and context could be measured. The version ' +
      'may go to staging and not to production.',
  },
]);

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
