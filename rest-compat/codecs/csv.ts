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
 * Rows as RFC 4180 text with CRLF. Text that a spreadsheet would run as a formula, behind whatever
 * blank, gets an apostrophe in front; numbers are no text, so negative amounts stay numbers.
 */
export function csvText(
  columns: readonly CsvColumn[],
  rows: readonly unknown[],
  options: {
    readonly heading: boolean;
    readonly byteOrderMark: boolean;
    /** With semicolons between cells and a comma in decimals. */
    readonly isRussian?: boolean;
  },
): string {
  const { isRussian = false } = options;
  const table = rows.map((row) => columns.map((column) => cellOf(row, column.path)));
  if (options.heading) table.unshift(columns.map((column) => column.heading));
  return stringify(table, {
    record_delimiter: 'windows',
    delimiter: isRussian ? ';' : ',',
    bom: options.byteOrderMark,
    escape_formulas: true,
    // The library sees the delimiter of records alone, and readers end one at either half of it.
    quoted_match: /[\r\n]/,
    cast: {
      string: (value) => (FORMULA_BEHIND_BLANK.test(value) ? `'${value}` : value),
      number: (value) => {
        const text = String(value);
        return { value: isRussian ? text.replace('.', ',') : text, escape_formulas: false };
      },
      boolean: (value) => String(value),
      object: (value) => JSON.stringify(value),
    },
  });
}

const FORMULA_BEHIND_BLANK = /^\s+[=+\-@]/;

/** The value of a cell; a missing one is the empty text. */
export function cellOf(row: unknown, path: readonly string[]): unknown {
  let value = row;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return value ?? '';
}
