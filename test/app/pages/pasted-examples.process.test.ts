import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RecordedAnswer, readAnswers } from '../../../rest-compat/answers.js';
import { type ExampleOrigin, operationIdOf } from '../../../rest-compat/example-sources.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { ANSWERS_FILE } from '../../../src/app/description.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { backdateTenants } from '../../rest-compat/conformance/examples.js';
import { rest, startApp, type TestApp } from '../../support/app.js';

/** One bash in which everything is pasted; each status goes to standard error. */
class Shell {
  private readonly folder = mkdtempSync(join(tmpdir(), 'gw-paste-'));
  private readonly bash: ChildProcess;
  private pasted = 0;

  constructor() {
    this.bash = spawn('bash', ['--noprofile', '--norc'], {
      env: { PATH: process.env.PATH, HOME: this.folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.write(`curl() { command curl -w '%{stderr}status %{http_code}\\n' "$@"; }\n`);
  }

  /** Pastes a script and waits until it has run. */
  async paste(script: string): Promise<{ readonly text: string; readonly status: number }> {
    this.pasted += 1;
    const [out, err] = ['out', 'err'].map((end) => join(this.folder, `${this.pasted}.${end}`));
    const done = this.bash.stdout && once(this.bash.stdout, 'data');
    this.write(`{\n${script}\n} > ${out} 2> ${err}\necho done\n`);
    await done;
    const statuses = [...readFileSync(err ?? '', 'utf8').matchAll(/^status (\d+)$/gm)];
    return { text: readFileSync(out ?? '', 'utf8'), status: Number(statuses.at(-1)?.[1]) };
  }

  async close(): Promise<void> {
    this.bash.stdin?.end();
    await once(this.bash, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private write(text: string): void {
    this.bash.stdin?.write(text);
  }
}

interface Pasted {
  readonly operation: string;
  readonly status: number;
  readonly expected: number;
  readonly text: string;
  /** Members that the published answer has and this one lacks. */
  readonly lacks: readonly string[];
}

/** What seals a period that is over, which an organization of today does not have. */
const OF_ENDED_PERIODS = ['sealBillingIntegrity', 'closeMonth'];

let app: TestApp;
let rows: ReadonlyMap<string, CompiledRow>;
const answers = readAnswers(ANSWERS_FILE);
beforeAll(async () => {
  app = await startApp();
  const { rows: all } = await loadRestTable();
  rows = new Map(all.map((row) => [operationIdOf(row), row]));
});
afterAll(() => app?.stop());

/** The blocks of a document in a language, in their order. */
function blocksOf(document: string, language: string): string[] {
  const text = readFileSync(join(projectRoot(), document), 'utf8');
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...found].map(([, block = '']) => block);
}

const read = async (path: string) => (await fetch(app.url + path)).text();

/** The operations in the order of their index, each with the script of its page. */
async function publishedScripts(): Promise<[string, string][]> {
  const index = await read('/docs/operations.md');
  const ids = [...index.matchAll(/docs\/operations\/(\w+)\.md/g)].map(([, id = '']) => id);
  const scripts: [string, string][] = [];
  for (const id of ids) {
    const page = await read(`/docs/operations/${id}.md`);
    scripts.push([id, page.match(/## Example request\n\n```sh\n([\s\S]*?)\n```/)?.[1] ?? '']);
  }
  return scripts;
}

/** The answer that ends a text: scripts may show those before it. */
function lackedBy(text: string, recorded: RecordedAnswer | undefined): string[] {
  if (recorded?.contentType !== 'application/json') return text === '' ? ['an answer'] : [];
  const members = Object.keys((recorded.body ?? {}) as object);
  const own = text.slice(text.lastIndexOf('\n{') + 1);
  const answer = JSON.parse(own) as object;
  return Array.isArray(answer) ? [] : members.filter((name) => !(name in answer));
}

async function operatorBegins(): Promise<void> {
  const { platformAdmins } = app.server.services.config;
  const users = await app.owner.prisma.user.findMany();
  for (const { id } of users) (platformAdmins as Set<string>).add(id);
}

describe('the examples of the operations', () => {
  const pasted: Pasted[] = [];
  const shell = new Shell();
  afterAll(() => shell.close());
  beforeAll(async () => {
    for (const [operation, script] of await publishedScripts()) {
      const row = rows.get(operation);
      if (OF_ENDED_PERIODS.includes(operation)) await backdateTenants(app);
      const { text, status } = await shell.paste(script);
      if (operation === 'registerTenant') await operatorBegins();
      const expected = row?.contract.status ?? 0;
      const lacks = status === expected ? lackedBy(text, answers.get(row?.name ?? '')) : [];
      pasted.push({ operation, status, expected, text: text.slice(-500), lacks });
    }
  }, 300_000);

  it('are all answered as published when they are pasted in order on a fresh server', () => {
    expect(pasted.filter(({ status, expected }) => status !== expected)).toEqual([]);
    expect(pasted.filter(({ lacks }) => lacks.length > 0)).toEqual([]);
    expect(pasted.length).toBeGreaterThan(300);
  });

  it('leave books behind whose proof SECURITY.md repeats as it stands', async () => {
    const [proof = ''] = blocksOf('SECURITY.md', 'sh');
    expect(proof).toContain('verify-transparency-log.mjs');
    await shell.paste(`cd && ln -s '${projectRoot()}/tools' tools && BASE='${app.url}'`);
    const { text, status } = await shell.paste(`KEY="$GW_API_KEY"\n${proof}`);
    expect([status, text]).toEqual([200, expect.stringContaining('0 faults')]);
  });

  it('of README in GraphQL and JSON are answered for the same member', async () => {
    const { text: credential } = await shell.paste('printf %s "$GW_API_KEY"');
    const [context = ''] = blocksOf('README.md', 'json');
    const body: unknown = JSON.parse(context);
    const chat = await rest(app, 'POST', '/v1/chat/completions', { credential, body });
    expect([chat.status, Object.keys(chat.body)]).toEqual([
      200,
      expect.arrayContaining(['choices', 'gw_context']),
    ]);
    const [query = ''] = blocksOf('README.md', 'graphql');
    const messages = [{ role: 'user', content: 'Hello!' }];
    for (const [operationName, answered] of [
      ['Ask', 'chatCompletionCreate'],
      ['AskTyped', 'chatComplete'],
    ]) {
      const variables = { input: { model: 'gw:auto', messages } };
      const asked = { query, operationName, variables };
      const { body: answer } = await rest(app, 'POST', '/graphql', { credential, body: asked });
      expect(answer).toMatchObject({ data: { [answered ?? '']: { choices: [{}] } } });
    }
  });

  it('keep one thing in each variable', async () => {
    const { paths } = JSON.parse(await read('/openapi.json')) as {
      paths: Record<string, Record<string, { 'x-example-from'?: readonly ExampleOrigin[] }>>;
    };
    const origins = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap((each) => each['x-example-from'] ?? []);
    const sources = new Map<string, Set<string>>();
    for (const { operationId, take } of origins) {
      for (const { variable, member } of take) {
        const known = sources.get(variable) ?? new Set();
        sources.set(variable, known.add(`${operationId} ${member}`));
      }
    }
    expect([...sources].filter(([, each]) => each.size > 1)).toEqual([]);
    expect(sources.size).toBeGreaterThan(50);
  });

  it('hold no made-up id', async () => {
    const scripts = await publishedScripts();
    const made = scripts.filter(([, script]) => /0197[0-9a-f]{4}-/.test(script));
    expect(made.map(([operation]) => operation)).toEqual([]);
  });
});
