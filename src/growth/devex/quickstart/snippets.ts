import { z } from 'zod';
import { dataFile } from '../../../platform/data-file.js';
import { STACKS } from '../vocabulary.js';

/** Stands in snippets and documents for the address that the caller used. */
export const BASE_URL_PLACE = '{base_url}';

const FILE = z.strictObject(
  Object.fromEntries(STACKS.codes.map((code) => [code, z.string().includes(BASE_URL_PLACE)])),
);

const SNIPPETS: Readonly<Record<string, string>> = dataFile(
  'src/growth/devex/quickstart/snippets.yaml',
  FILE,
);

/** What may stand in an address without ending a text of any language, or of a shell. */
const NOT_PLAIN = /[^\w.~:/[\]%-]/g;

/** An address that can be printed into code: what could end a text there is percent-encoded. */
export function printable(baseUrl: string): string {
  return baseUrl.replace(NOT_PLAIN, percentEncoded);
}

/** By its bytes, since `encodeURIComponent` leaves quotes and brackets as they are. */
function percentEncoded(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** The snippet of a stack, with the place of the address. */
export function snippetTemplate(stack: string): string {
  return SNIPPETS[stack] ?? '';
}

/** The snippet of a stack at an address, as it is printed and run. */
export function snippetOf(stack: string, baseUrl: string): string {
  return snippetTemplate(stack).replaceAll(BASE_URL_PLACE, () => printable(baseUrl));
}
