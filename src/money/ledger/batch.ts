import type { RequestRef } from './ledger.js';
import type { Waiting } from './waiting.js';

/** How much one statement takes. */
export interface BatchRoom {
  readonly ops: number;
  readonly characters: number;
}

/**
 * A statement is waited for two seconds and then sent again as it was, so one that takes longer
 * would stand in the way of everybody for ever. Kept answers are a megabyte and more each.
 */
export const BATCH_CHARACTERS_MAX = 4_194_304;

/** How many operations from the front of a lane make one statement; at least one if any wait. */
export function batchLength<Op>(
  lane: readonly Op[],
  textOf: (op: Op) => string,
  room: BatchRoom,
): number {
  let ops = 0;
  let characters = 0;
  for (const op of lane) {
    characters += textOf(op).length;
    if (ops >= room.ops || (ops > 0 && characters > room.characters)) break;
    ops += 1;
  }
  return ops;
}

/** Takes the operations that make one statement from the front of a lane. */
export function takeFront<Op extends { readonly text: string }>(lane: Op[], ops: number): Op[] {
  const room: BatchRoom = { ops, characters: BATCH_CHARACTERS_MAX };
  return lane.splice(
    0,
    batchLength(lane, ({ text }) => text, room),
  );
}

/** Removes the checkpoint of a request that waits: a later one takes its place. */
export function dropCheckpoint(queue: Waiting[], { requestId }: RequestRef): void {
  const isIt = (one: Waiting) => one.kind === 'checkpoint' && one.ref.requestId === requestId;
  const index = queue.findIndex(isIt);
  if (index >= 0) queue.splice(index, 1);
}
