import { whatIf } from '../../records/what-if.js';
import { explainRoute } from '../decision/explain.rules.js';
import { commercialInfluence } from './commercial.rules.js';
import { situationFaults, statedInputs } from './simulate.rules.js';
import { SIMULATE_INPUT, SIMULATED } from './tables.js';

whatIf({
  field: 'adaptiveRouteSimulate',
  description: 'Which model would answer in a stated situation: every stage, and why not another.',
  input: SIMULATE_INPUT,
  output: SIMULATED,
  faults: situationFaults,
  rule: (stated) => {
    const inputs = statedInputs(stated);
    return { ...explainRoute(inputs), commercialInfluence: commercialInfluence(inputs) };
  },
});
