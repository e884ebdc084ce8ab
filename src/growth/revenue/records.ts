import { contractKind } from '../../records/contract-kinds.js';
import type { Journal } from '../../records/journals.js';
import { type PartnerSource, SOURCES } from './offers.js';
import { QUOTE_FIELDS } from './tables.js';
import { LEAD_EVENTS, type LeadEvent } from './vocabulary.js';

/** Events of leads: the subject is the account. */
export const EVENT_JOURNAL: Journal<LeadEvent> = {
  kind: 'revenue_event',
  values: LEAD_EVENTS.codes,
};

/** Attributions: the subject is the partner, and a client is claimed once for a source. */
export const ATTRIBUTION_JOURNAL: Journal<PartnerSource> = {
  kind: 'partner_attribution',
  values: SOURCES.codes,
};

/** Quotes: those of an account are 1, 2, 3, and none is ever changed. */
export const QUOTES = contractKind({
  kind: 'revenue_quote',
  type: 'RevenueQuote',
  description: 'A package that was offered to an account, with its margin.',
  body: QUOTE_FIELDS,
  key: 'accountRef',
  list: { field: 'revenueQuotes', permission: 'revenue.read', by: ['accountRef'] },
});
