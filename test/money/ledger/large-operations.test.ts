import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { batchLength } from '../../../src/money/ledger/batch.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Books, openBooks, usageOf } from './books.js';

const ANSWERS = 60;
const ANSWER_BYTES = 1_048_576;
const TEST_MS_MAX = 60_000;

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

describe('many large operations at once', () => {
  it(
    'are written, and keep nobody else from the ledger',
    async () => {
      const ledger = await books.ledger('large');
      const [customer, other] = [await books.customer(1_000n), await books.customer(1_000n)];
      const holdOf = async (of: typeof customer) => {
        const op = { ...of, requestId: newId('Request') };
        await ledger.hold({ ...op, amountMicro: 10n, budgetIds: [] });
        return op;
      };
      const ops = await Promise.all(Array.from({ length: ANSWERS }, () => holdOf(customer)));
      const answer = Buffer.alloc(ANSWER_BYTES, 'a');
      const usage = usageOf(customer);
      await Promise.all(ops.map((op) => ledger.settle({ ...op, amountMicro: 7n, usage, answer })));
      await expect.poll(() => ledger.healthy(), { timeout: 30_000 }).toBe(true);
      await ledger.release(await holdOf(other));
      const kept = async () => {
        const { rows } = await books.pool.query(
          'SELECT count(*)::int AS kept FROM kept_answer WHERE account_id = $1',
          [customer.accountId],
        );
        return rows;
      };
      // A slow disk is answered from the write-ahead file, before the batches have been written.
      await expect.poll(kept, { timeout: 30_000 }).toEqual([{ kept: ANSWERS }]);
      // In one statement it would be longer than any statement is waited for.
      expect(ledger.gauges().batches).toBeGreaterThan(ANSWERS / 3);
      expect(await violationsAtRest(books.pool)).toEqual([]);
    },
    TEST_MS_MAX,
  );

  it('keep the figures of an upstream that claims megabytes', async () => {
    const ledger = await books.ledger('claims');
    const customer = await books.customer(1_000n);
    const op = { ...customer, requestId: newId('Request') };
    await ledger.hold({ ...op, amountMicro: 10n, budgetIds: [] });
    const figures = { prompt_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 } };
    const rawUsage = { padding: 'x'.repeat(3_000_000), ...figures };
    const usage = { ...usageOf(customer), rawUsage };
    await ledger.settle({ ...op, amountMicro: 7n, usage, delivered: true });
    const { rows } = await books.pool.query('SELECT raw_usage FROM usage_event WHERE id = $1', [
      op.requestId,
    ]);
    expect(rows).toEqual([{ raw_usage: figures }]);
  });
});

describe('what an upstream says', () => {
  it('stands in the books as figures and known codes, and no text of it does', async () => {
    const ledger = await books.ledger('texts');
    const customer = await books.customer(1_000n);
    const op = { ...customer, requestId: newId('Request') };
    await ledger.hold({ ...op, amountMicro: 10n, budgetIds: [] });
    const figures = {
      prompt_tokens: 5,
      is_cached: true,
      details: [{ audio: 1.5 }, { text: null }],
    };
    const said = { note: 'Ivan Petrov', 'Ivan Petrov': 1, figures: ['Ivan', { deep: 'Petrov' }] };
    const usage = {
      ...usageOf(customer),
      rawUsage: { ...figures, ...said },
      finishReason: 'Ivan Petrov',
    };
    await ledger.settle({ ...op, amountMicro: 7n, usage, delivered: true });
    const { rows } = await books.pool.query(
      'SELECT raw_usage, finish_reason FROM usage_event WHERE id = $1',
      [op.requestId],
    );
    const kept = { ...figures, figures: [{}] };
    expect(rows).toEqual([{ raw_usage: kept, finish_reason: 'other' }]);
  });
});

describe('the length of a batch', () => {
  it('is what fits, and one where nothing does', () => {
    const lengthOf = (lane: readonly string[], ops: number, characters: number) =>
      batchLength(lane, String, { ops, characters });
    expect(lengthOf([], 5, 5)).toBe(0);
    expect(lengthOf(['aaa', 'bb', 'c'], 5, 5)).toBe(2);
    expect(lengthOf(['aaa', 'bb', 'c'], 5, 6)).toBe(3);
    expect(lengthOf(['aaa', 'bb', 'c'], 1, 6)).toBe(1);
    expect(lengthOf(['aaaaaaa', 'b'], 5, 5)).toBe(1);
    expect(lengthOf(['a'], 0, 5)).toBe(0);
  });
});
