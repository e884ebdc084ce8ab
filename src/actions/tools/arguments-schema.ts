import type { Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import { EXACT_FORMATS } from '../../kernel/json-schema/formats.js';
import { PLAIN_KEYWORDS } from '../../kernel/json-schema/keywords.js';
import { JsonSchemas } from '../../kernel/json-schema/schemas.js';
import { BOUNDS } from './vocabulary.js';

/** Schemas of arguments are judged while an agent waits: nothing in them can take long. */
const SCHEMAS = new JsonSchemas({
  users: 'contracts',
  keywords: [...PLAIN_KEYWORDS, 'contains', 'uniqueItems'],
  formats: EXACT_FORMATS,
  patternCharsMax: 0,
  references: false,
  nodesMax: BOUNDS.schemaNodesMax,
  charsMax: BOUNDS.schemaBytesMax,
  workMsMax: 2_000,
  stopped: 'fault',
});

/** Every fault of a schema for the arguments of a verb. */
export function argumentSchemaFaults(path: string, schema: JsonObject): Fault[] {
  return SCHEMAS.schemaFaults(path, schema);
}

/** Every fault of the arguments of a call by the schema of its verb, at most 100. */
export function argumentFaults(schema: JsonObject, values: Sealable, path = 'arguments'): Fault[] {
  return SCHEMAS.valueFaults(schema, values, path);
}
