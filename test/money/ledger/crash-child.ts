import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { newId } from '../../../src/kernel/ids.js';
import { createLedger } from '../../../src/money/ledger/create-ledger.js';
import type { UsageRecord } from '../../../src/money/ledger/usage-record.js';
import { createPool } from '../../../src/platform/database/pool.js';

/** What the process is given as its one argument. */
export interface CrashOrders {
  readonly connection: object;
  readonly nodeId: string;
  readonly dataDir: string;
  readonly accountId: string;
  readonly tenantId: string;
  readonly budgetIds: readonly string[];
  readonly usage: Omit<UsageRecord, 'prices'>;
  readonly concurrency: number;
}

// A gateway under load, until it is killed. What a client would have seen goes to standard output,
// one line for each answer: written at once, so that the kill cannot take it back.
const orders = JSON.parse(process.argv[2] ?? '{}') as CrashOrders;
const { connection, nodeId, dataDir, accountId, tenantId, budgetIds } = orders;
const usage: UsageRecord = {
  ...orders.usage,
  prices: {
    effectiveFrom: '2026-01-01',
    inputUncached: 1n,
    inputCached: 1n,
    cacheWrite: 1n,
    outputText: 1n,
    outputReasoning: 1n,
  },
};
const pool = createPool({ connection, max: 5, applicationName: 'crash' });
const log = pino({ level: 'fatal' });
const ledger = createLedger({ pool, nodeId, dataDir, log });
await ledger.start();
writeSync(1, 'ready\n');

async function serve(index: number): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const op = { accountId, tenantId, requestId: newId('Request') };
    const { status } = await ledger.hold({ ...op, amountMicro: 1_000n, budgetIds });
    if (status !== 'ok') continue;
    await new Promise((resolve) => setTimeout(resolve, (index + turn) % 7));
    const kind = (index + turn) % 5;
    if (kind === 0) {
      await ledger.release({ ...op, usage: { ...usage, status: 'failed' } });
      writeSync(1, `released ${op.requestId} 0\n`);
      continue;
    }
    if (kind === 1) {
      ledger.checkpoint({ ...op, amountMicro: 300n, usage });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const costMicro = BigInt(900 + ((index + turn) % 200));
    const settled = await ledger.settle({ ...op, amountMicro: costMicro, usage });
    writeSync(1, `charged ${op.requestId} ${settled.chargedMicro}\n`);
    ledger.delivered(accountId, op.requestId);
  }
}

await Promise.all(Array.from({ length: orders.concurrency }, (_, index) => serve(index)));
