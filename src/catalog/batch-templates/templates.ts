import { z } from 'zod';
import { dataFile } from '../../platform/data-file.js';
import { BATCH_JOB_TYPES } from './vocabulary.js';

const WORD = z.string().regex(/^[a-z][a-z0-9_]*$/);
const TOKENS = z.int().min(0).max(100_000);

const TEMPLATE = z.strictObject({
  code: WORD,
  title: z.string().min(1).max(120),
  use_case: WORD,
  job_type: z.enum(BATCH_JOB_TYPES.codes),
  sla_hours: z.int().min(1).max(168),
  model: z.string().min(1).max(120),
  instruction_tokens: TOKENS,
  row_input_tokens: TOKENS.min(1),
  row_output_tokens: TOKENS,
  rows_per_request: z.int().min(1).max(1_000),
  check_rows: z.int().min(0).max(1_000),
});

/** What the file of templates must be; its JSON Schema follows from it. */
export const BATCH_TEMPLATES_FILE = z.strictObject({ templates: z.array(TEMPLATE).min(1) });

/** Where the templates stand. */
export const BATCH_TEMPLATES_PATH = 'src/catalog/batch-templates/templates.yaml';

/** The templates of batch work, in the order of the file. */
export const BATCH_TEMPLATES = dataFile(BATCH_TEMPLATES_PATH, BATCH_TEMPLATES_FILE).templates;

/** A template as the file says it. */
export type BatchTemplate = (typeof BATCH_TEMPLATES)[number];
