import { createHash } from 'node:crypto';

/** The sha256 of a text in UTF-8, as 64 hexadecimal digits: computed apart from the product. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
