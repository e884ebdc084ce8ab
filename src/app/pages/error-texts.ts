import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import { envelope } from './error-pages.js';
import { fenced, table } from './markdown.js';

const FOLDER = `${BASE_URL_PLACE}/docs/errors`;

/** The list of all codes as text, by status. */
export function errorListText(): string {
  const rows = Object.entries<ErrorRow>(ERRORS)
    .sort(([left, a], [right, b]) => a.status - b.status || left.localeCompare(right))
    .map(([code, { status, cause }]) => [
      String(status),
      `[\`${code}\`](${FOLDER}/${code}.md)`,
      cause,
    ]);
  return [
    '# Errors',
    '',
    'Every failure has a code of this list: in REST as `error.code`, in GraphQL as',
    '`extensions.code`. What made a request fail, and the smallest change that makes it pass, is',
    `asked at \`POST ${BASE_URL_PLACE}/v1/gw/devex/debug\`. See also`,
    `[the operations](${BASE_URL_PLACE}/docs/operations.md).`,
    '',
    ...table(['Status', 'Code', 'Cause'], rows),
    '',
  ].join('\n');
}

/** The page of one code as text; undefined for a code that the catalogue lacks. */
export function errorText(code: string): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const row: ErrorRow = ERRORS[code as ErrorCode];
  return [
    `# ${code}`,
    '',
    row.cause,
    '',
    `- Status: ${row.status}`,
    `- Type: \`${row.type}\``,
    `- Message: ${row.message}`,
    '',
    '## What to do',
    '',
    ...row.fix.map((step, index) => `${index + 1}. ${step}`),
    '',
    '## How it looks',
    '',
    ...fenced('json', JSON.stringify(envelope(code, row), null, 2)),
    '',
    `Words in braces are filled in. [All errors](${FOLDER}.md)`,
    '',
  ].join('\n');
}
