// Where tests keep their folders. Each database of a test has a thousand files, which a disk makes
// and removes slowly; what tests write may be lost with the machine.
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
const FREE_BYTES_MIN = 4 * 1_024 ** 3;

/** A folder in memory with room for the tests, from which programs may be run; else undefined. */
export function findMemoryFolder() {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === FOLDER)?.[3];
    const runs = options !== undefined && !options.split(',').includes('noexec');
    return runs && bavail * bsize >= FREE_BYTES_MIN ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}
