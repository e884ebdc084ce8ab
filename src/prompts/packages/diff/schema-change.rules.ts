import type { JsonObject } from '../../../kernel/json.js';
import type { FoundChange } from './found-change.js';
import { SchemaComparison, schemaText } from './schema-comparison.js';
import type { SchemaChange, SchemaDiff } from './tables.js';
import { SCHEMA_CHANGES, SCHEMA_CHANGES_MAX } from './vocabulary.js';

/**
 * Compares two output schemas from the side of who reads outputs: a change breaks when the new
 * schema lets an output through that the old one ruled out, or describes no more what it
 * described. A property that is added does not count as breaking, also where the old schema was
 * closed. What cannot be compared counts as breaking.
 */
export function diffSchemas(from: JsonObject | null, to: JsonObject | null): SchemaDiff {
  const found = from && to ? new SchemaComparison(from, to).changes() : appearance(from, to);
  const changes = found.map(({ code, path, message }): SchemaChange => {
    return { code, path, breaking: SCHEMA_CHANGES.find(code)?.breaking ?? true, message };
  });
  return {
    changed: schemaText(from) !== schemaText(to),
    breaking: changes.some(({ breaking }) => breaking),
    changes: changes.slice(0, SCHEMA_CHANGES_MAX),
  };
}

function appearance(from: JsonObject | null, to: JsonObject | null): FoundChange[] {
  if (from) {
    return [{ code: 'schema_removed', path: '$', message: 'Outputs have no schema any more.' }];
  }
  return to ? [{ code: 'schema_added', path: '$', message: 'Outputs have a schema now.' }] : [];
}
