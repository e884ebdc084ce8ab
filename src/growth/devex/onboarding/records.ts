import { integer } from '../../../kernel/fields/field.js';
import { receiptKind } from '../../../records/receipt-kinds.js';
import { PROGRESS_FIELDS } from './tables.js';

/** Receipts of an onboarding: one for each state that differed from the last. */
export const ONBOARDING_RECEIPTS = receiptKind({
  kind: 'onboarding',
  type: 'OnboardingReceipt',
  description: 'How an onboarding stood: milestones with what shows them, and the next step.',
  queries: 'onboarding.read',
  content: {
    edition: integer('The number of the receipt among those of the onboarding, from 1.'),
    ...PROGRESS_FIELDS,
  },
});
