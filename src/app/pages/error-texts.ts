import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import { describedIn } from '../../kernel/errors/told.js';
import { ERROR_PAGES } from './error-page-texts.js';
import { envelope, errorsByStatus } from './error-pages.js';
import { fenced, table } from './markdown.js';
import { placedLink, type Reading } from './reading.js';

/** A link to the page of a code as text. */
export function errorLink(code: string, reading: Reading): string {
  return `[\`${code}\`](${placedLink(reading, `/docs/errors/${code}.md`)})`;
}

/** The list of all codes as text, by status. */
export function errorListText(reading: Reading): string {
  const texts = ERROR_PAGES[reading.language];
  const rows = errorsByStatus().map(([code, row]) => [
    String(row.status),
    errorLink(code, reading),
    describedIn(row, reading.language).cause,
  ]);
  const operations = placedLink(reading, '/docs/operations.md');
  return [
    `# ${texts.title}`,
    '',
    ...texts.ideaOfText(`POST ${BASE_URL_PLACE}/v1/gw/devex/debug`, operations),
    '',
    ...table([texts.status, texts.code, texts.cause], rows),
    '',
  ].join('\n');
}

/** The page of one code as text; undefined for a code that the catalogue lacks. */
export function errorText(code: string, reading: Reading): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const row: ErrorRow = ERRORS[code as ErrorCode];
  const { language } = reading;
  const texts = ERROR_PAGES[language];
  const { message, cause, fix } = describedIn(row, language);
  return [
    `# ${code}`,
    '',
    cause,
    '',
    `- ${texts.status}: ${row.status}`,
    `- ${texts.type}: \`${row.type}\``,
    `- ${texts.message}: ${message}`,
    '',
    `## ${texts.whatToDo}`,
    '',
    ...fix.map((step, index) => `${index + 1}. ${step}`),
    '',
    `## ${texts.howItLooks}`,
    '',
    ...fenced('json', JSON.stringify(envelope(code, row, language), null, 2)),
    '',
    `${texts.filledIn} [${texts.all}](${placedLink(reading, '/docs/errors.md')})`,
    '',
  ].join('\n');
}
