import type { Lifecycle } from '../../kernel/lifecycle.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What an operator does to a listing. */
export const LISTING_MEASURES = vocabulary(
  'MarketplaceListingMeasureKind',
  'What an operator does to a listing.',
  [
    { code: 'suspend', description: 'Hides it, with its badges, until it is reinstated.' },
    { code: 'reinstate', description: 'Ends a suspension.' },
    { code: 'withdraw', description: 'Takes it back as its publisher would; it can come again.' },
    { code: 'revoke', description: 'Takes it out for good; final.' },
    { code: 'clear_name', description: 'The name of its publisher misleads nobody.' },
    { code: 'refuse_name', description: 'The name of its publisher misleads; hides it.' },
  ],
);

/** What an operator does to a listing. */
export type ListingMeasure = CodeOf<typeof LISTING_MEASURES>;

/** Those that nobody takes for their own organization. */
export const NOT_FOR_OWN: ReadonlySet<ListingMeasure> = new Set(['reinstate', 'clear_name']);

/** What operators may do to a listing by what was done before. */
export const MEASURE_LIFECYCLE: Lifecycle<
  'untouched' | 'suspended' | 'revoked',
  'suspend' | 'reinstate' | 'withdraw' | 'revoke'
> = {
  untouched: { suspend: 'suspended', withdraw: 'untouched', revoke: 'revoked' },
  suspended: { reinstate: 'untouched', withdraw: 'suspended', revoke: 'revoked' },
  revoked: {},
};

/** What operators may say of the name of a publisher by what was said before. */
export const NAME_LIFECYCLE: Lifecycle<
  'unasked' | 'waiting' | 'cleared' | 'refused',
  'clear_name' | 'refuse_name'
> = {
  unasked: { refuse_name: 'refused' },
  waiting: { clear_name: 'cleared', refuse_name: 'refused' },
  cleared: { refuse_name: 'refused' },
  refused: { clear_name: 'cleared' },
};

/** Why a listing stands before operators. */
export const LISTING_QUEUES = vocabulary(
  'MarketplaceListingQueue',
  'Why a listing stands before operators.',
  [
    { code: 'name_in_review', description: 'Published under a name that is like another one.' },
    { code: 'reported', description: 'A reader has reported it, and nobody has decided.' },
    { code: 'suspended', description: 'An operator has suspended it.' },
    { code: 'revoked', description: 'An operator has revoked it.' },
  ],
);

/** Why a reader reports a listing. */
export const REPORT_REASONS = vocabulary(
  'MarketplaceReportReason',
  'Why a reader reports a listing.',
  [
    { code: 'impersonation', description: 'It comes from another publisher than it says.' },
    { code: 'malicious', description: 'It harms those who use it.' },
    { code: 'misleading', description: 'It does not do what it says.' },
    { code: 'personal_data', description: 'It takes or shows personal data that it should not.' },
    { code: 'rights', description: 'It uses a work or a mark of somebody else.' },
    { code: 'other', description: 'Something else, which the text says.' },
  ],
);

/** How a report stands. */
export const REPORT_STATUSES = vocabulary('MarketplaceReportStatus', 'How a report stands.', [
  { code: 'open', description: 'No operator has decided yet.' },
  { code: 'upheld', description: 'An operator has found it right.' },
  { code: 'dismissed', description: 'An operator has found nothing wrong.' },
]);

/** What an operator finds of a report. */
export const REPORT_RESOLUTIONS = vocabulary(
  'MarketplaceReportResolution',
  'What an operator finds of a report.',
  [
    { code: 'upheld', description: 'It is right; what follows is a measure of its own.' },
    { code: 'dismissed', description: 'Nothing is wrong.' },
  ],
);

/** Reports of an organization in 24 hours. */
export const REPORTS_A_DAY_MAX = 10;
