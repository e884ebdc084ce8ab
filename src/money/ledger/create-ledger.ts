import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { BATCH_CHARACTERS_MAX, batchLength } from './batch.js';
import { Batcher } from './batcher.js';
import { type Fence, LedgerConnection, run } from './connection.js';
import {
  encodeCharge,
  encodeCheckpoint,
  encodeDelivered,
  encodeHold,
  encodeRelease,
  encodeSettle,
} from './encode.js';
import { faultOf } from './faults.js';
import type {
  ChargeOp,
  HoldOutcome,
  Ledger,
  RequestRef,
  SettleOutcome,
  StandingRequest,
} from './ledger.js';
import { NodeEpoch, type NodeEpochTimes } from './node-epoch.js';
import { holdOutcome, settleOutcome } from './outcomes.js';
import { postings, UnreadRefunds } from './postings.js';
import { FORGET_ANSWERS, OPEN_HOLDS, RELEASE_LOST, STANDING } from './statements.js';
import type { SettleAnswer } from './waiting.js';
import { openWriteAheadFile, type WriteAheadFile } from './write-ahead-file.js';
import type { Writer } from './writer.js';

/** What a ledger is made of. */
export interface LedgerOptions {
  readonly pool: Pool;
  /**
   * Names this node. It must be the same after a restart, or the requests that a crash left open
   * wait until the name is unseen for `unseenMs`; and no two processes may share it.
   */
  readonly nodeId: string;
  /** The folder of the write-ahead file. */
  readonly dataDir: string;
  readonly log: Logger;
  readonly times?: Partial<NodeEpochTimes>;
}

const TIMES: NodeEpochTimes = { beatMs: 2_000, sweepMs: 5_000, unseenMs: 30_000 };
const REPLAY_ROOM = { ops: 200, characters: BATCH_CHARACTERS_MAX };
/** Keys live for a day; an answer outlives its key by a little. */
export const ANSWER_HOURS_MAX = 25;

/** The ledger of this process. It serves after `start`. */
export function createLedger(options: LedgerOptions): Ledger {
  const { pool, nodeId, log } = options;
  const nodeEpoch = new NodeEpoch(pool, nodeId, log, { ...TIMES, ...options.times });
  const writeAheadFile = openWriteAheadFile(options.dataDir, nodeId);
  const fence = (): Fence => [nodeId, nodeEpoch.epoch];
  const connection = new LedgerConnection(pool, fence);
  const unread = new UnreadRefunds(pool, log, (ref) => mark(batcher, ref));
  const batcher = new Batcher(writerOf(connection, nodeEpoch, unread), writeAheadFile, log);
  let started = false;
  let lostHolds = 0;
  let overruns = 0;
  return {
    hold: async (op) => holdOutcome(await batcher.take(op, encodeHold(op))),
    charge(op) {
      if (op.overrun) overruns += 1;
      return charge(batcher, op);
    },
    async settle(op) {
      if (op.overrun) overruns += 1;
      return settled(await batcher.settle(op, encodeSettle(op)), op.amountMicro);
    },
    release: async (op) => settled(await batcher.settle(op, encodeRelease(op)), 0n),
    delivered: (accountId, requestId) => mark(batcher, { accountId, requestId }),
    checkpoint: (op) => batcher.note(op, encodeCheckpoint(op)),
    standing: (accountId, requestId) => standing(pool, accountId, requestId),
    async releaseLost(isUnderWay, olderThanMs) {
      const released = await releaseLost(pool, fence(), isUnderWay, olderThanMs);
      lostHolds += released.length;
      return released;
    },
    async forgetAnswers() {
      await run(pool, FORGET_ANSWERS, [ANSWER_HOURS_MAX]);
    },
    ...postings(pool),
    async start() {
      await nodeEpoch.takeOver();
      // A replayed charge bears this epoch. Where the file does not say that its answer arrived,
      // nobody of this process will, so it has to be one of an ended epoch when recovery looks.
      if (await replay(writeAheadFile, (text) => connection.applyText(text), log))
        await nodeEpoch.takeOverAnew();
      await nodeEpoch.recover();
      nodeEpoch.startTimers();
      batcher.start();
      started = true;
    },
    drain: () => batcher.drain(),
    async stop() {
      started = false;
      await batcher.drain();
      batcher.stop();
      unread.stop();
      nodeEpoch.stopTimers();
      connection.close();
      await nodeEpoch.retire().catch((error: unknown) => {
        log.warn({ err: error }, 'ledger epoch not retired; the next sweep ends it');
      });
      await writeAheadFile.close();
    },
    healthy: () => started && batcher.available && nodeEpoch.reachable && !nodeEpoch.superseded,
    gauges: () => ({
      epoch: nodeEpoch.epoch,
      queuedOps: batcher.queuedOps,
      inFlightOps: batcher.inFlightOps,
      lastBatchMs: batcher.lastBatchMs,
      lostHolds,
      overruns,
      ...batcher.counts,
    }),
  };
}

async function charge(batcher: Batcher, op: ChargeOp): Promise<HoldOutcome> {
  const outcome = holdOutcome(await batcher.take(op, encodeCharge(op)));
  // Not before its caller knows of it: until then the end of this process gives it back.
  if (op.delivered && 'heldMicro' in outcome) mark(batcher, op);
  return outcome;
}

/** Makes a charge final. */
function mark(batcher: Batcher, ref: RequestRef): void {
  batcher.note(ref, encodeDelivered(ref));
}

function writerOf(
  connection: LedgerConnection,
  nodeEpoch: NodeEpoch,
  unread: UnreadRefunds,
): Writer {
  return {
    apply: (batch, sorted) => connection.apply(batch, sorted),
    isConnected: () => connection.isOpen,
    giveBack: (ref, amountMicro) => void unread.refund(ref, amountMicro),
    rejoin: () => nodeEpoch.rejoin(),
    superseded: () => nodeEpoch.superseded,
  };
}

function settled(answer: SettleAnswer, askedMicro: bigint): SettleOutcome {
  if (answer !== 'journaled') return settleOutcome(answer);
  return { status: 'journaled', chargedMicro: askedMicro, uncollectedMicro: 0n };
}

async function releaseLost(
  pool: Pool,
  fence: Fence,
  isUnderWay: (requestId: string) => boolean,
  olderThanMs: number,
): Promise<string[]> {
  const open = await run<OpenHold>(pool, OPEN_HOLDS, [...fence, olderThanMs]);
  const released: string[] = [];
  for (const { account_id: account, request_id: request } of open) {
    if (isUnderWay(request)) continue;
    const values = [...fence, account, request];
    const [row] = await run<{ released: boolean }>(pool, RELEASE_LOST, values);
    if (row?.released) released.push(request);
  }
  return released;
}

interface OpenHold {
  readonly account_id: string;
  readonly request_id: string;
}

/** Reads outside the batches: only repetitions of keyed requests ask. */
async function standing(
  pool: Pool,
  accountId: string,
  requestId: string,
): Promise<StandingRequest> {
  const [row] = await run<{ state: StandingRequest['state']; answer: Buffer | null }>(
    pool,
    STANDING,
    [accountId, requestId],
  );
  return { state: row?.state ?? 'none', answer: row?.answer ?? undefined };
}

/**
 * Before recovery: what was settled on this node's disk must not be released.
 * @returns true when there was something
 */
async function replay(
  file: WriteAheadFile,
  apply: (operations: string) => Promise<unknown>,
  log: Logger,
): Promise<boolean> {
  const lines = await file.read();
  if (lines.length === 0) return false;
  const send = async (some: readonly string[]): Promise<void> => {
    try {
      await apply(`[${some.join(',')}]`);
    } catch (error) {
      if (faultOf(error) !== 'statement') throw error;
      if (some.length > 1) {
        for (const line of some) await send([line]);
      } else log.error({ err: error, operation: some[0] }, 'journaled operation refused');
    }
  };
  for (let left = lines; left.length > 0; ) {
    const length = batchLength(left, String, REPLAY_ROOM);
    await send(left.slice(0, length));
    left = left.slice(length);
  }
  log.warn({ operations: lines.length }, 'write-ahead file replayed');
  await file.clear();
  return true;
}
