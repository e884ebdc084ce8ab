import { stringify } from 'csv-stringify/sync';
import { getNullableType, isListType } from 'graphql';
import type { SelectedField } from '../projection.js';

/** A column: its heading and the way to its value. */
export interface CsvColumn {
  readonly heading: string;
  readonly path: readonly string[];
}

/** The columns of a selection: leaves and lists by alias, nested objects as `cost.total_rub`. */
export function csvColumns(
  fields: readonly SelectedField[],
  above: readonly string[] = [],
): readonly CsvColumn[] {
  return fields.flatMap((field) => {
    const path = [...above, field.key];
    const nested = field.fields && !isListType(getNullableType(field.type));
    if (nested) return csvColumns(field.fields ?? [], path);
    return [{ heading: path.join('.'), path }];
  });
}

/**
 * Rows as RFC 4180 text with CRLF. Text that a spreadsheet would run as a formula gets an
 * apostrophe in front; numbers are no text, so negative amounts stay numbers.
 */
export function csvText(
  columns: readonly CsvColumn[],
  rows: readonly unknown[],
  options: { readonly heading: boolean; readonly byteOrderMark: boolean },
): string {
  const table = rows.map((row) => columns.map((column) => valueAt(row, column.path)));
  if (options.heading) table.unshift(columns.map((column) => column.heading));
  return stringify(table, {
    record_delimiter: 'windows',
    bom: options.byteOrderMark,
    escape_formulas: true,
    cast: {
      number: (value) => ({ value: String(value), escape_formulas: false }),
      boolean: (value) => String(value),
      object: (value) => JSON.stringify(value),
    },
  });
}

/** The content type of CSV answers. */
export const CSV_TYPE = 'text/csv; charset=utf-8';

function valueAt(row: unknown, path: readonly string[]): unknown {
  let value = row;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? '';
}
