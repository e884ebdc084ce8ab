import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenIssuer, type TokenIssuer } from '../../../src/access/auth/tokens.js';
import { appendLeaves } from '../../../src/assurance/transparency/append.js';
import { type Checkpoint, TransparencyLog } from '../../../src/assurance/transparency/log.js';
import { rootsOf } from '../../../src/assurance/transparency/tiles.js';
import { logFindings } from '../../../src/assurance/transparency/verify.js';
import { newId } from '../../../src/kernel/ids.js';
import { leafHash, rootOf, rootOfRow, subtreesOf } from '../../../src/kernel/merkle.rules.js';
import { Keyring } from '../../../src/platform/keyring.js';
import { type Books, type Customer, openBooks, silent } from '../../money/ledger/books.js';

let books: Books;
let tokens: TokenIssuer;

beforeAll(async () => {
  books = await openBooks();
  tokens = await createTokenIssuer(books.pool, new Keyring({ secret: 'a secret' }), 'gw');
});
afterAll(() => books.close());

/** So many lines of the ledger, in one transaction. */
async function grow(
  { accountId }: Customer,
  lines: number,
  database: pg.Pool | pg.PoolClient = books.pool,
) {
  await database.query(
    `SELECT ledger_post($1, gen_random_uuid(), 'credit', n, 'Given', NULL)
     FROM generate_series(1, $2::int) n`,
    [accountId, lines],
  );
}

async function sealed({ tenantId }: Customer, key: string): Promise<void> {
  const values = [newId('SealedReceipt'), tenantId, key];
  await books.pool.query(`SELECT seal_receipt($1, $2, 'tool_call', $3, '{}')`, values);
}

const logOn = (pool: pg.Pool) => new TransparencyLog({ platformPool: pool, log: silent, tokens });

/** The keys of the leaves of a tree in their order, and its size. */
async function treeOf({ tenantId }: Customer) {
  const { rows } = await books.pool.query<{ size: bigint; keys: bigint[] | null }>(
    `SELECT size, (SELECT array_agg(k ORDER BY t.index, n) FROM log_tile t
       CROSS JOIN LATERAL unnest(t.keys) WITH ORDINALITY AS u (k, n)
       WHERE t.tenant_id = $1 AND t.level = 0) AS keys
     FROM log_tree WHERE tenant_id = $1`,
    [tenantId],
  );
  return { size: Number(rows[0]?.size ?? 0), keys: (rows[0]?.keys ?? []).map(Number) };
}

/** The root of a tree over the hashes of its leaves alone, and by the tiles that are read. */
async function rootsOfTree({ tenantId }: Customer, size: number) {
  const read = async (text: string, values: readonly unknown[]) =>
    (await books.pool.query(text, [...values])).rows as never;
  const [root] = await rootsOf(read, tenantId, [{ begin: 0, end: size }]);
  const { rows } = await books.pool.query<{ hashes: Buffer }>(
    `SELECT hashes FROM log_tile WHERE tenant_id = $1 AND level = 0 ORDER BY index`,
    [tenantId],
  );
  const hashes = Buffer.concat(rows.map((row) => row.hashes));
  const naive = subtreesOf({ begin: 0, end: size }).map(({ level, index }) => {
    const wide = 2 ** level * 32;
    return rootOfRow(hashes.subarray(index * wide, (index + 1) * wide));
  });
  return [root, rootOf(naive)].map((each) => Buffer.from(each ?? '').toString('hex'));
}

const versions = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('leaves are added', () => {
  it('each once and in their order, in whatever steps and however many work', async () => {
    const whose = await books.customer(1_000n);
    const workers = [logOn(books.pool), logOn(books.pool), logOn(books.pool)];
    for (const lines of [1, 254, 1, 300, 700]) {
      await Promise.all([
        grow(whose, lines),
        ...workers.map((each) => each.bringForward()),
        appendLeaves(books.pool, whose.tenantId, 100),
      ]);
      await Promise.all(workers.map((each) => each.bringForward()));
    }
    await workers[0]?.bringForward();
    const { size, keys } = await treeOf(whose);
    expect([size, keys]).toEqual([1_257, versions(1, 1_257)]);
    const [byTiles, byLeaves] = await rootsOfTree(whose, size);
    expect(byTiles).toBe(byLeaves);
    expect(await logFindings(books.pool, tokens.jwks())).toEqual([]);
  });

  it('not before their transaction has ended, and none is passed over', async () => {
    const whose = await books.customer(1_000n);
    const client = await books.pool.connect();
    try {
      await client.query('BEGIN');
      await grow(whose, 3, client);
      await sealed(whose, 'beside it');
      await appendLeaves(books.pool, whose.tenantId, 100);
      expect((await treeOf(whose)).keys).toEqual([1, -1]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await sealed(whose, 'behind it');
    await appendLeaves(books.pool, whose.tenantId, 100);
    expect((await treeOf(whose)).keys).toEqual([1, -1, 2, 3, 4, -2]);
  });

  it('or not at all by a process that dies anywhere on the way', async () => {
    const whose = await books.customer(1_000n);
    await grow(whose, 299);
    for (const dies of [
      'WITH tree',
      'INSERT INTO log_tile AS t (tenant_id, level, index, hashes)',
      'COMMIT',
    ]) {
      const pool = new Proxy(books.pool, {
        get: (target, name) => {
          if (name !== 'connect') return Reflect.get(target, name);
          return async () => {
            const client = await target.connect();
            const query = client.query.bind(client) as (...words: unknown[]) => Promise<unknown>;
            return Object.assign(Object.create(client), {
              release: (broken?: boolean) => client.release(broken),
              query: async (...words: unknown[]) => {
                const [config] = words as [string | { readonly text: string }];
                const text = typeof config === 'string' ? config : config.text;
                if (text.trim().startsWith(dies)) throw new Error('the process dies');
                return query(...words);
              },
            });
          };
        },
      });
      await expect(appendLeaves(pool, whose.tenantId, 1_000)).rejects.toThrow('the process dies');
      expect(await treeOf(whose)).toEqual({ size: 0, keys: [] });
    }
    await appendLeaves(books.pool, whose.tenantId, 1_000);
    expect((await treeOf(whose)).keys).toEqual(versions(1, 300));
    const [byTiles, byLeaves] = await rootsOfTree(whose, 300);
    expect(byTiles).toBe(byLeaves);
  });

  it('as RFC 6962 hashes the very text of the export', async () => {
    const whose = await books.customer(1_000n);
    await appendLeaves(books.pool, whose.tenantId, 1);
    const [root] = await rootsOfTree(whose, 1);
    const { rows } = await books.pool.query<{ hashes: Buffer }>(
      'SELECT hashes FROM log_tile WHERE tenant_id = $1',
      [whose.tenantId],
    );
    expect(rows[0]?.hashes.toString('hex')).toBe(root);
    expect(rows[0]?.hashes.equals(leafHash(''))).toBe(false);
  });
});

describe('checkpoints', () => {
  /** What the owner alone could do. */
  const tamper = async (sql: string) => {
    await books.pool.query('ALTER TABLE log_checkpoint DISABLE TRIGGER append_only_row');
    await books.pool.query(sql);
    await books.pool.query('ALTER TABLE log_checkpoint ENABLE ALWAYS TRIGGER append_only_row');
  };

  it('are signed of a log that grows without being asked for, once in an hour', async () => {
    const whose = await books.customer(1_000n);
    const log = logOn(books.pool);
    const sizes = async () => {
      const { rows } = await books.pool.query<Checkpoint>(
        'SELECT size FROM log_checkpoint WHERE tenant_id = $1 ORDER BY size',
        [whose.tenantId],
      );
      return rows.map(({ size }) => Number(size));
    };
    await grow(whose, 2);
    await log.bringForward();
    expect(await sizes()).toEqual([3]);
    await grow(whose, 1);
    await log.bringForward();
    expect(await sizes()).toEqual([3]);
    await tamper(`UPDATE log_checkpoint SET created_at = created_at - interval '2 hours'`);
    await log.bringForward();
    expect(await sizes()).toEqual([3, 4]);
    expect(await logFindings(books.pool, tokens.jwks())).toEqual([]);
  });

  it('that the house has not signed, or whose row is another one, are named', async () => {
    const whose = await books.customer(1_000n);
    await logOn(books.pool).latest(whose.tenantId);
    const named = async (keys = tokens.jwks()) =>
      (await logFindings(books.pool, keys))
        .filter(({ tenantId }) => tenantId === whose.tenantId)
        .map(({ subject, detail }) => `${subject} ${detail}`);
    expect(await named()).toEqual([]);
    expect(await named({ keys: [] })).toEqual([
      'checkpoint of 1 leaves is not signed by the house',
    ]);
    const of = `WHERE tenant_id = '${whose.tenantId}'`;
    await expect(books.pool.query(`UPDATE log_checkpoint SET size = 2 ${of}`)).rejects.toThrow(
      'append-only',
    );
    await tamper(`UPDATE log_checkpoint SET root_sha256 = sha256('other') ${of}`);
    expect(await named()).toEqual(['checkpoint of 1 leaves its row is not what was signed']);
    await tamper(`DELETE FROM log_checkpoint ${of}`);
  });
});

describe('a large log', () => {
  it('of 66,000 leaves has tiles of three levels, with the roots of its leaves', async () => {
    const whose = await books.customer(1_000n);
    const { tenantId, accountId } = whose;
    await books.pool.query({
      text: `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
          contra, amount_micro, posted_delta, held_delta, posted_after, held_after,
          vat_rate_basis_points)
        SELECT $1, n, $2, 'credit', gen_random_uuid(), 'credits', 1, 1, 0, 1000 + n, 0, 2200
        FROM generate_series(2, 66000) n`,
      values: [accountId, tenantId],
      query_timeout: 60_000,
    } as pg.QueryConfig);
    while ((await appendLeaves(books.pool, tenantId, 20_000)) > 0);
    const { rows } = await books.pool.query(
      `SELECT level::int, count(*)::int AS tiles FROM log_tile WHERE tenant_id = $1
       GROUP BY 1 ORDER BY 1`,
      [tenantId],
    );
    expect(rows).toEqual([
      { level: 0, tiles: 258 },
      { level: 1, tiles: 2 },
      { level: 2, tiles: 1 },
    ]);
    for (const size of [1, 255, 256, 257, 65_535, 65_536, 65_537, 66_000]) {
      const [byTiles, byLeaves] = await rootsOfTree(whose, size);
      expect([size, byTiles]).toEqual([size, byLeaves]);
    }
  });
});
