// One target: installed, started, asked once, stopped.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { CHAT_PATH, chatBody, isAnswer } from './chat.mjs';
import { freePort, GATEWAY_CORE, LOAD_CORE, moveTo, sleep, spawnAt, tell } from './machine.mjs';
import { cpu, tree, used } from './proc.mjs';
import { UPSTREAM } from './upstream.mjs';

const START_MS_MAX = 60_000;
const ASK_MS_MAX = 10_000;
const STOP_MS_MAX = 15_000;
const BENCH = resolve(import.meta.dirname, '..');

/** Puts values into the `{NAME}` places of a text, a list or an object. */
function fill(value, names) {
  if (typeof value === 'string') {
    return value.replace(/\{([A-Z]+)\}/g, (all, name) => String(names[name] ?? all));
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, names)]));
}

/** Installs a target's packages into a folder of their own, once. */
export function installTarget(target, work) {
  const folder = join(work, 'peers', target.name);
  if (!target.install) return folder;
  const stamp = join(folder, '.installed');
  const wanted = JSON.stringify([target.install, target.packageJson]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const description = JSON.stringify({ private: true, ...target.packageJson });
  writeFileSync(join(folder, 'package.json'), description);
  tell(`installing ${target.install.join(' ')} for ${target.name}`);
  const words = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  execFileSync('npm', [...words, ...target.install], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stamp, wanted);
  return folder;
}

/**
 * Starts a target and waits for its first good answer.
 * @throws Error when it ends, or gives no good answer in time
 */
export async function startTarget(target, work) {
  const folder = join(work, 'run', target.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const names = {
    PORT: port,
    BASE: `http://127.0.0.1:${port}`,
    UPSTREAM: UPSTREAM.url,
    BENCH,
    WORK: folder,
    PEER: installTarget(target, work),
    NODE: process.execPath,
  };
  for (const file of target.files ?? [])
    writeFileSync(fill(file.to, names), fill(file.text, names));
  const running = new Running(target, names, folder);
  try {
    await running.untilServing();
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** A target that runs. */
class Running {
  #child;
  #ended;
  #startedMs = performance.now();

  constructor(target, names, folder) {
    this.target = target;
    this.names = names;
    const log = openSync(join(folder, 'log.txt'), 'a');
    const own = { PORT: '{PORT}', UPSTREAM: '{UPSTREAM}', PEER: '{PEER}', ...target.env };
    this.#child = spawnAt(GATEWAY_CORE, fill(target.start, names), {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'production', ...fill(own, names) },
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    process.on('exit', this.#kill);
    this.#child.on('exit', (code, signal) => {
      this.#ended = `it ended with ${code ?? signal}`;
    });
    this.#child.on('error', (error) => {
      this.#ended = String(error);
    });
  }

  get url() {
    return this.names.BASE + CHAT_PATH;
  }

  /** A chat request as this target is asked it. */
  chat(form = {}) {
    return chatBody({ ...form, model: this.target.model });
  }

  get headers() {
    return fill(this.target.headers ?? {}, this.names);
  }

  /** The processes of the target itself, without its services. */
  get processes() {
    const apart = new Set(this.services);
    return tree([this.#child.pid]).filter((pid) => !apart.has(pid));
  }

  /** The processes of the database that the target runs for itself. */
  get services() {
    const file = this.target.serviceOf && fill(this.target.serviceOf, this.names);
    if (!file || !existsSync(file)) return [];
    return tree([Number(readFileSync(file, 'utf8').split('\n')[0])]);
  }

  async untilServing() {
    if (this.target.ready) {
      await this.#until(async () => (await fetch(fill(this.target.ready, this.names))).ok);
      this.#noteStart();
      Object.assign(this.names, this.#setUp());
    }
    await this.#until(() => this.#answers());
    this.#noteStart();
    for (const pid of this.services) moveTo(LOAD_CORE, pid);
  }

  async stop() {
    process.off('exit', this.#kill);
    if (!this.#ended) this.#child.kill('SIGTERM');
    for (const end = Date.now() + STOP_MS_MAX; !this.#ended && Date.now() < end; ) await sleep(20);
    this.#kill();
  }

  #noteStart() {
    this.startMs ??= performance.now() - this.#startedMs;
    this.startCpuMs ??= used(new Map(), cpu(this.processes)).cpuUs / 1_000;
  }

  /** Ends what is left, its services too. */
  #kill = () => {
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  };

  /** The last line of the command's output is JSON: more names. */
  #setUp() {
    const [program, ...words] = fill(this.target.setup, this.names);
    const env = { ...process.env, BASE: this.names.BASE };
    const said = execFileSync(program, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return JSON.parse(said.toString().trim().split('\n').at(-1));
  }

  async #until(done) {
    const end = performance.now() + START_MS_MAX;
    for (let last = ''; ; await sleep(5)) {
      if (this.#ended) throw new Error(`${this.#ended} ${last}`);
      if (performance.now() > end) throw new Error(`no answer in time: ${last}`);
      try {
        if (await done()) return;
      } catch (error) {
        last = String(error.cause ?? error);
      }
    }
  }

  async #answers() {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...this.headers },
      body: JSON.stringify(this.chat()),
      signal: AbortSignal.timeout(ASK_MS_MAX),
    });
    const text = await response.text();
    if (response.ok && isAnswer(text)) return true;
    throw new Error(`${response.status} ${text.slice(0, 300)}`);
  }
}
