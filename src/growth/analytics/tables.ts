import {
  code,
  day,
  defaulting,
  fieldTable,
  integer,
  list,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { BEACON_BOUNDS, PAGE_EVENTS } from './vocabulary.js';

const { sessionCharactersMin, sessionCharactersMax, textCharactersMax } = BEACON_BOUNDS;

/** What a page tells. */
export const BEACON_INPUT = fieldTable('AnalyticsBeaconInput', 'What a page tells of its use.', {
  event: code(PAGE_EVENTS, 'What has happened.'),
  path: defaulting(
    text('The path of the page; of it only words of the routes that the operator lists are kept.', {
      max: textCharactersMax,
    }),
    '/',
  ),
  referrer: optional(
    text('Where the visitor came from; only the name of the host is kept.', {
      min: 0,
      max: textCharactersMax,
    }),
  ),
  session: optional(
    text(
      'A random text of the page that ends with the visit. Only a hash is kept whose key changes ' +
        'every day, until the day is over.',
      { min: sessionCharactersMin, max: sessionCharactersMax },
    ),
  ),
});

/** What was kept of a beacon: all there is of it. */
export const BEACON = fieldTable('AnalyticsBeacon', 'What was counted of a beacon; nothing else.', {
  event: code(PAGE_EVENTS, 'What has happened.'),
  path: text('The path, as it is counted.'),
  referrerHost: optional(text('The host, as it is counted; null where there is none to count.')),
  day: day('The day that it is counted on, in UTC.'),
});

/** What was kept of a beacon. */
export type Beacon = ValuesOf<typeof BEACON.fields>;

/** Which days are asked for. */
export const DASHBOARD_QUESTION = {
  from: optional(day('The first day in UTC; 30 days with the last one unless stated.')),
  to: optional(day('The last day in UTC; today unless stated.')),
} as const;

const COUNT = fieldTable('AnalyticsCount', 'How often something was told.', {
  value: text('What was told; `(other)` is all that came after the most of a day.'),
  hits: integer('How often it was told.'),
});
const EVENT_COUNT = fieldTable('AnalyticsEventCount', 'How often an event was told.', {
  event: code(PAGE_EVENTS, 'The event that was told.'),
  hits: integer('How often it was told.'),
});

/** What pages have told. */
export const DASHBOARD = fieldTable('AnalyticsDashboard', 'What pages have told in some days.', {
  from: day('The first day, in UTC.'),
  to: day('The last day, in UTC.'),
  events: integer('Beacons that were counted.'),
  uniqueSessions: integer(
    'Sessions, each once for every day: nothing tells one of yesterday from one of today.',
  ),
  byEvent: list(object(EVENT_COUNT, 'An event.'), 'The events, the most frequent first.'),
  topPaths: list(object(COUNT, 'A path.'), 'The 50 most frequent paths.'),
  topReferrers: list(object(COUNT, 'A host.'), 'The 50 most frequent hosts visitors came from.'),
  provenance: code(PROVENANCES, '`live_measured`: from the counts of each day.'),
  source: text('Which counts these are, and what they do not hold.'),
});

/** What pages have told. */
export type Dashboard = ValuesOf<typeof DASHBOARD.fields>;
