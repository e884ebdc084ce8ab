import { z } from 'zod';
import { dataFile, WORDS } from '../../platform/data-file.js';

const FILE = z.strictObject({
  wire: WORDS,
  products: WORDS,
  workflow: WORDS,
  language: WORDS,
  model: WORDS,
  model_families: WORDS,
  host_labels: WORDS,
  numbers: z.record(z.string(), z.tuple([z.number(), z.number()])),
});

const LISTS = dataFile('src/delivery/migration-import/harmless-words.yaml', FILE);
const { wire, products, workflow, language, model } = LISTS;

/** Every word that may be shown wherever it stands, except under the name of a secret. */
export const HARMLESS_WORDS: ReadonlySet<string> = new Set(
  [wire, products, workflow, language, model].flatMap((words) => [...words]),
);

/** Words of which a name has one when it is the name of a model. */
export const MODEL_FAMILIES = LISTS.model_families;

/** Labels under which providers serve; others are names of customers. */
export const HOST_LABELS = LISTS.host_labels;

/** Parameters whose numbers may be shown, by the end of their name: lowest and highest. */
export const NUMBERS = new Map(Object.entries(LISTS.numbers));
