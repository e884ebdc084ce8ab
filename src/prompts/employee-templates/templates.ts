import { z } from 'zod';
import { DATA_CLASSES, FINDING_CLASSES } from '../../kernel/firewall/vocabulary.js';
import { dataFile } from '../../platform/data-file.js';
import { DEPARTMENTS } from './vocabulary.js';

const WORD = z.string().regex(/^[a-z][a-z0-9_]*$/);
const codesOf = <C extends string>(rows: readonly { readonly code: C }[]) =>
  rows.map(({ code }) => code);

const VARIABLE = z.strictObject({
  name: WORD,
  description: z.string().min(1).max(200),
  example: z.string().min(1).max(2_000),
});

const TEMPLATE = z.strictObject({
  code: WORD,
  department: z.enum(DEPARTMENTS.codes),
  title: z.string().min(1).max(120),
  purpose: z.string().min(1).max(300),
  ceiling: z.enum(codesOf(DATA_CLASSES)),
  template: z.string().min(1).max(10_000),
  variables: z.array(VARIABLE).min(1).max(10),
  check: z.strictObject({
    text: z.string().min(1).max(500),
    finds: z.enum(codesOf(FINDING_CLASSES)),
  }),
});

/** What the file of templates must be; its JSON Schema follows from it. */
export const EMPLOYEE_TEMPLATES_FILE = z.strictObject({ templates: z.array(TEMPLATE).min(1) });

/** Where the templates stand. */
export const EMPLOYEE_TEMPLATES_PATH = 'src/prompts/employee-templates/templates.yaml';

/** The approved prompts, in the order of the file. */
export const EMPLOYEE_TEMPLATES = dataFile(
  EMPLOYEE_TEMPLATES_PATH,
  EMPLOYEE_TEMPLATES_FILE,
).templates;

/** An approved prompt as the file says it. */
export type EmployeeTemplate = (typeof EMPLOYEE_TEMPLATES)[number];
