import { code, fieldTable, integer, list, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { BOOK_COLUMNS, INTEGRITY_COVERAGES } from './columns.js';
import {
  COMPLETENESS_DECLARED,
  COMPLETENESS_LIVE,
  DUAL_METER_DECLARED,
  DUAL_METER_LIVE,
  FAULTS_SHOWN_MAX,
  INTEGRITY_BASES,
  INTEGRITY_CHECKS,
  INTEGRITY_FAULTS,
  INTEGRITY_RULES,
  INTEGRITY_VERDICTS,
  REPLAY_DECLARED,
  REPLAY_LIVE,
  REREAD_DAYS,
  ROWS_SEALED,
  SEAL_STATES,
  SEALED_AT_ONCE_MAX,
} from './vocabulary.js';

const FAULT = fieldTable('IntegrityFaultRow', 'What can be wrong with a request.', {
  check: text('The check that names it.'),
  counted: text('The figure of the check that counts it.'),
});

const COLUMN = fieldTable('IntegrityColumn', 'A column of the books, and how it is checked.', {
  coverage: list(code(INTEGRITY_COVERAGES, 'A way.'), 'How a seal holds it to account.'),
  checks: list(code(INTEGRITY_CHECKS, 'A live check.'), 'The live checks that compare it.'),
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
    columns: rows('column', BOOK_COLUMNS, COLUMN),
    coverages: codes('coverage', INTEGRITY_COVERAGES),
    sealStates: codes('seal_status', SEAL_STATES),
    rowsVerdicts: codes('rows_verdict', ROWS_SEALED),
    completenessVerdicts: codes('completeness_verdict', COMPLETENESS_LIVE),
    dualMeterVerdicts: codes('dual_meter_verdict', DUAL_METER_LIVE),
    replayVerdicts: codes('replay_verdict', REPLAY_LIVE),
    receiptVerdicts: codes('receipt_verdict', INTEGRITY_VERDICTS),
    completenessWhatIfVerdicts: codes('completeness_what_if_verdict', COMPLETENESS_DECLARED),
    dualMeterWhatIfVerdicts: codes('dual_meter_what_if_verdict', DUAL_METER_DECLARED),
    replayWhatIfVerdicts: codes('replay_what_if_verdict', REPLAY_DECLARED),
  },
  figures: {
    fields: {
      sealedAtOnceMax: integer('A period with more lines and usage rows is answered `pending`.'),
      faultsShownMax: integer('The most requests that an answer or a receipt names by itself.'),
      rereadDays: integer('After how many days a sealed period is read again.'),
      verifier: text('The program that verifies an export without a server.'),
    },
    values: {
      sealedAtOnceMax: SEALED_AT_ONCE_MAX,
      faultsShownMax: FAULTS_SHOWN_MAX,
      rereadDays: REREAD_DAYS,
      verifier: 'tools/verify-integrity-export.mjs',
    },
  },
});
