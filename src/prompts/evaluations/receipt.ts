import { receiptKind } from '../../records/receipt-kinds.js';
import { SEALED_EVALUATION } from './tables.js';

/** Receipts of evaluations: one for each that has ended, with the result of every case. */
export const EVALUATION_RECEIPTS = receiptKind({
  kind: 'prompt_evaluation',
  type: 'PromptEvaluationReceipt',
  description:
    'How each case ended with each model when a version of a prompt was evaluated, sealed when ' +
    'the evaluation ended. Answers are not kept: of each there is a hash.',
  queries: 'prompts.read',
  content: SEALED_EVALUATION,
});
