import { integer, money, type ValuesOf } from '../../kernel/fields/field.js';
import { codes, publishReference } from '../../records/reference-field.js';
import { KEY_BOUNDS, KEY_STATUSES } from './vocabulary.js';

const BOUNDS = {
  modelsMax: integer('The most models and aliases that the list of a key names.'),
  addressesMax: integer('The most addresses and ranges that the list of a key names.'),
  budgetMicroMax: money('The most that a budget of a key may be.'),
  expiryDaysMax: integer('A key ends in so many days at the latest, where it has an end.'),
  graceSecondsDefault: integer('How long the former value of a key works, unless stated.'),
  graceSecondsMax: integer('How long it may work at most, in seconds.'),
  secretsMax: integer('The most values of one key that work at the same time.'),
  lineMax: integer('The most keys in a line, each made by the one before.'),
};

publishReference({
  module: 'keys',
  type: 'KeysReference',
  description: 'Bounds of what API keys can be limited by, and how they stand.',
  lists: { statuses: codes('status', KEY_STATUSES) },
  figures: { fields: BOUNDS, values: { ...KEY_BOUNDS } satisfies ValuesOf<typeof BOUNDS> },
});
