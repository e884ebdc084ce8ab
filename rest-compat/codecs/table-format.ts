import type { Condition } from '../row.js';
import { type CsvColumn, cellOf, csvText } from './csv.js';

/** How a table is written: its content type, the ending of a file, and its bytes. */
export interface TableFormat {
  readonly contentType: string;
  readonly extension: string;
  /** The text of some rows of a table, the first ones with the heading; absent for whole files. */
  readonly text?: (
    columns: readonly CsvColumn[],
    rows: readonly unknown[],
    part: { readonly isFirst: boolean; readonly byteOrderMark: boolean },
  ) => string;
  /** The whole file, for formats that cannot be written bit by bit. */
  readonly file?: (columns: readonly CsvColumn[], rows: readonly unknown[]) => Promise<Buffer>;
}

const CSV: TableFormat = {
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  text: (columns, rows, { isFirst, byteOrderMark }) =>
    csvText(columns, rows, { heading: isFirst, byteOrderMark: isFirst && byteOrderMark }),
};

/** As Russian spreadsheet programs open it by a double click: byte order mark, `;`, `0,5`. */
const CSV_RU: TableFormat = {
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  text: (columns, rows, { isFirst }) =>
    csvText(columns, rows, { heading: isFirst, byteOrderMark: isFirst, isRussian: true }),
};

const NDJSON: TableFormat = {
  contentType: 'application/x-ndjson',
  extension: 'ndjson',
  text: (_columns, rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
};

const XLSX: TableFormat = {
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  file: async (columns, rows) => {
    // Seldom asked for, and a start need not wait for it.
    const { default: writeXlsx } = await import('write-excel-file/node');
    const heading = columns.map(({ heading: value }) => ({ value, fontWeight: 'bold' as const }));
    const cells = rows.map((row) => columns.map((column) => xlsxCell(cellOf(row, column.path))));
    return writeXlsx([heading, ...cells], { stickyRowsCount: 1 }).toBuffer();
  },
};

/** Formats of tables by what `format` says in the query. */
const FORMATS: ReadonlyMap<string, TableFormat> = new Map([
  ['csv', CSV],
  ['csv_ru', CSV_RU],
  ['ndjson', NDJSON],
  ['xlsx', XLSX],
]);

/** The format that a query asks for, CSV unless it names another one. */
export function tableFormat(name: string): TableFormat {
  return FORMATS.get(name) ?? CSV;
}

/** The content types in which a table is written, each once. */
export function tableTypes(condition: Condition | undefined): readonly string[] {
  const names = condition?.kind === 'query' ? condition.values : ['csv'];
  return [...new Set(names.map((name) => tableFormat(name).contentType))];
}

/** A text cell stays text: a spreadsheet runs no formula that stands in one. */
function xlsxCell(value: unknown) {
  if (typeof value === 'number') return { value, type: Number };
  if (typeof value === 'boolean') return { value, type: Boolean };
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value}`;
  return text === '' ? null : { value: wellFormed(text), type: String };
}

/** The most characters that a cell of the format holds. */
const CELL_LENGTH_MAX = 32_767;

/** What XML 1.0 cannot carry is left out. */
function wellFormed(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return clean.replace(/\p{Surrogate}/gu, '').slice(0, CELL_LENGTH_MAX);
}
