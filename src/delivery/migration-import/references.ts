import { defineReference } from '../../records/references.js';
import { PROVIDER_SIGNS } from './providers.js';
import { FINDING_TYPES, IMPORT_KINDS } from './vocabulary.js';

defineReference('migration.import_kind', IMPORT_KINDS);
defineReference('migration.import_finding', FINDING_TYPES);
defineReference(
  'migration.import_host',
  PROVIDER_SIGNS.flatMap(({ code: provider, hosts }) => hosts.map((code) => ({ code, provider }))),
);
