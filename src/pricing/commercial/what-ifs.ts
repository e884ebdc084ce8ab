import { whatIf } from '../../records/what-if.js';
import { assignmentFaults, assignVariant } from './assign.rules.js';
import { classify, factFaults } from './classify.rules.js';
import { concludeExperiment, experimentFaults } from './experiment.rules.js';
import {
  ASSIGN_INPUT,
  ASSIGNED,
  CLASSIFICATION,
  CLASSIFY_INPUT,
  EXPERIMENT,
  EXPERIMENT_INPUT,
  WIN_RATE,
  WIN_RATE_INPUT,
  WTP_WHAT_IF,
  WTP_WHAT_IF_INPUT,
} from './tables.js';
import { winRateOf } from './win-rate.rules.js';
import { statedWtp } from './wtp.rules.js';

whatIf({
  field: 'wtpWhatIf',
  description: 'What a stated willingness to pay amounts to: always `DECLARED`.',
  input: WTP_WHAT_IF_INPUT,
  output: WTP_WHAT_IF,
  rule: statedWtp,
});

whatIf({
  field: 'dealClassification',
  description: 'Classifies a deal as win, loss or no_decision; no_decision is not a loss.',
  input: CLASSIFY_INPUT,
  output: CLASSIFICATION,
  faults: factFaults,
  rule: classify,
});

whatIf({
  field: 'winRate',
  description: 'won / (won + lost) with its interval; no_decision is outside the denominator.',
  input: WIN_RATE_INPUT,
  output: WIN_RATE,
  rule: winRateOf,
});

whatIf({
  field: 'commercialExperiment',
  description: 'What an A/B experiment shows: a direction, or that nothing can be concluded.',
  input: EXPERIMENT_INPUT,
  output: EXPERIMENT,
  faults: experimentFaults,
  rule: concludeExperiment,
});

whatIf({
  field: 'variantAssignment',
  description: 'The variant of a subject, by a published salt and formula.',
  input: ASSIGN_INPUT,
  output: ASSIGNED,
  faults: assignmentFaults,
  rule: assignVariant,
});
