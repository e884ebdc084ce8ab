import { whatIf } from '../../records/what-if.js';
import { estimateRoi } from './estimate.rules.js';
import { ESTIMATE, ESTIMATE_INPUT } from './estimate-tables.js';

whatIf({
  field: 'roiEstimate',
  description: 'What manual work costs and what it would cost with AI, with every assumption.',
  input: ESTIMATE_INPUT,
  output: ESTIMATE,
  rule: estimateRoi,
});
