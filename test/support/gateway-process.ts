import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../src/platform/database/project-root.js';

/** A gateway as a process of its own, which can be killed without the test. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has written to its standard output and error so far. */
  logs(): string;
  /** Ends it with SIGKILL and waits for its end. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for its end. @returns its exit code, null when a signal ended it */
  terminate(): Promise<number | null>;
}

const READY_MS_MAX = 60_000;
const LOOK_EVERY_MS = 20;

const running = new Set<ChildProcess>();

/**
 * Starts the built server with these settings on top of those of tests, and waits until it is ready
 * for requests. Of the environment of the test run it sees nothing.
 * @param root the folder of another tree that was built already, such as a release
 * @throws Error with its output when it ends before that or is not ready within a minute
 */
export async function startGateway(
  environment: NodeJS.ProcessEnv,
  root?: string,
): Promise<GatewayProcess> {
  const server = root === undefined ? builtServer() : SERVER;
  const child = spawn(process.execPath, [server], {
    cwd: root ?? projectRoot(),
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      GW_SECRET: 'a secret for tests that is long enough',
      GW_REGISTRATIONS_PER_MINUTE: '10000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  child.stdout?.on('data', (part: Buffer) => {
    output += part.toString();
  });
  child.stderr?.on('data', (part: Buffer) => {
    output += part.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then(() => running.delete(child));
  const url = await readyUrl(child, () => output);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    logs: () => output,
    kill: async () => {
      await end('SIGKILL');
    },
    terminate: () => end('SIGTERM'),
  };
}

/** Ends whatever a failed test has left running; for `afterAll`. */
export async function killGateways(): Promise<void> {
  const left = [...running];
  const ended = left.map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(ended);
}

async function readyUrl(child: ChildProcess, output: () => string): Promise<string> {
  const deadlineMs = performance.now() + READY_MS_MAX;
  while (performance.now() < deadlineMs) {
    const port = /http:\/\/localhost:(\d+)/.exec(output())?.[1];
    if (port !== undefined && (await answersReady(`http://127.0.0.1:${port}`))) {
      return `http://127.0.0.1:${port}`;
    }
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the gateway ended before it was ready:\n${output()}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the gateway was not ready within ${READY_MS_MAX} ms:\n${output()}`);
}

async function answersReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

const SERVER = join('tools', 'serve.mjs');

let isBuilt = false;

/** The server of a build that was made from the sources as they are now. */
function builtServer(): string {
  if (!isBuilt) execFileSync(process.execPath, ['tools/build.mjs'], { cwd: projectRoot() });
  isBuilt = true;
  return SERVER;
}
