// Where a program of the machine is.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program by the search path; undefined where there is none. */
export function findProgram(name, searchPath = process.env.PATH ?? '') {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
