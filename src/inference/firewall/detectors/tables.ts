import type { Confidence, FindingClass } from '../../../kernel/firewall/vocabulary.js';
import type { Finding } from '../finding.js';

interface Column {
  readonly name: 'series' | 'number' | 'passport' | 'person' | 'birth' | 'address';
  readonly class: FindingClass;
  readonly confidence: Confidence;
  readonly header: RegExp;
  readonly value: { test(text: string): boolean };
}

const PERSON = '[А-ЯЁA-Z][а-яёa-zА-ЯЁA-Z.-]{0,30}(?: [А-ЯЁA-Z][а-яёa-zА-ЯЁA-Z.-]{0,30}){0,3}';
const column = (
  name: Column['name'],
  code: FindingClass,
  header: string,
  value: string | Column['value'],
  confidence: Confidence = 'confirmed',
): Column => ({
  name,
  class: code,
  confidence,
  header: new RegExp(`^(?:${header})$`, 'i'),
  value: typeof value === 'string' ? new RegExp(`^(?:${value})$`, 'u') : value,
});

const ADDRESS_CHARACTERS_MAX = 160;
const LETTER = /\p{L}/u;
const DIGIT_BEHIND = /\d\D{0,40}$/;
const NO_ADDRESS = /[;\t|]/;

/** A cell with a letter and, behind it, a number of a house or a flat near its end. */
const ADDRESS: Column['value'] = {
  test(text) {
    if (text.length > ADDRESS_CHARACTERS_MAX || NO_ADDRESS.test(text)) return false;
    const letter = text.search(LETTER);
    return letter >= 0 && DIGIT_BEHIND.test(text.slice(letter));
  },
};

/** What a column holds by the name in the first row; the first that fits decides. */
const COLUMNS: readonly Column[] = [
  column(
    'series',
    'passport',
    '(?:passport|паспорт|doc(?:ument)?)?[ _:,.]{0,2}(?:сери[яи]|series|seria)' +
      '(?:[ _](?:паспорта|документа))?',
    '\\d{2} ?\\d{2}',
  ),
  column(
    'number',
    'passport',
    '(?:passport|паспорт|doc(?:ument)?)?[ _:,.]{0,2}(?:номер|number|nomer|№)' +
      '(?:[ _](?:паспорта|документа))?',
    '\\d{6}',
  ),
  column(
    'passport',
    'passport',
    '(?:данные |серия и номер )?(?:паспорт[а-я]{0,2}|passport)(?: данные|_data|_no)?',
    '\\d{2} ?\\d{2}(?: ?№ ?| |-)?\\d{6}',
  ),
  column(
    'person',
    'person_name',
    'ф\\.? ?и\\.? ?о\\.?|фамилия|имя|отчество|(?:full|last|first|middle|sur)[ _]?name|fio',
    PERSON,
    'suspected',
  ),
  column(
    'birth',
    'birth_date',
    '(?:дата|день|год)[ _]рожд[а-я.]{0,5}|д\\.? ?р\\.?|' +
      '(?:date[ _]of[ _])?birth(?:[ _]?(?:date|day))?|dob',
    '\\d{1,2}[./-]\\d{1,2}[./-]\\d{4}|\\d{4}-\\d{2}-\\d{2}',
  ),
  column(
    'address',
    'postal_address',
    '(?:адрес|address)(?: [а-яa-z]{1,20}){0,2}',
    ADDRESS,
    'suspected',
  ),
];

interface Cell {
  readonly start: number;
  readonly text: string;
}

const DELIMITERS = [';', '\t', '|', ','] as const;
const HEADER_CHARACTERS_MAX = 600;
const CELLS_MAX = 64;
const NO_CELL_SIGN = /[\s"'«»*`]/;

/** The cells of a line; a delimiter within quotes divides nothing. */
function cellsOf(text: string, start: number, end: number, delimiter: string): Cell[] {
  const cells: Cell[] = [];
  let isQuoted = false;
  let from = start;
  for (let at = start; at <= end && cells.length < CELLS_MAX; at += 1) {
    const sign = at === end ? delimiter : text.charAt(at);
    if (sign === '"') isQuoted = !isQuoted;
    if (sign !== delimiter || (isQuoted && at < end)) continue;
    cells.push(bare(text, from, at));
    from = at + 1;
  }
  return cells;
}

function bare(text: string, start: number, end: number): Cell {
  let [from, to] = [start, end];
  while (from < to && NO_CELL_SIGN.test(text.charAt(from))) from += 1;
  while (to > from && NO_CELL_SIGN.test(text.charAt(to - 1))) to -= 1;
  return { start: from, text: text.slice(from, to) };
}

interface Head {
  readonly delimiter: string;
  readonly columns: readonly (Column | undefined)[];
}

/** The columns that a line names, where it names those of people. */
function headOf(text: string, start: number, end: number): Head | undefined {
  if (end - start > HEADER_CHARACTERS_MAX) return undefined;
  const line = text.slice(start, end);
  const delimiter = DELIMITERS.find((sign) => line.includes(sign));
  if (!delimiter) return undefined;
  const named = cellsOf(text, start, end, delimiter).map((cell) =>
    COLUMNS.find(({ header }) => header.test(cell.text)),
  );
  const names = new Set(named.map((each) => each?.name));
  const isOfDocument = names.has('series') && names.has('number');
  if (!isOfDocument && !names.has('passport') && !names.has('birth')) return undefined;
  const columns = named.map((each) => {
    const isHalf = each?.name === 'series' || each?.name === 'number';
    return isHalf && !isOfDocument ? undefined : each;
  });
  return { delimiter, columns };
}

/** A line without one of these names no column that makes a table one of people. */
const HEAD_WORD = /паспорт|passport|сери[яи]|seri(?:es|a)|рожд|birth|dob|д\.? ?р/gi;

/** The beginning of the next line from a place on that may name such columns, or -1. */
function nextHead(text: string, from: number): number {
  HEAD_WORD.lastIndex = from;
  const word = HEAD_WORD.exec(text);
  return word ? Math.max(from, text.lastIndexOf('\n', word.index) + 1) : -1;
}

/** The cells of people in tables whose first row names their columns: CSV, tabs and Markdown. */
export function detectTables(text: string): Finding[] {
  const found: Finding[] = [];
  let head: Head | undefined;
  for (let start = nextHead(text, 0); start >= 0 && start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    if (next < 0 && !head) break;
    if (!head || !addRow(text, start, end, head, found)) head = headOf(text, start, end);
    start = head ? end + 1 : nextHead(text, end + 1);
  }
  return found;
}

/** False where a line is no row of the table. */
function addRow(text: string, start: number, end: number, head: Head, found: Finding[]): boolean {
  const cells = cellsOf(text, start, end, head.delimiter);
  if (cells.length < 2) return false;
  for (const [at, cell] of cells.entries()) {
    const own = head.columns[at];
    if (!own?.value.test(cell.text)) continue;
    const { class: code, confidence } = own;
    found.push({ class: code, confidence, start: cell.start, end: cell.start + cell.text.length });
  }
  return true;
}
