import type { JsonObject } from '../../../kernel/json.js';
import type { FoundChange } from './found-change.js';
import { SchemaComparison, schemaText } from './schema-comparison.js';
import { SCHEMA_CHANGES, SCHEMA_CHANGES_MAX, type SchemaChangeCode } from './vocabulary.js';

/** One change of an output schema. */
export interface SchemaChange {
  readonly code: SchemaChangeCode;
  /** Where in the output: `$`, `$.customer.name`, `$.items[]`. */
  readonly path: string;
  readonly breaking: boolean;
  readonly message: string;
}

/** How an output schema changed, and whether that breaks who reads the outputs. */
export interface SchemaDiff {
  readonly changed: boolean;
  readonly breaking: boolean;
  /** Where there are very many, the first 500. */
  readonly changes: readonly SchemaChange[];
}

const BREAKING = new Map(SCHEMA_CHANGES.map(({ code, breaking }) => [code, breaking]));

/**
 * Compares two output schemas from the side of who reads outputs: a change breaks when the new
 * schema lets an output through that the old one ruled out, or describes no more what it
 * described. A property that is added does not count as breaking, also where the old schema was
 * closed. What cannot be compared counts as breaking.
 */
export function diffSchemas(from: JsonObject | null, to: JsonObject | null): SchemaDiff {
  const found = from && to ? new SchemaComparison(from, to).changes() : appearance(from, to);
  const changes = found.map(({ code, path, message }): SchemaChange => {
    return { code, path, breaking: BREAKING.get(code) ?? true, message };
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
