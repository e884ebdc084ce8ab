import { integer } from '../../kernel/fields/field.js';
import { codes, publishReference } from '../../records/reference-field.js';
import { BEACON_BOUNDS, PAGE_EVENTS } from './vocabulary.js';

publishReference({
  module: 'analytics',
  type: 'AnalyticsReference',
  description: 'The events that pages may tell, and the bounds of beacons.',
  lists: { events: codes('event', PAGE_EVENTS) },
  figures: {
    fields: {
      perMinuteOfAddress: integer('Beacons a minute from one address.'),
      pathCharactersMax: integer('Characters of a path that are kept.'),
      valuesOfDayMax: integer('Different paths, and referrers, that are told apart on a day.'),
    },
    values: {
      perMinuteOfAddress: BEACON_BOUNDS.perMinuteOfAddress,
      pathCharactersMax: BEACON_BOUNDS.pathCharactersMax,
      valuesOfDayMax: BEACON_BOUNDS.valuesOfDayMax,
    },
  },
});
