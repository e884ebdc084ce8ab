import { fieldTable, integer, number } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { SLA_CLASSES } from '../billing/vocabulary.js';
import {
  BALANCE_OPERATIONS,
  OPERATION_DOCUMENTS,
  OPERATION_STATUSES,
  SLA_CREDIT_STEPS,
  SLA_REQUESTS_MIN,
  SLA_VERDICTS,
} from './vocabulary.js';

const STEP = fieldTable('SlaCreditStepRow', 'What is credited: the first row that is reached.', {
  belowBasisPoints: integer('How far below the target at least, in hundredths of a point.'),
  creditPercent: integer('How much of the charges of the class is credited, in percent.'),
});
const TARGET = fieldTable('SlaTargetRow', 'What a class of the service level aims at.', {
  latencyMsMax: integer('The longest latency of a request in time, in milliseconds.'),
  timeToFirstTokenMsMax: integer('The longest wait for the first token of a streamed answer.'),
  targetPercent: number('The share of requests in time that a month has to reach.'),
});

publishReference({
  module: 'balance',
  type: 'BalanceOperationReference',
  description: 'What administrators of the platform can do to a balance, and the terms of credits.',
  lists: {
    kinds: codes('kind', BALANCE_OPERATIONS),
    statuses: codes('status', OPERATION_STATUSES),
    documents: codes('document', OPERATION_DOCUMENTS),
    slaVerdicts: codes('sla_verdict', SLA_VERDICTS),
    slaTargets: rows(
      'sla_target',
      SLA_CLASSES.rows.map((row) => ({ ...row, targetPercent: row.targetBasisPoints / 100 })),
      TARGET,
    ),
    slaCreditSteps: rows('sla_credit_step', SLA_CREDIT_STEPS.rows, STEP),
  },
  figures: {
    fields: { slaRequestsMin: integer('The fewest requests of a class that certify a month.') },
    values: { slaRequestsMin: SLA_REQUESTS_MIN },
  },
});
