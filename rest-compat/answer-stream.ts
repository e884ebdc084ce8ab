import { csvColumns } from './codecs/csv.js';
import { EVENT_HEADERS, writeEvents } from './codecs/sse.js';
import { type TableFormat, tableFormat } from './codecs/table-format.js';
import { toFailure } from './failure.js';
import type { RestHooks, TableRowsMax } from './hooks.js';
import { PAGE_LIMIT_MAX } from './paging.js';
import { errorBody, writeAnswer } from './reply.js';
import { operationHeaders, type RowRequest, type Written } from './row-request.js';
import type { ListEnvelope } from './shape.js';
import { StreamOutput } from './stream-output.js';

/**
 * Starts the subscription of a row and writes its events.
 * @param capture keeps the bytes for a replay, and does not stop when the client leaves
 * @throws GatewayError when the subscription is refused, or fails before its first byte
 */
export async function writeStream(
  request: RowRequest,
  hooks: RestHooks,
  capture: boolean,
): Promise<Written> {
  const { row, ctx, arrival, variables } = request;
  const { status } = row.contract;
  if (arrival.request.method === 'HEAD') {
    writeAnswer(arrival, { status, headers: EVENT_HEADERS, body: '' });
    return { status, headers: EVENT_HEADERS, body: undefined };
  }
  const stream = await row.subscribe(ctx, variables);
  arrival.place?.idles();
  const headers = () => operationHeaders(request);
  const output = new StreamOutput(arrival, { status, headers, capture, content: EVENT_HEADERS });
  const clean = await writeEvents(stream, output, (error) => {
    const failure = toFailure(error);
    arrival.failureCode = failure.code;
    if (failure.code === 'internal_error') hooks.onFailure?.(failure, arrival, row);
    return errorBody(failure, arrival, hooks.docUrl(failure.code, arrival.request), row.wirePaths);
  });
  const body = clean ? output.captured() : undefined;
  return { status, headers: output.headers, body, close: () => output.close() };
}

/**
 * Writes a text piece by piece, each before the next is asked for. A failure after the first piece
 * breaks the connection, so that a cut text is never taken for a whole one.
 * @throws what the first piece throws
 */
export async function writePieces(
  request: RowRequest,
  pieces: AsyncIterable<string>,
  contentType: string,
): Promise<Written> {
  const { row, arrival } = request;
  const { status } = row.contract;
  const headers = () => operationHeaders(request);
  const content = { 'content-type': contentType };
  const output = new StreamOutput(arrival, { status, headers, capture: false, content });
  const isRead = arrival.request.method !== 'HEAD';
  try {
    for await (const piece of isRead ? pieces : []) {
      if (output.closed) break;
      output.head({});
      if (!output.write(piece)) await output.drained();
    }
    output.head({});
    output.end();
  } catch (error) {
    if (output.headSent) arrival.response.destroy();
    throw error;
  }
  return { status, headers: output.headers, body: undefined };
}

/**
 * The longest table that is written; one with more rows breaks off like any that is cut. One that
 * is written page by page is never held whole, and may be longer.
 */
const TABLE_ROWS_MAX: TableRowsMax = { file: 100_000, text: 2_000_000 };

/**
 * Writes a list as a table. A connection goes out page by page, each written before the next is
 * asked for; a failure after the first page breaks the connection, so that a cut table is never
 * taken for a whole one.
 * @throws GatewayError when the first page fails
 */
export async function writeTable(
  request: RowRequest,
  capture: boolean,
  longest: TableRowsMax = TABLE_ROWS_MAX,
): Promise<Written> {
  const { row, arrival, query } = request;
  const { status } = row.contract;
  const columns = row.shape.kind === 'list' ? csvColumns(row.shape.data.fields ?? []) : [];
  const byteOrderMark = query.bom === 'true' || query.bom === '1';
  const format = tableFormat(String(query.format));
  const rowsMax = longest[format.file ? 'file' : 'text'];
  const pages = pagesOf(request, query.limit === undefined, rowsMax);
  const first = await pages.next();
  const headers = () => operationHeaders(request);
  const content = {
    'content-type': format.contentType,
    'content-disposition': `attachment; filename="${row.module}.${format.extension}"`,
  };
  const output = new StreamOutput(arrival, { status, headers, capture, content });
  const table = { columns, format, byteOrderMark };
  try {
    const whole = await (format.file ? fileOf(table, first.value ?? [], pages) : undefined);
    output.head({});
    const isWhole = whole
      ? output.write(whole) || true
      : await writeParts(output, table, first.value ?? [], pages);
    if (!isWhole) return { status, headers: output.headers, body: undefined };
    output.end();
  } catch (error) {
    arrival.response.destroy();
    throw error;
  }
  const { headers: sent } = output;
  return { status, headers: sent, body: output.captured(), close: () => output.close() };
}

/** A table to write. */
interface Table {
  readonly columns: ReturnType<typeof csvColumns>;
  readonly format: TableFormat;
  readonly byteOrderMark: boolean;
}

type Pages = AsyncGenerator<unknown[], undefined>;

async function fileOf({ format, columns }: Table, first: readonly unknown[], pages: Pages) {
  const rows = [...first];
  for await (const more of pages) rows.push(...more);
  return format.file?.(columns, rows);
}

/** @returns false when the client has left */
async function writeParts(
  output: StreamOutput,
  { format, columns, byteOrderMark }: Table,
  first: readonly unknown[],
  pages: Pages,
): Promise<boolean> {
  const text = (rows: readonly unknown[], isFirst: boolean) =>
    format.text?.(columns, rows, { isFirst, byteOrderMark }) ?? '';
  output.write(text(first, true));
  for await (const rows of pages) {
    if (output.closed) return false;
    if (!output.write(text(rows, false))) await output.drained();
  }
  return true;
}

async function* pagesOf(
  request: RowRequest,
  whole: boolean,
  rowsMax: number,
): AsyncGenerator<unknown[], undefined> {
  const { row, ctx, variables } = request;
  const paging = row.shape.kind === 'list' ? row.shape.paging : undefined;
  const pageVariables = { ...variables };
  if (whole && paging?.limit !== undefined) pageVariables[paging.limit] = PAGE_LIMIT_MAX;
  for (let written = 0; written < rowsMax; ) {
    const page = (await row.run(ctx, { ...pageVariables })) as ListEnvelope;
    yield page.data;
    written += page.data.length;
    if (!whole || !page.has_more || paging?.cursor === undefined) return undefined;
    pageVariables[paging.cursor] = page.next_cursor;
  }
  throw new RangeError(`the table of ${row.name} has more than ${rowsMax} rows`);
}
