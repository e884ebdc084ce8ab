import type { UnreadKind } from '../../kernel/firewall/contents.js';
import { HEXADECIMAL } from './base64-bytes.js';
import type { Ends } from './base64-rows.js';
import { unreadInText } from './unread.js';
import { writingOf } from './writings.js';

/** Shorter hexadecimal digits are digests and keys where they are no text. */
const HEXADECIMAL_CHARACTERS_MIN = 256;
/** What precedes hexadecimal digits in programs and in databases. */
const LEAD = /^0?x/i;
const LINES = /(?:\\r)?\\n|[\s>]/g;

/** Hexadecimal digits: what they carry, and the way to write another text in their place. */
interface InHexadecimal {
  readonly written: string;
  readonly unread: UnreadKind | undefined;
  readonly isNameless?: boolean;
  readonly read: { readonly text: string; readonly encode: (text: string) => string } | undefined;
}

/** A text in hexadecimal digits; and many digits in one row that are none, which nothing reads. */
export function inHexadecimal(
  text: string,
  begin: number,
  { tries, whole }: Ends,
): InHexadecimal | undefined {
  for (const end of tries) {
    const written = text.slice(begin, end);
    const signs = written.replace(LINES, '');
    const [lead = ''] = LEAD.exec(signs) ?? [];
    const digits = signs.slice(lead.length);
    if (digits.length % 2 === 1 || !HEXADECIMAL.test(digits)) continue;
    const writing = writingOf(Buffer.from(digits, 'hex'));
    if (!writing?.isCertain) continue;
    const encode = (changed: string) => lead + writing.encode(changed).toString('hex');
    const isLong = digits.length >= HEXADECIMAL_CHARACTERS_MIN;
    const unread = isLong ? unreadInText('', writing) : undefined;
    return { written, unread, read: { text: writing.text, encode } };
  }
  const row = text.slice(begin, whole);
  if (row.length < HEXADECIMAL_CHARACTERS_MIN || !HEXADECIMAL.test(row)) return undefined;
  if (!/\d/.test(row) || !/[a-f]/i.test(row)) return undefined;
  return { written: row, unread: 'file', isNameless: true, read: undefined };
}
