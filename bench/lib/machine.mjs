// Processes, cores and ports.
import { execFileSync, spawn } from 'node:child_process';
import net from 'node:net';
import { cpus } from 'node:os';

/** The gateway has a core of its own; load, upstream and databases share the other one. */
export const GATEWAY_CORE = 0;
export const LOAD_CORE = 1;

let pinned = false;

/** Keeps processes on their cores from now on, where there are two. */
export function pinProcesses() {
  pinned = cpus().length >= 2 && exists('taskset', ['--version']);
  if (pinned) moveTo(LOAD_CORE, process.pid);
  return pinned;
}

/** True while processes are kept on cores. */
export function isPinned() {
  return pinned;
}

/** Moves a running process, and with it what it will start, to a core. */
export function moveTo(core, pid) {
  if (!pinned) return;
  try {
    execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
  } catch {
    // A process that has ended meanwhile needs no core.
  }
}

/** True where a program is installed. */
export function exists(program, words) {
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch (error) {
    return error.code !== 'ENOENT';
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const tell = (line) => process.stderr.write(`${line}\n`);

/** Starts a program on a core. */
export function spawnAt(core, [program, ...words], options) {
  const all = pinned ? ['taskset', '-c', String(core), program, ...words] : [program, ...words];
  return spawn(all[0], all.slice(1), options);
}

/** Runs a program on the load's core. @returns what it said @throws Error when it fails */
export function runLoad(command) {
  return new Promise((resolve, reject) => {
    const child = spawnAt(LOAD_CORE, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let failed = '';
    child.stdout.on('data', (piece) => {
      said += piece;
    });
    child.stderr.on('data', (piece) => {
      failed += piece;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`${command[0]} ended with ${code}: ${failed.slice(-400)}`));
    });
  });
}

function isOpen(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Waits for a listener. @throws Error when none comes in time */
export async function untilOpen(port, ms) {
  const end = Date.now() + ms;
  while (!(await isOpen(port))) {
    if (Date.now() > end) throw new Error(`nothing listens on ${port} after ${ms} ms`);
    await sleep(5);
  }
}

/** A port that nobody listens on. */
export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
