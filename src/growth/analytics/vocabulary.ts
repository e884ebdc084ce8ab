import { vocabulary } from '../../kernel/vocabulary.js';

/** What a page may tell. Nothing else is taken. */
export const PAGE_EVENTS = vocabulary('AnalyticsEvent', 'What a page may tell of its use.', [
  { code: 'page_view', description: 'A page was opened.' },
  { code: 'cta_click', description: 'A call to act was followed.' },
  { code: 'pricing_view', description: 'Prices came into view.' },
  { code: 'docs_search', description: 'The documents were searched; for what is not told.' },
  { code: 'snippet_copy', description: 'A piece of code was copied.' },
  { code: 'quickstart_start', description: 'A quickstart was begun.' },
  { code: 'calculator_use', description: 'A calculator was used.' },
  { code: 'demo_request', description: 'A demonstration was asked for.' },
  { code: 'signup_start', description: 'A registration was begun.' },
  { code: 'signup_complete', description: 'A registration was finished.' },
  { code: 'contact_open', description: 'The way to make contact was opened.' },
]);

/** Kept in the place of each part of a path that no listed route has. */
export const HIDDEN_PART = ':id';
/** Where paths and referrers are counted that come after the most of a day. */
export const OTHERS = '(other)';

/** Bounds of beacons. What is beyond them is refused, or counted together. */
export const BEACON_BOUNDS = {
  /** Beacons a minute from one address; of IPv6 from one network of 64 bits. */
  perMinuteOfAddress: 60,
  /** Beacons a minute that a node takes from all addresses. */
  perMinuteOfNode: 1_200,
  pathPartsMax: 8,
  /** Of eight parts of 64 letters, each behind a slash. */
  pathCharactersMax: 520,
  textCharactersMax: 2_048,
  sessionCharactersMin: 16,
  sessionCharactersMax: 64,
  /** Different paths, and different referrers, that are told apart on a day. */
  valuesOfDayMax: 1_000,
  /** Different sessions that are told apart on a day. */
  sessionsOfDayMax: 1_000_000,
  dashboardDaysMax: 92,
  dashboardDaysDefault: 30,
  topMax: 50,
} as const;
