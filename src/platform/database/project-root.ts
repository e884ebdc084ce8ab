import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that holds `package.json`, found upwards from this file, so that files which are not
 * compiled (migrations, operations) are the same ones for the sources and for the build in `dist`.
 */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json was found above the program');
    folder = parent;
  }
  return folder;
}
