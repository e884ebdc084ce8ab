import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './project.mjs';

const FOLDER = join(ROOT, '.cache');
const RETRY_MS = 100;

/**
 * Does the work while no other process of this project does work under the same name. The lock is
 * a folder that names its holder; one whose holder is gone (kill -9) is taken over.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  const lock = join(FOLDER, `${name}.lock`);
  let told = false;
  while (!take(lock)) {
    if (removeIfLeft(lock)) continue;
    if (!told) console.error(`waiting for another process that is at the step "${name}"`);
    told = true;
    await sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** The folder comes into place with its holder's name in it, or not at all. */
function take(lock) {
  const mine = `${lock}.${process.pid}`;
  mkdirSync(mine, { recursive: true });
  writeFileSync(join(mine, 'pid'), String(process.pid));
  try {
    renameSync(mine, lock);
    return true;
  } catch {
    rmSync(mine, { recursive: true, force: true });
    return false;
  }
}

function removeIfLeft(lock) {
  const holder = holderOf(lock);
  if (holder === undefined || isRunning(holder)) return false;
  const aside = `${lock}.left.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return false;
  }
  // Somebody may have taken the lock over since it was looked at: then it goes back.
  if (holderOf(aside) === holder) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, lock);
  return true;
}

function holderOf(lock) {
  try {
    return Number(readFileSync(join(lock, 'pid'), 'utf8'));
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
