import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

/** A text with a telephone, in 60 signs of base64. */
export const CALL = 'Call +7 916 123-45-67 today, please, he waits';
export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const SIGNS = base64(CALL);

export const MASKING = { ...DEFAULT_MODES, phone: 'mask' } as const;
export const asked = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });

/** Base64 in rows of a width. */
export const rowsOf = (signs: string, width: number, end = '\n') =>
  signs.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${end}`);

/** Bytes that no text stands in. */
export const bytesOf = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at * at * 89 + at * 7 + 3) % 251));

/** What the firewall says of a text. */
export type Judgement = 'nothing' | 'read' | 'unread' | 'read and unread';

/** Whether a telephone is found in a content, and whether something in it counts as unread. */
export function judged(content: unknown): Judgement {
  const { findings, unread } = inspectRequest(asked(content), DEFAULT_MODES);
  const isRead = findings.some(({ class: code }) => code === 'phone');
  if (isRead) return unread.length > 0 ? 'read and unread' : 'read';
  return unread.length > 0 ? 'unread' : 'nothing';
}

/** A content as it leaves under a mask. */
export function masked(content: string): string {
  const { body } = inspectRequest(asked(content), MASKING);
  return String(body.messages[0]?.content);
}
