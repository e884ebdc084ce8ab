import { fieldTable, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  COMPLETENESS_DECLARED,
  COMPLETENESS_LIVE,
  DUAL_METER_DECLARED,
  DUAL_METER_LIVE,
  INTEGRITY_BASES,
  INTEGRITY_CHECKS,
  INTEGRITY_FAULTS,
  INTEGRITY_RULES,
  INTEGRITY_VERDICTS,
  REPLAY_DECLARED,
  REPLAY_LIVE,
} from './vocabulary.js';

const FAULT = fieldTable('IntegrityFaultRow', 'What can be wrong with a request.', {
  check: text('The check that names it.'),
  counted: text('The figure of the check that counts it.'),
});

publishReference({
  module: 'billing-integrity',
  type: 'BillingIntegrityReference',
  description: 'The checks of billing integrity, their words, and the rules they decide by.',
  lists: {
    checks: codes('check', INTEGRITY_CHECKS),
    hardRules: codes('hard_rule', INTEGRITY_RULES),
    faults: rows('fault', INTEGRITY_FAULTS.rows, FAULT),
    bases: codes('basis', INTEGRITY_BASES),
    completenessVerdicts: codes('completeness_verdict', COMPLETENESS_LIVE),
    dualMeterVerdicts: codes('dual_meter_verdict', DUAL_METER_LIVE),
    replayVerdicts: codes('replay_verdict', REPLAY_LIVE),
    receiptVerdicts: codes('receipt_verdict', INTEGRITY_VERDICTS),
    completenessWhatIfVerdicts: codes('completeness_what_if_verdict', COMPLETENESS_DECLARED),
    dualMeterWhatIfVerdicts: codes('dual_meter_what_if_verdict', DUAL_METER_DECLARED),
    replayWhatIfVerdicts: codes('replay_what_if_verdict', REPLAY_DECLARED),
  },
});
