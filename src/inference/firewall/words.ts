import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';

/** Bits for what a word near a number says that the number is. */
export const LABEL = {
  inn: 1,
  snils: 2,
  ogrn: 4,
  passport: 8,
  phone: 16,
  card: 32,
  bank: 64,
  other: 128,
  series: 256,
  licence: 512,
  oms: 1024,
  kpp: 2048,
  plate: 4096,
  abroad: 8192,
} as const;

/** What a number may be called. */
export type LabelName = keyof typeof LABEL;

/** The names of all labels. */
export const LABEL_NAMES = Object.keys(LABEL) as LabelName[];

/** A list of parts of regular expressions. */
const patterns = z.array(z.string().min(1)).min(1);
/** Words that are looked up by their first two characters, which therefore stand for themselves. */
const headed = z.array(z.string().regex(/^[^\\[(.?*+|]{2}/)).min(1);

/** The words and codes by which detectors tell what a number or a name is. */
export const WORDS = dataFile(
  'src/inference/firewall/words.yaml',
  z.strictObject({
    labels: z.record(z.enum(LABEL_NAMES), headed),
    mistyped: z.partialRecord(z.enum(LABEL_NAMES), z.array(z.string().min(5))),
    births: z.array(z.string().min(5)),
    things: patterns,
    titles: z.strictObject({ stems: patterns, words: patterns }),
    anchors: z.strictObject({ documents: patterns, handles: patterns, addresses: patterns }),
    messengers: z.strictObject({
      services: patterns,
      contacts: patterns,
      fillers: patterns,
      no_names: patterns,
      pages: patterns,
    }),
    iban_lengths: z.record(z.string().regex(/^[A-Z]{2}$/), z.int().min(15).max(34)),
  }),
);
