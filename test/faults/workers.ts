import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { type Booked, embeddedConnection, openBooks } from './books.js';
import { chat, inParallel, type Seen } from './client.js';
import { type Folder, newUsedFolder, writeProviders } from './providers.js';

/** The processes of workers of a gateway. */
export function workersOf({ pid }: Pick<GatewayProcess, 'pid'>): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(
      ([, parent, ...words]) => Number(parent) === pid && words.join(' ').includes('serve.mjs'),
    )
    .map(([child]) => Number(child));
}

/** True while such a process runs; one that has ended may stay in the table for a while. */
export function isAlive(pid: number): boolean {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,stat=']).toString().split('\n');
  return rows.some((row) => {
    const [other, state = ''] = row.trim().split(/\s+/);
    return Number(other) === pid && !state.startsWith('Z');
  });
}

/** Samples of a metric by the worker that they are of; of several of a worker the sum. */
export async function figuresOf(url: string, metric: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const sums: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const [, name, worker = '', value] = /^(\w+)\{worker="(\w+)".*\} (\S+)$/.exec(line) ?? [];
    if (name === metric) sums[worker] = (sums[worker] ?? 0) + Number(value);
  }
  return sums;
}

/** Waits until all workers serve. */
export async function untilServing(url: string, workers: number): Promise<void> {
  for (;;) {
    const { primary } = await figuresOf(url, 'gw_workers_serving').catch(() => ({ primary: 0 }));
    if (primary === workers) return;
    await sleep(50);
  }
}

/** A gateway of two workers on an embedded database of its own. */
export interface TwoWorkers {
  readonly folder: Folder;
  readonly environment: NodeJS.ProcessEnv;
  /** @param settings in place of `environment` */
  start(settings?: NodeJS.ProcessEnv): Promise<GatewayProcess>;
}

/** Prepares the data folder; models are `<lane>/model` on the lanes of a double. */
export async function twoWorkers(
  origin: string,
  lanes: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<TwoWorkers> {
  const folder = await newUsedFolder();
  const models = lanes.map((lane) => ({ lane, model: `${lane}/model` }));
  const environment = {
    GW_WORKERS: '2',
    GW_NODE_ID: 'shared',
    GW_DATA_DIR: folder.path,
    GW_PROVIDERS_FILE: writeProviders(folder, origin, models),
    ...settings,
  };
  return { folder, environment, start: (given = environment) => startGateway(given) };
}

/** Whoever is refused or cut asks again after a while. */
const RETRY_MS = 50;

/** Requests at the same time. */
export const CONCURRENCY = 40;

const MESSAGES = [{ role: 'user', content: 'Расскажи о погоде.' }];

/** What request of this number asks: every fourth one is slow. */
export function bodyOf(index: number): Record<string, unknown> {
  const isSlow = index % 4 === 0;
  const model = isSlow ? 'slow/model' : 'quick/model';
  return { model, messages: MESSAGES, stream: isSlow || index % 2 === 0 };
}

/** Asks until `isEnough`. */
export async function load(
  url: string,
  credential: string,
  isEnough: () => boolean,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  await inParallel(CONCURRENCY, CONCURRENCY, async (index) => {
    for (let turn = 0; !isEnough(); turn += 1) {
      const one = await chat(url, { credential, body: bodyOf(index + turn) });
      seen.push(one);
      if (one.status !== 200) await sleep(RETRY_MS);
    }
  });
  return seen;
}

/** What the books say. */
export interface Standing {
  readonly violations: unknown;
  readonly booked: ReadonlyMap<string, Booked>;
}

/** Reads the books of the embedded database of a folder. */
export async function standing(folder: Folder): Promise<Standing> {
  const books = openBooks(embeddedConnection(folder.path));
  const [violations, booked] = [await books.violations(), await books.requests()];
  await books.close();
  return { violations, booked };
}

/** False so many times. */
export function once(times: number): () => boolean {
  let asked = 0;
  return () => {
    asked += 1;
    return asked > times;
  };
}
