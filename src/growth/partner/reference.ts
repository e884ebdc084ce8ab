import { fieldTable, flag, integer } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  BILLING_MODES,
  MARGIN_MODEL,
  MARGIN_STATUSES,
  MARKUP_BASIS_POINTS_MAX,
  MONTH_DAYS,
  PARTNER_TIERS,
} from './vocabulary.js';

const TIER = fieldTable(
  'PartnerTierRow',
  'How far a partner has come: the first row both of whose minimums are reached.',
  {
    clientsMin: integer('The fewest clients with usage in the window.'),
    costRubMin: integer('The least cost of their usage in 30 days, in rubles.'),
  },
);
const MODE = fieldTable('PartnerBillingModeRow', 'How a partner can bill a client.', {
  hasMarkup: flag('Whether usage is billed, with the mark-up of the terms.'),
  hasFee: flag('Whether the monthly fee of the terms is billed.'),
});

publishReference({
  module: 'partner',
  type: 'PartnerReference',
  description: 'Tiers of partners, what a margin is made of, and how clients can be billed.',
  lists: {
    tiers: rows('tier', PARTNER_TIERS.rows, TIER),
    marginModel: codes('margin_model', MARGIN_MODEL),
    billingModes: rows('billing_mode', BILLING_MODES.rows, MODE),
    marginStatuses: codes('margin_status', MARGIN_STATUSES),
  },
  figures: {
    fields: {
      markupBasisPointsMax: integer('The highest mark-up, in hundredths of a percent.'),
      monthDays: integer('How many days a month has, for fees and tiers.'),
    },
    values: { markupBasisPointsMax: MARKUP_BASIS_POINTS_MAX, monthDays: MONTH_DAYS },
  },
});
