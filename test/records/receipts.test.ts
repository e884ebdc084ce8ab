import { describe, expect, it } from 'vitest';
import { text } from '../../src/kernel/fields/field.js';
import { newId } from '../../src/kernel/ids.js';
import { receiptKind } from '../../src/records/receipt-kinds.js';
import {
  receiptById,
  receiptByKey,
  receiptsOfKind,
  seal,
  verifyChain,
  verifyReceipt,
} from '../../src/records/receipts.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const { services } = world;

/** Changes rows as somebody could who has the database: with its guards taken off. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  const client = await world.client();
  await client.query('ALTER TABLE sealed_receipt DISABLE TRIGGER USER');
  const { rows } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
     WHERE conrelid = 'sealed_receipt'::regclass AND contype = 'c'`,
  );
  for (const { name } of rows) {
    await client.query(`ALTER TABLE sealed_receipt DROP CONSTRAINT ${name}`);
  }
  await client.query(sql, values);
}

describe('sealing', () => {
  it('writes the canonical text once and returns it unchanged ever after', async () => {
    const { ctx } = await world.tenant();
    const first = await seal(ctx, 'quote', 'q-1', { b: 1, a: 'цена' });
    const again = await seal(ctx, 'quote', 'q-1', { b: 2, a: 'other' });
    expect(first.alreadySealed).toBe(false);
    expect(first.receipt.content).toBe('{"a":"цена","b":1}');
    expect(again).toEqual({ receipt: first.receipt, alreadySealed: true });
    expect(await receiptById(ctx, first.receipt.id)).toEqual(first.receipt);
    expect(await receiptByKey(ctx, 'quote', 'q-1')).toEqual(first.receipt);
    expect(await receiptByKey(ctx, 'quote', 'q-2')).toBeUndefined();
  });

  it('gives 500 racers on one key one receipt', async () => {
    const { ctx } = await world.tenant();
    const racers = Array.from({ length: 500 }, (_, i) => seal(ctx, 'quote', 'race', { racer: i }));
    const sealed = await Promise.all(racers);
    expect(new Set(sealed.map(({ receipt }) => receipt.id)).size).toBe(1);
    expect(new Set(sealed.map(({ receipt }) => receipt.content)).size).toBe(1);
    expect(sealed.filter(({ alreadySealed }) => !alreadySealed)).toHaveLength(1);
  });

  it('chains receipts that are sealed at the same time without gap or fork', async () => {
    const tenants = await Promise.all([world.tenant(), world.tenant()]);
    const seals = Array.from({ length: 60 }, (_, i) =>
      tenants.map(({ ctx }) => seal(ctx, 'quote', `q-${i}`, { i })),
    );
    await Promise.all(seals.flat());
    for (const { ctx } of tenants) {
      const outcome = await verifyChain(ctx);
      expect(outcome).toMatchObject({ valid: true, receiptCount: 60, faults: [] });
      expect(outcome.head.position).toBe(60n);
    }
  });

  it('goes with the transaction that it is part of', async () => {
    const { ctx } = await world.tenant();
    const undone = services.prisma.$transaction(async (tx) => {
      await seal(ctx, 'quote', 'undone', {}, { tx });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await receiptByKey(ctx, 'quote', 'undone')).toBeUndefined();
    expect((await seal(ctx, 'quote', 'undone', {})).alreadySealed).toBe(false);
  });

  it('refuses content that JSON cannot carry exactly', async () => {
    const { ctx } = await world.tenant();
    await expect(seal(ctx, 'quote', 'q', { n: 2 ** 60 })).rejects.toThrow(TypeError);
    expect(await receiptByKey(ctx, 'quote', 'q')).toBeUndefined();
  });

  it('has no kind whose content hides what stands in every receipt', () => {
    const define = () =>
      receiptKind({
        kind: 'odd',
        type: 'OddReceipt',
        description: 'A receipt of a test.',
        content: { sealKey: text('A name that is taken.'), kind: text('Another one.') },
      });
    expect(define).toThrow(new TypeError('OddReceipt: every receipt has a sealKey, kind'));
  });

  it('keeps keys of any text apart', async () => {
    const { ctx } = await world.tenant();
    const keys = ['a\nb', 'a b', "a'b", 'ключ', ''];
    for (const key of keys) await seal(ctx, 'quote', key, { key });
    expect((await verifyChain(ctx)).receiptCount).toBe(keys.length);
    for (const key of keys) {
      expect((await receiptByKey(ctx, 'quote', key))?.content).toBe(JSON.stringify({ key }));
    }
  });
});

describe('looking up', () => {
  it('tells a malformed id from an unknown one, and a foreign one is unknown', async () => {
    const [own, other] = await Promise.all([world.tenant(), world.tenant()]);
    const { receipt } = await seal(own.ctx, 'quote', 'q', {});
    const unknown = newId('SealedReceipt');
    for (const look of [receiptById, verifyReceipt]) {
      expect(await codeOf(look(own.ctx, 'not-a-uuid'))).toBe('invalid_receipt_id');
      expect(await codeOf(look(own.ctx, unknown))).toBe('not_found');
      expect(await codeOf(look(other.ctx, receipt.id))).toBe('not_found');
      expect(await codeOf(look(own.ctx, receipt.id, 'another_kind'))).toBe('not_found');
    }
    expect(await receiptByKey(other.ctx, 'quote', 'q')).toBeUndefined();
    expect((await receiptsOfKind(other.ctx, 'quote', {})).edges).toEqual([]);
    expect((await verifyChain(other.ctx)).receiptCount).toBe(0);
  });

  it('gives the same key to two tenants two receipts', async () => {
    const [a, b] = await Promise.all([world.tenant(), world.tenant()]);
    const one = await seal(a.ctx, 'quote', 'same', { of: 'a' });
    const two = await seal(b.ctx, 'quote', 'same', { of: 'b' });
    expect([one.alreadySealed, two.alreadySealed]).toEqual([false, false]);
    expect(two.receipt.content).toBe('{"of":"b"}');
  });

  it('pages a kind from the latest on, whatever is sealed meanwhile', async () => {
    const { ctx } = await world.tenant();
    for (let i = 0; i < 5; i += 1) await seal(ctx, 'quote', `q-${i}`, {});
    await seal(ctx, 'other', 'o', {});
    const first = await receiptsOfKind(ctx, 'quote', { first: 2 });
    await seal(ctx, 'quote', 'late', {});
    const after = first.pageInfo.endCursor;
    const rest = await receiptsOfKind(ctx, 'quote', { first: 10, after });
    const keys = [...first.edges, ...rest.edges].map(({ node }) => node.sealKey);
    expect(keys).toEqual(['q-4', 'q-3', 'q-2', 'q-1', 'q-0']);
    expect(rest.pageInfo.hasNextPage).toBe(false);
  });
});

describe('the database itself', () => {
  it('refuses to change or remove a receipt, also in replica mode', async () => {
    const { ctx } = await world.tenant();
    const { receipt } = await seal(ctx, 'quote', 'q', {});
    const client = await world.client();
    const attempts = [
      "UPDATE sealed_receipt SET kind = 'x'",
      'DELETE FROM sealed_receipt',
      'TRUNCATE sealed_receipt',
    ];
    for (const mode of ['origin', 'replica']) {
      await client.query(`SET session_replication_role = ${mode}`);
      for (const sql of attempts) {
        await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
      }
    }
    expect(await receiptById(ctx, receipt.id)).toEqual(receipt);
  });

  it('refuses a receipt whose content hash or chain hash is wrong', async () => {
    const { ctx } = await world.tenant();
    const { receipt } = await seal(ctx, 'quote', 'q', {});
    const client = await world.client();
    const insert = (content: string, hash: string) =>
      client.query(
        `INSERT INTO sealed_receipt SELECT $1, tenant_id, kind, 'forged', 2, $2, ${hash},
           chain_hash, chain_hash, created_at FROM sealed_receipt WHERE id = $3`,
        [newId('SealedReceipt'), content, receipt.id],
      );
    const refused = { code: '23514' };
    await expect(insert('{}', "sha256('other')")).rejects.toMatchObject(refused);
    await expect(insert('{}', "sha256('{}')")).rejects.toMatchObject(refused);
  });
});

describe('verifying', () => {
  it('recomputes an untouched receipt to the same hash', async () => {
    const { ctx } = await world.tenant();
    for (const key of ['before', 'this', 'after']) await seal(ctx, 'quote', key, { key });
    const receipt = await receiptByKey(ctx, 'quote', 'this');
    const hash = Buffer.from(receipt?.sha256 ?? []).toString('hex');
    const verification = await verifyReceipt(ctx, receipt?.id ?? '');
    expect(verification).toEqual({
      ...{ valid: true, hash, recomputedHash: hash, chainValid: true },
      erased: false,
    });
  });

  it('finds an edited content, a forged row and a removed row in the store', async () => {
    const { ctx } = await world.tenant();
    for (let i = 1; i <= 9; i += 1) await seal(ctx, 'quote', `q-${i}`, { i });
    const at = async (key: string) => (await receiptByKey(ctx, 'quote', key))?.id ?? '';
    const edit = `UPDATE sealed_receipt SET content = '{"i":0}' WHERE id = $1`;
    await tamper(edit, [await at('q-3')]);
    const edited = await verifyReceipt(ctx, await at('q-3'));
    expect(edited).toMatchObject({ valid: false, chainValid: false });
    expect(edited.recomputedHash).not.toBe(edited.hash);
    await tamper(
      `UPDATE sealed_receipt SET content = '{"i":0}', sha256 = sha256('{"i":0}'),
         chain_hash = receipt_chain_hash(previous_hash, sha256('{"i":0}'), tenant_id, position, id,
           kind, created_at, seal_key) WHERE id = $1`,
      [await at('q-5')],
    );
    const forged = await verifyReceipt(ctx, await at('q-5'));
    expect(forged).toMatchObject({ valid: true, chainValid: false });
    await tamper('DELETE FROM sealed_receipt WHERE id = $1', [await at('q-8')]);
    const { valid, faults } = await verifyChain(ctx);
    expect(valid).toBe(false);
    expect(faults).toEqual([
      { position: 3n, fault: 'content_changed' },
      { position: 6n, fault: 'link_broken' },
      { position: 9n, fault: 'rows_missing' },
    ]);
    expect(await verifyReceipt(ctx, await at('q-1'))).toMatchObject({ chainValid: true });
  });
});
