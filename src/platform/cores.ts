import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Where the kernel tells a container its limits: cgroup v2 and v1. */
const CONTROLS = '/sys/fs/cgroup';

/**
 * How many cores this process can keep busy: those it may run on, or fewer where its container may
 * use less time than that, whole ones and at least one.
 * @param controls the folder in which the limits stand
 */
export function coresAtHand(controls: string = CONTROLS): number {
  const limit = limitOf(controls) ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(limit)));
}

/** The limit in cores; undefined where there is none or nobody tells. */
function limitOf(controls: string): number | undefined {
  const [quota, period] = wordsOf(join(controls, 'cpu.max')) ?? [
    ...(wordsOf(join(controls, 'cpu', 'cpu.cfs_quota_us')) ?? []),
    ...(wordsOf(join(controls, 'cpu', 'cpu.cfs_period_us')) ?? []),
  ];
  const cores = Number(quota) / Number(period);
  // `max` in the one and -1 in the other mean that there is no limit.
  return cores > 0 ? cores : undefined;
}

function wordsOf(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, 'utf8').trim().split(' ');
  } catch {
    return undefined;
  }
}
