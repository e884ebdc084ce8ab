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
      pathPartsMax: integer('Parts of a path that are kept.'),
      pathCharactersMax: integer('The longest path that can be kept.'),
      valuesOfDayMax: integer('Different paths, and referrers, that are told apart on a day.'),
    },
    values: {
      perMinuteOfAddress: BEACON_BOUNDS.perMinuteOfAddress,
      pathPartsMax: BEACON_BOUNDS.pathPartsMax,
      pathCharactersMax: BEACON_BOUNDS.pathCharactersMax,
      valuesOfDayMax: BEACON_BOUNDS.valuesOfDayMax,
    },
  },
});
