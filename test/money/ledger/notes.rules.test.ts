import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batcher } from '../../../src/money/ledger/batcher.js';
import type { RequestRef } from '../../../src/money/ledger/ledger.js';
import type { Encoded } from '../../../src/money/ledger/waiting.js';
import type { WriteAheadFile } from '../../../src/money/ledger/write-ahead-file.js';
import type { Writer } from '../../../src/money/ledger/writer.js';

const FILE = { append: async () => {}, clear: async () => {} } as unknown as WriteAheadFile;

const refOf = (requestId: string): RequestRef => ({ accountId: 'account', requestId });

const op = (kind: Encoded['kind'], lane: Encoded['lane']): Encoded => ({
  kind,
  lane,
  amount: kind === 'delivered' ? null : '1',
  text: '{}',
});
const hold = op('hold', 'hold');
const charge = op('finalize', 'charge');
const mark = op('delivered', 'mark');

/** The batches that a batcher has begun, each by the kinds of its operations. */
function batcherWith(batches: string[][]): Batcher {
  const writer = {
    apply: async (batch) => {
      batches.push(batch.map(({ kind }) => kind));
      // The answer takes a turn of the event loop, as one of the database does.
      await new Promise(setImmediate);
      return { rows: batch.map((_, place) => [place + 1, 'ok', '1', null]), isFlushed: true };
    },
    isConnected: () => true,
    rejoin: async () => {},
    giveBack: () => {},
    superseded: () => false,
  } satisfies Writer;
  return new Batcher(writer, FILE, pino({ level: 'silent' }));
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

describe('a note', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that comes with the answer of a batch goes with what is asked next', async () => {
    const batches: string[][] = [];
    const batcher = batcherWith(batches);
    await batcher.settle(refOf('first'), charge);
    batcher.note(refOf('first'), mark);
    await turns(5);
    expect(batches).toEqual([['finalize']]);
    await batcher.take(refOf('second'), hold);
    expect(batches).toEqual([['finalize'], ['delivered', 'hold']]);
    batcher.stop();
  });

  it('goes by itself after a little, where nothing else does', async () => {
    const batches: string[][] = [];
    const batcher = batcherWith(batches);
    await batcher.settle(refOf('first'), charge);
    batcher.note(refOf('first'), mark);
    await turns(5);
    await vi.advanceTimersByTimeAsync(19);
    await turns(5);
    expect(batches).toEqual([['finalize']]);
    await vi.advanceTimersByTimeAsync(1);
    await turns(5);
    expect(batches).toEqual([['finalize'], ['delivered']]);
    expect(batcher.queuedOps).toBe(0);
    batcher.stop();
  });

  it('does not wait where there are enough of them for a batch', async () => {
    const batches: string[][] = [];
    const batcher = batcherWith(batches);
    for (let made = 0; made < 600; made += 1) batcher.note(refOf(`request ${made}`), mark);
    await turns(10);
    expect(batches.map(({ length }) => length)).toEqual([256, 256]);
    await vi.advanceTimersByTimeAsync(20);
    await turns(5);
    expect(batches.map(({ length }) => length)).toEqual([256, 256, 88]);
    batcher.stop();
  });

  it('does not wait when the ledger is drained', async () => {
    const batches: string[][] = [];
    const batcher = batcherWith(batches);
    for (let made = 0; made < 300; made += 1) batcher.note(refOf(`request ${made}`), mark);
    const drained = batcher.drain();
    await turns(9);
    expect(batches.map(({ length }) => length)).toEqual([256, 44]);
    await vi.advanceTimersByTimeAsync(100);
    await drained;
    batcher.stop();
  });
});
