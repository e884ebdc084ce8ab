import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { projectRoot } from './database/project-root.js';

/**
 * What a YAML file among the sources holds, as its schema reads it. `path` counts from the folder
 * of `package.json`, so that the sources and the build in `dist` read the same file.
 * @throws TypeError that names every fault of the file
 */
export function dataFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const text = readFileSync(join(projectRoot(), path), 'utf8');
  const faults = (what: string) => new TypeError(`${path} has faults:\n${what}`);
  let read: z.ZodSafeParseResult<z.output<S>>;
  try {
    read = schema.safeParse(parse(text));
  } catch (thrown) {
    throw faults(String(thrown));
  }
  if (read.success) return read.data;
  throw faults(z.prettifyError(read.error));
}

/** Words of a data file, in lower case. */
export const WORDS = z
  .string()
  .regex(/^[\p{Ll}\d]+(?: [\p{Ll}\d]+)*$/u, 'must be words in lower case')
  .transform((text): ReadonlySet<string> => new Set(text.split(' ')));

/** A regular expression of a data file; of several, any fits. */
export const PATTERN = z
  .union([z.string(), z.array(z.string())])
  .transform((parts) => new RegExp([parts].flat().join('|')));
