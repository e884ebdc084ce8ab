import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';

const words = z.string().transform((list): ReadonlySet<string> => new Set(list.split(' ')));

const UNREAD = dataFile(
  'src/inference/firewall/unread-positions.yaml',
  z.strictObject({
    positions: z.array(
      z.strictObject({
        code: z.string().regex(/^[a-z_]+$/),
        positions: z.string().min(1),
        description: z.string().min(1),
      }),
    ),
    wire_names: words,
    closed_values: words,
  }),
);

/** Where a request is not read by the firewall; the published list. */
export const UNREAD_POSITIONS = UNREAD.positions;

/** Names of members that the wire has, so that they can hold nothing of a client's. */
export const WIRE_NAMES = UNREAD.wire_names;

/** Words of the wire that stand for themselves. */
export const CLOSED_VALUES = UNREAD.closed_values;

const NUMBER_READ_FROM = 100_000_000;

/** Members that hold the series or the number of a document, which are short. */
const OF_DOCUMENT = /(?:passport|паспорт|seri(?:es|a)|сери[яи]|number|номер)$/i;
const DOCUMENT_DIGITS = { from: 1_000, below: 1_000_000 } as const;

/**
 * A number that may be an identifier as the text that it leaves as; undefined for any other one.
 * Beyond 2^53 it is the number that JSON makes of it: its last digits are lost.
 * @param name of the member that it stands in
 */
export function readableNumber(value: number, name = ''): string | undefined {
  if (value < NUMBER_READ_FROM && value > -NUMBER_READ_FROM) {
    const { from, below } = DOCUMENT_DIGITS;
    const isShort = Number.isInteger(value) && value >= from && value < below;
    return isShort && OF_DOCUMENT.test(name) ? String(value) : undefined;
  }
  return Math.abs(value) < 1e21 ? String(value) : undefined;
}
