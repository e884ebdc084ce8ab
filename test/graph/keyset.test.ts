import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionArgs, keysetPage } from '../../src/graph/keyset.js';
import { PAGE_DEFAULT, PAGE_MAX } from '../../src/graph/limits.js';

/** A list in memory, newest first, as the service of a list reads its table. */
function listOf(keys: readonly bigint[]) {
  const newestFirst = [...keys].sort((a, b) => (a < b ? 1 : -1));
  return (args: ConnectionArgs) =>
    keysetPage<bigint>(
      args,
      (key) => key,
      async (below, limit) =>
        newestFirst.filter((key) => below === undefined || key < below).slice(0, limit),
    );
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => BigInt(index + 1));

describe('a page', () => {
  it('holds the newest rows and says whether there are more', async () => {
    const page = await listOf(numbers(5))({ first: 2 });
    const [start, end] = page.edges.map(({ cursor }) => cursor);
    expect(page).toEqual({
      edges: [
        { node: 5n, cursor: start },
        { node: 4n, cursor: end },
      ],
      pageInfo: {
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: start,
        endCursor: end,
      },
    });
  });

  it('of an empty list has no cursors', async () => {
    expect(await listOf([])({})).toEqual({
      edges: [],
      pageInfo: {
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      },
    });
  });

  it(`holds ${PAGE_DEFAULT} rows unless stated, and at most ${PAGE_MAX}`, async () => {
    const list = listOf(numbers(PAGE_MAX + 1));
    expect((await list({})).edges).toHaveLength(PAGE_DEFAULT);
    expect((await list({ first: PAGE_MAX })).edges).toHaveLength(PAGE_MAX);
  });

  it('after page gives every row once, in order, whatever the sizes', async () => {
    const keys = fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(keys, fc.integer({ min: 1, max: 10 }), async (rows, first) => {
        const list = listOf(rows);
        const seen: bigint[] = [];
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof list>> = await list({ first, after });
          seen.push(...page.edges.map(({ node }) => node));
          after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
        } while (after !== null);
        expect(seen).toEqual([...rows].sort((a, b) => (a < b ? 1 : -1)));
      }),
    );
  });

  it('is not moved by rows that are inserted meanwhile', async () => {
    const first = await listOf(numbers(4))({ first: 2 });
    const second = await listOf(numbers(9))({ first: 2, after: first.pageInfo.endCursor });
    expect(second.edges.map(({ node }) => node)).toEqual([2n, 1n]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });
});

describe('wrong arguments', () => {
  it('sizes out of bounds are faults of `first`', async () => {
    const wrong: ConnectionArgs[] = [{ first: 0 }, { first: -1 }, { first: PAGE_MAX + 1 }];
    for (const args of wrong) {
      await expect(listOf([1n])(args)).rejects.toMatchObject({
        code: 'invalid_request',
        details: { faults: [{ path: 'first', code: 'out_of_range' }] },
      });
    }
  });

  it('a cursor of other making is refused, one beyond 64 bits too', async () => {
    const cursor = (text: string) => Buffer.from(text).toString('base64url');
    const foreign = ['', 'x', cursor('1'), cursor('k:'), cursor('k:-1'), cursor('k:1 '), 'k:1'];
    for (const after of [...foreign, cursor('k:9999999999999999999')]) {
      await expect(listOf([1n])({ after }), after).rejects.toMatchObject({
        code: 'invalid_cursor',
      });
    }
  });
});
