import { EXACT_FORMATS } from '../../kernel/json-schema/formats.js';
import { PLAIN_KEYWORDS } from '../../kernel/json-schema/keywords.js';
import { JsonSchemas } from '../../kernel/json-schema/schemas.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/**
 * The schemas of manifests, that of manifests itself among them. What is stored can run, so their
 * checks take a time that grows with the schema times the value.
 */
export const MANIFEST_SCHEMAS = new JsonSchemas({
  users: 'manifests',
  keywords: [...PLAIN_KEYWORDS, 'pattern'],
  formats: EXACT_FORMATS,
  patternCharsMax: BLUEPRINT_BOUNDS.patternCharactersMax,
  references: false,
  nodesMax: BLUEPRINT_BOUNDS.schemaNodesMax,
  charsMax: BLUEPRINT_BOUNDS.manifestBytesMax,
  workMsMax: 2_000,
  stopped: 'fault',
});
