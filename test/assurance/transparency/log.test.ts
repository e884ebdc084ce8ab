import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysOfAllTimes } from '../../../src/access/auth/signing-keys.js';
import { logFindings } from '../../../src/assurance/transparency/verify.js';
import { canonicalJson, type Sealable } from '../../../src/kernel/canonical.js';
import { newId } from '../../../src/kernel/ids.js';
import { EMPTY_ROOT } from '../../../src/kernel/merkle.rules.js';
import { seal } from '../../../src/records/receipts.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { FILES } from '../../tidy/files.js';
import { verified } from './verifying.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
let keys: { keys: object[] };

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  other = await newCustomer(app, 500);
  keys = (await rest<{ keys: object[] }>(app, 'GET', '/.well-known/jwks.json')).body;
  await grow(customer, 5);
  await grow(other, 2);
});
afterAll(() => app.stop());

/** Lines of the ledger as people post them, with every kind of text. */
async function grow(whose: Customer, lines: number): Promise<void> {
  for (let n = 0; n < lines; n += 1) {
    await rest(app, 'POST', '/billing/top-up/manual', {
      credential: whose.token,
      body: { amount_rub: n + 1, note: `Строка ${n} "in\tquotes" \\ \u0001 \u2028 😀` },
    });
  }
}

const PATH = '/v1/gw/transparency';
const get = <T = Record<string, unknown>>(path: string, who = customer) =>
  rest<T>(app, 'GET', `${PATH}${path}`, { credential: who.token });

interface Point {
  readonly id: string;
  readonly size: number;
  readonly root_sha256: string;
  readonly statement: string;
}

async function exported(query = '', who = customer): Promise<string> {
  const { status, body } = await get<unknown>(`/export${query}`, who);
  expect(status).toBe(200);
  return typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
}

const leavesOf = (text: string) => text.split('\n').filter((line) => line.includes('"kind":"'));

/** A receipt of the organization, as any module seals it. @returns its id */
async function sealed({ tenantId }: Customer, key: string): Promise<string> {
  const scope = { services: app.server.services, who: { tenantId } };
  return (await seal(scope, 'tool_call', key, { said: 'something' })).receipt.id;
}

/** What the owner of the database alone could do: it takes away what keeps rows as they are. */
async function tamper(table: string, sql: string, values: unknown[] = []): Promise<void> {
  const client = await app.owner.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    expect((await client.query(sql, values)).rowCount).toBe(1);
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

/** What the full check says of the logs. */
async function found(): Promise<string[]> {
  const { platformPool } = app.server.services;
  const findings = await logFindings(platformPool, await keysOfAllTimes(platformPool));
  return findings.map(({ tenantId, subject, detail }) => `${tenantId} ${subject} ${detail}`);
}

describe('the reference', () => {
  it('is public, and names the rule and the verifier', async () => {
    const { status, body } = await rest<{ rule: string; verifier: string }>(
      app,
      'GET',
      `${PATH}/reference`,
    );
    expect(status).toBe(200);
    expect(body.rule).toContain('SHA-256(0x00 ‖ text of the leaf)');
    expect(FILES.some(({ path }) => path === body.verifier)).toBe(true);
  });
});

describe('the log of an organization', () => {
  it('holds its ledger and its receipts as canonical texts, and no other', async () => {
    const receiptId = await sealed(customer, 'first');
    const text = await exported();
    const leaves = leavesOf(text).map((line) => JSON.parse(line) as Record<string, Sealable>);
    for (const [index, leaf] of leaves.entries()) {
      expect(canonicalJson(leaf)).toBe(leavesOf(text)[index]);
    }
    expect(new Set(leaves.map(({ tenant_id }) => tenant_id))).toEqual(new Set([customer.tenantId]));
    const { rows } = await app.owner.pool.query<Record<string, unknown>>(
      'SELECT * FROM ledger_entry WHERE tenant_id = $1 ORDER BY account_version',
      [customer.tenantId],
    );
    const lines = leaves.filter(({ kind }) => kind === 'ledger_entry');
    expect(lines).toEqual(
      rows.map(({ seq: _, txid: __, created_at, vat_rate_basis_points: rate, ...row }) => ({
        ...Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
        ),
        created_at: (created_at as Date).toISOString(),
        vat_rate_basis_points: rate,
        kind: 'ledger_entry',
      })),
    );
    const receipt = await app.owner.prisma.sealedReceipt.findFirstOrThrow({
      where: { id: receiptId },
    });
    expect(leaves.filter(({ kind }) => kind === 'sealed_receipt')).toEqual([
      {
        kind: 'sealed_receipt',
        id: receiptId,
        tenant_id: customer.tenantId,
        receipt_kind: 'tool_call',
        seal_key: 'first',
        position: '1',
        sha256: Buffer.from(receipt.sha256).toString('hex'),
        previous_hash: null,
        chain_hash: Buffer.from(receipt.chainHash).toString('hex'),
        created_at: receipt.createdAt.toISOString(),
      },
    ]);
  });

  it('is verified by its export and the published keys alone, whole or in parts', async () => {
    await grow(customer, 1);
    const text = await exported();
    const { size } = (await get<Point>('/checkpoint')).body;
    expect(await verified(keys, text)).toMatchObject({ code: 0 });
    const parts = await Promise.all([exported('?limit=3'), exported('?after=3')]);
    expect((await verified(keys, ...parts)).text).toContain(`${size} leaves`);
    expect((await verified(keys, parts[1] ?? '')).code).toBe(1);
    const { data } = await graphql(app, '{ logExport }', {}, customer.token);
    expect(data).toEqual({ logExport: text });
    expect((await verified(keys, await exported('', other))).code).toBe(0);
    expect((await verified(keys, text, await exported('', other))).code).toBe(1);
    for (const query of ['?after=-1', '?limit=0', '?limit=10001']) {
      expect([query, (await get(`/export${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('has one checkpoint of a size, however often it is asked for', async () => {
    const asked = await Promise.all(Array.from({ length: 4 }, () => get<Point>('/checkpoint')));
    const { body } = await get<Point>('/checkpoint');
    expect(asked.map((each) => each.body)).toEqual(asked.map(() => body));
    const { body: listed } = await get<{ data: Point[] }>('/checkpoints');
    expect(listed.data[0]).toEqual(body);
    expect(new Set(listed.data.map(({ size }) => size)).size).toBe(listed.data.length);
    expect((await get<Point>(`/checkpoints/${body.id}`)).body).toEqual(body);
    const query = `query($id: ID!) { node(id: $id) { ... on LogCheckpoint { size statement } } }`;
    const { data } = await graphql(app, query, { id: body.id }, customer.token);
    expect(data).toEqual({ node: { size: `${body.size}`, statement: body.statement } });
  });

  it('of nothing has the root of an empty tree', async () => {
    const { token } = await newCustomer(app);
    const { body } = await get<Point>('/checkpoint', { ...customer, token });
    expect([body.size, body.root_sha256]).toEqual([0, EMPTY_ROOT.toString('hex')]);
  });
});

/** A checkpoint as a proof has it: cosignatures may come later, and prove nothing about leaves. */
function provenOf(point: Point): object {
  const { cosignatures, ...proven } = point as Point & { readonly cosignatures: unknown };
  expect(cosignatures).toEqual([]);
  return proven;
}

describe('proofs', () => {
  it('show each leaf, line and receipt in the log, over both wires', async () => {
    const receiptId = await sealed(customer, 'proven');
    const { body: point } = await get<Point>('/checkpoint');
    const paths = [
      ...Array.from({ length: point.size }, (_, index) => `/leaves/${index}/proof`),
      '/entries/4/proof',
      `/receipts/${receiptId}/proof`,
    ];
    const proofs = await Promise.all(
      paths.map((path) => get<{ leaf: string; leaf_sha256: string }>(path)),
    );
    expect(proofs.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const bodies = proofs.map(({ body }) => JSON.stringify(body));
    expect((await verified(keys, ...bodies)).code).toBe(0);
    expect(JSON.parse(proofs.at(-2)?.body.leaf ?? '')).toMatchObject({ account_version: '4' });
    expect(JSON.parse(proofs.at(-1)?.body.leaf ?? '')).toMatchObject({ id: receiptId });
    const { data } = await graphql<{ logEntryInclusion: { index: string } }>(
      app,
      `{ logEntryInclusion(sequence: 4) { index leaf leafSha256 hashes checkpoint { id } } }`,
      {},
      customer.token,
    );
    const { leaf_sha256: leafSha256, ...proof } = proofs.at(-2)?.body ?? {};
    const shown = { ...proof, leafSha256, checkpoint: { id: point.id } };
    expect({ ...data.logEntryInclusion, index: Number(data.logEntryInclusion.index) }).toEqual(
      shown,
    );
  });

  it('show that one checkpoint is the begin of another, whichever is named first', async () => {
    const { body: old } = await get<Point>('/checkpoint');
    await grow(customer, 3);
    const { body: now } = await get<Point>('/checkpoint');
    expect(now.size).toBe(old.size + 3);
    const proof = await get<{ hashes: string[] }>(`/checkpoints/${old.id}/consistency`);
    expect(proof.body).toMatchObject({ first: provenOf(old), second: provenOf(now) });
    const reversed = `/checkpoints/${now.id}/consistency?with_id=${old.id}`;
    expect((await get(reversed)).body).toEqual(proof.body);
    expect((await verified(keys, JSON.stringify(proof.body))).code).toBe(0);
    const earlier = await get<Point>(`/leaves/0/proof?checkpoint_id=${old.id}`);
    expect(earlier.body).toMatchObject({ checkpoint: provenOf(old) });
    const query = 'query($id: ID!) { logConsistency(id: $id) { hashes first { id } } }';
    const { data } = await graphql(app, query, { id: old.id }, customer.token);
    expect(data).toEqual({
      logConsistency: { hashes: proof.body.hashes, first: { id: old.id } },
    });
  });

  it('of what is not there, or of another organization, are answered as unknown', async () => {
    const { body: own } = await get<Point>('/checkpoint');
    const { body: foreign } = await get<Point>('/checkpoint', other);
    const foreignReceipt = await sealed(other, 'foreign');
    const unknown = newId('LogCheckpoint');
    const unknownReceipt = newId('SealedReceipt');
    const without = async (path: string, id: string) => {
      const { status, body } = await get<{ error: { request_id: string } }>(path);
      const { request_id: _, ...error } = body.error;
      return JSON.stringify([status, error]).replaceAll(id, 'ID');
    };
    const asked: readonly (readonly [(id: string) => string, string, string])[] = [
      [(id) => `/checkpoints/${id}`, foreign.id, unknown],
      [(id) => `/checkpoints/${id}/consistency`, foreign.id, unknown],
      [(id) => `/checkpoints/${own.id}/consistency?with_id=${id}`, foreign.id, unknown],
      [(id) => `/leaves/0/proof?checkpoint_id=${id}`, foreign.id, unknown],
      [(id) => `/receipts/${id}/proof`, foreignReceipt, unknownReceipt],
    ];
    for (const [path, theirs, nobodys] of asked) {
      const answer = await without(path(theirs), theirs);
      expect(answer).toBe(await without(path(nobodys), nobodys));
      expect(answer).toContain('404');
    }
    const beyond = `/entries/${2n ** 63n}/proof`;
    for (const path of [
      `/leaves/${own.size}/proof`,
      '/leaves/-1/proof',
      '/entries/999/proof',
      beyond,
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await rest(app, 'GET', `${PATH}/checkpoint`)).status).toBe(401);
  });
});

describe('what the owner of the database changes behind our back', () => {
  it('in a line or a receipt is named by the full check, and fails export and proof', async () => {
    const whose = await newCustomer(app, 500);
    await grow(whose, 2);
    const receiptId = await sealed(whose, 'a receipt');
    const kept = await exported('', whose);
    expect((await verified(keys, kept)).code).toBe(0);
    expect(await found()).toEqual([]);
    const change = (by: number) =>
      tamper(
        'ledger_entry',
        `UPDATE ledger_entry SET description = 'other', amount_micro = amount_micro + $2
         WHERE tenant_id = $1 AND account_version = 2`,
        [whose.tenantId, by],
      );
    await change(1);
    const { rows } = await app.owner.pool.query<{ request_id: string }>(
      'SELECT request_id FROM ledger_entry WHERE tenant_id = $1 AND account_version = 2',
      [whose.tenantId],
    );
    const line = `line 2 of request ${rows[0]?.request_id}`;
    expect(await found()).toEqual([`${whose.tenantId} leaf 1 ${line} was changed`]);
    expect((await verified(keys, await exported('', whose))).code).toBe(1);
    const proof = await get('/entries/2/proof', whose);
    expect((await verified(keys, JSON.stringify(proof.body))).text).toBe(
      'leaf 1 is not in the log',
    );
    await tamper('sealed_receipt', 'DELETE FROM sealed_receipt WHERE id = $1', [receiptId]);
    expect(await found()).toEqual([
      `${whose.tenantId} leaf 1 ${line} was changed`,
      `${whose.tenantId} leaf 3 receipt at 1 was removed`,
      `${whose.tenantId} the number of rows 4 leaves, 3 lines and 0 receipts`,
    ]);
    await app.owner.pool.query('DELETE FROM books_finding');
  });

  it('in the log itself contradicts its checkpoint: no further one is signed', async () => {
    const whose = await newCustomer(app, 500);
    await grow(whose, 2);
    const { body: old } = await get<Point>('/checkpoint', whose);
    await expect(
      app.owner.pool.query(
        `UPDATE log_tile SET hashes = overlay(hashes PLACING '\\x00' FROM 1)
         WHERE tenant_id = $1 AND level = 0`,
        [whose.tenantId],
      ),
    ).rejects.toThrow('only grows');
    await tamper(
      'log_tile',
      `UPDATE log_tile SET hashes = overlay(hashes PLACING sha256('forged') FROM 1)
       WHERE tenant_id = $1 AND level = 0`,
      [whose.tenantId],
    );
    await grow(whose, 1);
    expect((await get('/checkpoint', whose)).status).toBe(500);
    const { rows } = await app.owner.pool.query(
      'SELECT tenant_id, subject, detail FROM books_finding',
    );
    expect(rows).toEqual([
      {
        tenant_id: whose.tenantId,
        subject: `the first ${old.size} leaves`,
        detail: 'their hashes do not agree with the checkpoint that was signed of them',
      },
    ]);
    const named = (await found()).filter((each) => each.startsWith(whose.tenantId));
    expect(named.map((each) => each.slice(37).replace(/request \S+/, 'request ID'))).toEqual([
      'leaf 0 line 1 of request ID was changed',
      `checkpoint of ${old.size} leaves the leaves have another root`,
    ]);
  });
});
