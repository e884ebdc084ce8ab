import { isUtf8 } from 'node:buffer';

const HEAD_SIGNS = 32;
/** Bytes that begin no text by themselves. */
const NO_TEXT = Uint8Array.from({ length: 0x100 }, (_, byte) =>
  byte < 32 && ![0, 4, 9, 10, 12, 13, 27].includes(byte) ? 1 : 0,
);

/** False for most bytes that are no text, by the first of them. */
export function beginsAsText(payload: string): boolean {
  const head = Buffer.from(payload.slice(0, HEAD_SIGNS), 'base64');
  const isHalf = (byte: number | undefined) => byte === 0 || byte === 4;
  // The half of a letter in UTF-16 may be any byte.
  const isText = head.every(
    (byte, at) => NO_TEXT[byte] !== 1 || isHalf(head[at - 1]) || isHalf(head[at + 1]),
  );
  return isText || isUtf8(withoutHalves(head));
}

const LETTER_BYTES_MAX = 4;

/** Bytes without the halves of letters in UTF-8 that a cut has left at both ends. */
export function withoutHalves(bytes: Buffer): Buffer {
  const isLater = (byte = 0) => byte >= 0x80 && byte < 0xc0;
  let begin = 0;
  while (begin < LETTER_BYTES_MAX - 1 && isLater(bytes[begin])) begin += 1;
  for (let back = 1; back < LETTER_BYTES_MAX; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isLater(byte)) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return bytes.subarray(begin, size > back ? bytes.length - back : bytes.length);
  }
  return bytes.subarray(begin);
}
