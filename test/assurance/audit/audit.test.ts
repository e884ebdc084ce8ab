import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cefLine } from '../../../src/assurance/audit/cef.rules.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import type { ExportedEvent } from '../../../src/records/audit-chain.js';
import { chainHash } from '../../../src/records/audit-chain.rules.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { FILES } from '../../tidy/files.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
  folder = await mkdtemp(join(tmpdir(), 'gw-audit-'));
  for (const name of ['one', 'two', 'three', 'four']) await newPolicy(name);
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

const newPolicy = (name: string, who = customer) =>
  rest(app, 'POST', '/v1/gw/policies', { credential: who.token, body: { name } });

async function exported(query = '', who = customer): Promise<string> {
  const path = `/v1/gw/audit/export${query}`;
  const { status, body } = await rest<string>(app, 'GET', path, { credential: who.token });
  expect(status).toBe(200);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The export once it holds as many events: one waits for what a running transaction holds back. */
async function wholeExport(query = '', lines = 6): Promise<string> {
  await expect
    .poll(async () => (await exported(query)).split('\n').length, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(lines + 1);
  return exported(query);
}

const events = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportedEvent);

const run = promisify(execFile);
const VERIFIER = join(projectRoot(), 'tools/verify-audit-export.mjs');

/** What the verifier says of texts, each as a file; it gets nothing of the environment. */
async function verified(...texts: (string | Buffer)[]) {
  return verifiedWith([], ...texts);
}

/** The same with options. */
async function verifiedWith(options: readonly string[], ...texts: (string | Buffer)[]) {
  const names = texts.map((_, index) => join(folder, `${index}.txt`));
  await Promise.all(texts.map((text, index) => writeFile(names[index] ?? '', text)));
  const said = await run(process.execPath, [VERIFIER, ...options, ...names], { env: {} }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  );
  return { ...said, text: said.text.replaceAll(`${folder}/`, '') };
}

describe('the reference', () => {
  it('is public and lists kinds, fields, retention and the rule of the chain', async () => {
    const { status, body } = await rest<{
      kinds: { code: string; description: string }[];
      fields: { code: string }[];
      retention: string;
      chain_rule: string;
      verifier: string;
    }>(app, 'GET', '/v1/gw/audit/reference');
    expect(status).toBe(200);
    expect(body.kinds.filter(({ description }) => description === '')).toEqual([]);
    expect(body.chain_rule).toContain('SHA-256');
    expect(body.retention).toContain('never deleted');
    const [line = ''] = (await wholeExport()).split('\n');
    expect(body.fields.map(({ code }) => code)).toEqual(Object.keys(JSON.parse(line)));
    expect(FILES.some(({ path }) => path === body.verifier)).toBe(true);
  });

  it('names every kind that the code records', async () => {
    const { body } = await rest<{ kinds: { code: string }[] }>(
      app,
      'GET',
      '/v1/gw/audit/reference',
    );
    const known = new Set(body.kinds.map(({ code }) => code));
    const recorded = FILES.filter(
      ({ path }) => path.startsWith('src/') && !path.includes('generated'),
    )
      .flatMap(({ text }) => [...text.matchAll(/action: '(\w+)',\s+subject: '/g)])
      .map(([, action]) => action ?? '');
    expect(recorded.length).toBeGreaterThan(40);
    expect(recorded.filter((action) => !known.has(action))).toEqual([]);
    for (const none of ['authLogin', 'chatCompletionCreate', 'toolCallApprove']) {
      expect(known.has(none)).toBe(false);
    }
  });
});

describe('an export', () => {
  it('holds the trail in its order, without a gap, and nothing of another tenant', async () => {
    await newPolicy('foreign', other);
    const lines = events(await wholeExport());
    expect(lines.map(({ position }) => position)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.map(({ action }) => action)).toEqual([
      'authRegister',
      'apiKeyCreate',
      ...Array.from({ length: 4 }, () => 'policyCreate'),
    ]);
    expect(new Set(lines.map((line) => line.tenant_id))).toEqual(new Set([customer.tenantId]));
    const { data } = await graphql<{ auditEvents: { nodes: { id: string; chain: unknown }[] } }>(
      app,
      `{ auditEvents(first: 200, orderBy: oldest_first) { nodes {
        id chain { position previousHash chainHash } } } }`,
      {},
      customer.token,
    );
    expect(data.auditEvents.nodes).toEqual(
      lines.map((line) => ({
        id: line.id,
        chain: {
          position: line.position,
          previousHash: line.previous_hash,
          chainHash: line.chain_hash,
        },
      })),
    );
  });

  it('goes on behind a position, refuses what is out of bounds, asks for the right', async () => {
    await wholeExport();
    const part = events(await exported('?after=2&limit=2'));
    expect(part.map(({ position }) => position)).toEqual([3, 4]);
    expect(await exported('?after=2000000000')).toBe('');
    for (const query of ['?after=-1', '?limit=0', '?limit=10001']) {
      const path = `/v1/gw/audit/export${query}`;
      const { status } = await rest(app, 'GET', path, { credential: customer.token });
      expect([query, status]).toEqual([query, 400]);
    }
    expect((await rest(app, 'GET', '/v1/gw/audit/export')).status).toBe(401);
  });

  it('of many events is one text in both voices, whole or broken off, and never cut', async () => {
    const { tenantId, token, userId } = await newCustomer(app);
    await app.owner.pool.query(
      `INSERT INTO audit_event
         (id, tenant_id, actor_kind, actor_id, action, subject, subject_id, request_id)
       SELECT gen_random_uuid(), $1, 'user', $2, 'policyCreate', 'Policy', 'x', gen_random_uuid()
       FROM generate_series(1, 900)`,
      [tenantId, userId],
    );
    const who = { ...customer, token };
    await expect
      .poll(async () => (await exported('?limit=10000', who)).split('\n').length)
      .toBe(903);
    const text = await exported('?limit=10000', who);
    expect((await verified(text)).text).toContain('902 events, positions 1 to 902');
    const query = '{ auditExport(format: ndjson, limit: 10000) }';
    expect((await graphql(app, query, {}, token)).data).toEqual({ auditExport: text });
    const some = text.split('\n').slice(3, 504).join('\n');
    expect(await exported('?after=3&limit=501', who)).toBe(`${some}\n`);
    const stringify = JSON.stringify;
    const spy = vi.spyOn(JSON, 'stringify').mockImplementation(((value: unknown, ...more: []) => {
      const { position } = (value ?? {}) as Partial<ExportedEvent>;
      if (position === 600) throw new Error('gone');
      return stringify(value, ...more);
    }) as typeof JSON.stringify);
    try {
      await expect(exported('?limit=10000', who)).rejects.toThrow();
    } finally {
      spy.mockRestore();
    }
  });

  it('is chained once, however many ask at the same time', async () => {
    const owner = await newCustomer(app);
    const ask = () => exported('', owner);
    await Promise.all(Array.from({ length: 6 }, (_, index) => newPolicy(`p${index}`, owner)));
    const counts = async () =>
      (await Promise.all([ask(), ask(), ask()])).map((text) => text.split('\n').length);
    await expect.poll(counts, { timeout: 20_000 }).toEqual([9, 9, 9]);
    expect(await verified(await ask())).toMatchObject({ code: 0 });
  });
});

describe('the verifier', () => {
  it('accepts a whole export in both forms, and its parts in their order', async () => {
    const text = await wholeExport();
    const last = events(text).at(-1)?.chain_hash;
    const accepted = await verified(text);
    expect(accepted.code).toBe(0);
    expect(accepted.text).toContain('6 events, positions 1 to 6: the chain holds.');
    expect(accepted.text).toContain(`Its last chain hash is ${last}.`);
    const cef = await wholeExport('?format=cef');
    expect(cef).toMatch(/^CEF:0\|LLM gateway\|audit trail\|1\|authRegister\|/);
    expect((await verified(cef)).text).toBe(accepted.text);
    const parts = [await exported('?limit=2'), await exported('?after=2')];
    expect((await verified(...parts)).code).toBe(0);
    expect((await verified(...parts.reverse())).code).toBe(1);
  });

  it('finds a changed line, a missing one, a swap, and a line rewritten whole', async () => {
    const lines = (await wholeExport()).trim().split('\n');
    const changed = lines.with(2, (lines[2] ?? '').replace('policyCreate', 'policyUpdate'));
    expect(await verified(changed.join('\n'))).toEqual({
      code: 1,
      text: '0.txt:3 does not hash to its chain_hash: it was changed\n',
    });
    const missing = await verified(lines.toSpliced(3, 1).join('\n'));
    expect(missing.text).toContain('0.txt:4 stands at 5 behind 3: something is missing');
    const swapped = [...lines.slice(0, 3), lines[4], lines[3], lines[5]].join('\n');
    expect((await verified(swapped)).code).toBe(1);
    const { chain_hash: _, ...event } = events(lines.join('\n'))[2] as ExportedEvent;
    const forged = { ...event, actor_id: other.userId };
    const rewritten = { ...forged, chain_hash: chainHash(forged).toString('hex') };
    const found = await verified(lines.with(2, JSON.stringify(rewritten)).join('\n'));
    expect(found.text).toBe('0.txt:4 does not name the line before it\n');
    const cef = (await wholeExport('?format=cef')).replace('act=policyCreate', 'act=policyDelete');
    expect((await verified(cef)).text).toContain('does not hash to its chain_hash');
    expect(await verified('')).toMatchObject({ code: 1 });
  });

  it('finds every change of every field, and what no hash covers, in both forms', async () => {
    const lines = (await wholeExport()).trim().split('\n');
    const cef = (await wholeExport('?format=cef')).trim().split('\n');
    const event = events(lines.join('\n'))[2] as ExportedEvent;
    const written = (changed: object) => lines.with(2, JSON.stringify(changed)).join('\n');
    const forged = [
      ...Object.entries(event).flatMap(([name, value]) => [
        written({ ...event, [name]: typeof value === 'number' ? value + 1 : `${value}0` }),
        written(Object.fromEntries(Object.entries(event).filter(([each]) => each !== name))),
      ]),
      written({ ...event, more: 'x' }),
      lines.with(2, (lines[2] ?? '').replace('{', '{"action":"authLogin",')).join('\n'),
      ...['|3|', '|policyCreate|', 'LLM gateway', 'CEF:0', ' gwPosition=', 'rt=1', 'suid='].map(
        (part) => cef.with(2, (cef[2] ?? '').replace(part, `${part.slice(0, -1)}9`)).join('\n'),
      ),
      cef.with(2, `${cef[2]} msg=nothing to see`).join('\n'),
      cef.with(2, `${cef[2]} act=policyCreate`).join('\n'),
      cef.with(2, (cef[2] ?? '').replace('act=', 'act=authLogin act=')).join('\n'),
    ];
    for (const text of forged) {
      const { code, text: said } = await verified(text);
      expect([code, said.split('\n')[0]]).toEqual([1, expect.stringMatching(/^0\.txt:3 /)]);
    }
    expect((await verified(lines.join('\r\n'))).code).toBe(0);
  });

  it('finds a cut begin or end, and a last line written anew, by kept hashes', async () => {
    const lines = (await wholeExport()).trim().split('\n');
    const [one, , , , , six] = events(lines.join('\n'));
    const all = ['--after=none', `--last=${six?.chain_hash}`];
    expect((await verifiedWith(all, lines.join('\n'))).code).toBe(0);
    const tail = lines.slice(1).join('\n');
    expect((await verifiedWith([`--after=${one?.chain_hash}`], tail)).code).toBe(0);
    const says = async (options: readonly string[], text: string) =>
      (await verifiedWith(options, text)).text;
    expect(await says(all, tail)).toBe('0.txt:1 is at 2: the begin is missing\n');
    expect(await says([`--after=${one?.chain_hash}`], lines.slice(2).join('\n'))).toContain(
      '0.txt:1 does not follow',
    );
    expect(await says(all, lines.slice(0, -1).join('\n'))).toContain('the end is not');
    const { chain_hash: _, ...event } = six as ExportedEvent;
    const forged = { ...event, actor_id: other.userId };
    const anew = { ...forged, chain_hash: chainHash(forged).toString('hex') };
    expect(await says(all, lines.with(5, JSON.stringify(anew)).join('\n'))).toContain(
      'the end is not',
    );
    for (const options of [['--last=x'], ['--lost']]) {
      expect((await verifiedWith(options, lines.join('\n'))).code).toBe(2);
    }
  });

  it('reads what any text becomes in CEF, and takes no byte for a text', async () => {
    const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 40 }), 60);
    const hostile = ['\uFFFD', 'a=b gwPosition=9', 'x|y\\z', 'line\nbreak\r', ' ', '\\n', ...texts];
    let previous: string | null = null;
    const lines = hostile.map((subject, index) => {
      const event = {
        id: `id-${index}`,
        tenant_id: 't',
        position: index + 1,
        actor_kind: 'user',
        actor_id: 'u',
        action: `do|${index}`,
        subject,
        subject_id: subject,
        before_hash: null,
        after_hash: 'ab',
        request_id: 'r',
        created_at: '2026-11-22T10:00:00.123Z',
        previous_hash: previous,
      };
      previous = chainHash(event).toString('hex');
      return cefLine({ ...event, chain_hash: previous });
    });
    const text = Buffer.from(`${lines.join('\n')}\n`);
    expect(await verified(text)).toMatchObject({ code: 0 });
    const at = text.indexOf('\uFFFD');
    const bytes = Buffer.concat([text.subarray(0, at), Buffer.of(0xff), text.subarray(at + 3)]);
    const { code, text: said } = await verified(bytes);
    expect([code, said]).toEqual([1, expect.stringContaining('0.txt:1 is no UTF-8')]);
  });
});

describe('the chain', () => {
  it('grows by itself, without anybody asking for an export', async () => {
    const owner = await newCustomer(app);
    const links = () =>
      app.owner.pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM audit_link WHERE tenant_id = $1',
        [owner.tenantId],
      );
    await expect.poll(async () => (await links()).rows[0]?.n, { timeout: 30_000 }).toBe(2);
  });

  it('is refused every change by the database', async () => {
    await wholeExport();
    for (const sql of [
      'UPDATE audit_link SET position = position + 1',
      'DELETE FROM audit_link',
      'TRUNCATE audit_link',
    ]) {
      await expect(app.owner.pool.query(sql)).rejects.toThrow();
    }
  });
});
