import type { NamesIn } from '../module-rows.js';
import { ACCESS_ERRORS } from './access.js';
import { HTTP_ERRORS } from './http.js';
import { PERSONAL_DATA_ERRORS } from './personal-data.js';
import { REQUEST_ERRORS } from './request.js';
import { type ErrorRow, type StatedError, wholeRow } from './row.js';

/** A code of the catalogue. */
export type ErrorCode = NamesIn<'errors'>;

const rows: Record<string, ErrorRow> = {};

addErrors(REQUEST_ERRORS);
addErrors(HTTP_ERRORS);
addErrors(ACCESS_ERRORS);
addErrors(PERSONAL_DATA_ERRORS);

/**
 * The error catalogue: the one list of codes that GraphQL, REST, GET /v1/gw/errors and the
 * documents read. What the kernel and the transports raise comes first; every module adds its own
 * codes when it is registered, in the order of the contexts. A test holds it against the code both
 * ways.
 */
export const ERRORS = rows as Readonly<Record<ErrorCode, ErrorRow>>;

/**
 * Adds the codes of a module.
 * @throws TypeError for a code that is there already
 */
export function addErrors(added: Readonly<Record<string, StatedError>>): void {
  for (const [code, row] of Object.entries(added)) {
    if (Object.hasOwn(rows, code)) throw new TypeError(`the error ${code} is registered twice`);
    rows[code] = wholeRow(row);
  }
}

/**
 * The row of a code.
 * @throws TypeError where the module of the code was not loaded
 */
export function errorRow(code: ErrorCode): ErrorRow {
  const row = rows[code];
  if (!row) throw new TypeError(`the error ${code} is raised before its module is registered`);
  return row;
}
