import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PARSED_FILES } from './build-facts.js';
import { projectRoot } from './database/project-root.js';

/**
 * What a YAML file among the sources holds. `path` counts from the folder of `package.json`.
 * @throws YAMLParseError for a file that is no YAML
 */
export function yamlFile(path: string): unknown {
  const parsed = PARSED_FILES[path];
  if (parsed !== undefined) return JSON.parse(parsed);
  return parse(readFileSync(join(projectRoot(), path), 'utf8'));
}

/**
 * What a YAML file among the sources holds, as its schema reads it.
 * @throws TypeError that names every fault of the file
 */
export function dataFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  const faults = (what: string) => new TypeError(`${path} has faults:\n${what}`);
  let read: z.ZodSafeParseResult<z.output<S>>;
  try {
    read = schema.safeParse(yamlFile(path));
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
