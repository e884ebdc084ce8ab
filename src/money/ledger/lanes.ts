import { inTwo } from './encode.js';
import { type AnswerRow, isDone } from './outcomes.js';
import type { Lane, Waiting } from './waiting.js';

/** A batch as ledger_apply_batch takes it: the operations of each lane as a JSON array. */
export interface Lanes {
  /**
   * The accounts of the batch, to be locked in their order before anything is read or written; null
   * where there is one, and what comes first in the batch locks it.
   */
  readonly accounts: readonly string[] | null;
  /** By lane, the places of its operations in the batch; one that went as two has two. */
  readonly places: Readonly<Record<Lane, readonly number[]>>;
  readonly texts: Readonly<Record<Lane, string | null>>;
  /** False where nothing but holds and marks is in it: its commit does not wait for the disk. */
  readonly isFlushed: boolean;
}

/**
 * One row of ledger_apply_batch: an operation that was decided one by one. A charge that brings its
 * hold has two: what became of the hold, then of the charge.
 */
export type LaneRow = readonly [
  lane: Lane,
  position: number,
  status: string,
  amount: string | null,
  detail: string | null,
];

/** Sorts a batch by lanes; one that is not to be sorted is decided one by one. */
export function lanesOf(batch: readonly Waiting[], sorted: boolean): Lanes {
  const places: Record<Lane, number[]> = { charge: [], mark: [], hold: [], rest: [] };
  const texts: Record<Lane, string> = { charge: '', mark: '', hold: '', rest: '' };
  const accounts = new Set<string>();
  const charged = new Set<string>();
  batch.forEach(({ kind, lane: own, ref, text: whole }, place) => {
    let lane = sorted ? own : 'rest';
    // Of two charges of a request the first one counts: the second is decided after all of them.
    if (lane === 'charge' && charged.size === charged.add(ref.requestId).size) lane = 'rest';
    const isTwo = kind === 'charge' && lane === 'rest';
    const text = isTwo ? inTwo(whole) : whole;
    texts[lane] += places[lane].length > 0 ? `,${text}` : text;
    places[lane].push(place);
    if (isTwo) places[lane].push(place);
    accounts.add(ref.accountId);
  });
  const array = (lane: Lane) => (places[lane].length > 0 ? `[${texts[lane]}]` : null);
  return {
    accounts: accounts.size > 1 || isLockedLate(places) ? [...accounts] : null,
    places,
    isFlushed: places.charge.length > 0 || places.rest.length > 0,
    texts: {
      charge: array('charge'),
      mark: array('mark'),
      hold: array('hold'),
      rest: array('rest'),
    },
  };
}

/**
 * Marks that are alone change their holds and lock no account: a refund, which locks the account
 * before the hold, would make them miss the row that it changes, or wait for each other for ever.
 */
function isLockedLate({ charge, mark, hold, rest }: Lanes['places']): boolean {
  return mark.length > 0 && charge.length + rest.length + hold.length === 0;
}

/** The answer to each operation of a batch: what has no row of its own is done as it was asked. */
export function answersOf(
  batch: readonly Waiting[],
  { places }: Lanes,
  rows: readonly LaneRow[],
): readonly AnswerRow[] {
  const answers = batch.map(({ amount }, place): AnswerRow => [place + 1, 'ok', amount, null]);
  const holds = new Map<number, AnswerRow>();
  for (const [lane, position, status, amount, detail] of rows) {
    const place = places[lane][position - 1];
    if (place === undefined) continue;
    const answer: AnswerRow = [place + 1, status, amount, detail];
    const hold = holds.get(place);
    // Where nothing was charged, what its hold was refused with is the reason.
    answers[place] = hold === undefined || isDone(answer) ? answer : hold;
    if (batch[place]?.kind === 'charge') holds.set(place, answer);
  }
  return answers;
}
