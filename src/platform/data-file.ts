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
  const read = schema.safeParse(parse(readFileSync(join(projectRoot(), path), 'utf8')));
  if (read.success) return read.data;
  throw new TypeError(`${path} has faults:\n${z.prettifyError(read.error)}`);
}
