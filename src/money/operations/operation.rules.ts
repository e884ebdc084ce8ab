import type { Fault } from '../../kernel/errors/fail.js';
import { fits, wellFormed } from '../../kernel/errors/faults.js';
import type { MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';
import { type AdvanceState, movedSince } from '../advances/lots.rules.js';
import type { OperationContent } from './tables.js';
import type { BalanceOperationKind } from './vocabulary.js';

/** An operation as it is asked for. */
export interface Order {
  /** The id of its line in the ledger. */
  readonly id: string;
  readonly operation: BalanceOperationKind;
  readonly tenantId: string;
  /** Null for all that is left. */
  readonly amountMicro: MicroRub | null;
  readonly chargedRequestId: string | null;
  readonly reason: string;
  readonly requestedBy: string;
  readonly approvedBy: string | null;
}

/** What single fields of an order do not show. */
export function orderFaults({ operation, amountMicro, reason }: Order): Fault[] {
  const amount = amountMicro ?? MICRO_PER_KOPECK;
  const isWhole = operation !== 'balance_return' || amount % MICRO_PER_KOPECK === 0n;
  return [
    ...fits('input.amountRub', amount !== 0n, 'must not be zero'),
    ...fits('input.amountRub', isWhole, 'must be in whole kopecks'),
    ...wellFormed('input.reason', reason),
  ];
}

/** Whether another administrator has to approve what this one does, with what it did before. */
export function needsApproval(
  amountMicro: MicroRub,
  doneMicro: MicroRub,
  limitMicro: MicroRub,
): boolean {
  const size = amountMicro < 0n ? -amountMicro : amountMicro;
  return size + doneMicro > limitMicro;
}

/** The line that the ledger wrote, with the charge that it gives back. */
export interface PostedLine {
  readonly at: Date;
  readonly amountMicro: MicroRub;
  readonly postedDelta: MicroRub;
  readonly postedAfter: MicroRub;
  readonly vatMicro: MicroRub;
  readonly rate: number | null;
  readonly chargedAt: Date | null;
  readonly chargedMicro: MicroRub | null;
  readonly refundedMicro: MicroRub | null;
}

/** What the receipt of an operation says. */
export function contentOf(
  order: Order,
  line: PostedLine,
  before: AdvanceState,
  after: AdvanceState,
): OperationContent {
  const { operation, id, chargedRequestId, reason, requestedBy, approvedBy } = order;
  const { amountMicro, vatMicro, rate, chargedAt, chargedMicro, refundedMicro } = line;
  const lots = movedLots(before, after);
  const bonusMicro = after.bonus.leftMicro - before.bonus.leftMicro;
  return {
    ...{ operation, requestId: id, chargedRequestId, reason, requestedBy, approvedBy },
    amountMicro: line.postedDelta,
    netMicro: amountMicro - vatMicro,
    vatMicro,
    vatRatePercent: rate === null ? null : rate / 100,
    ...{ chargedAt, chargedMicro },
    chargeLeftMicro: chargedMicro === null ? null : chargedMicro - (refundedMicro ?? 0n),
    postedAfterMicro: line.postedAfter,
    bonusMicro,
    lots,
    documents: standsIn(operation, line, lots, bonusMicro),
    document: null,
  };
}

function movedLots(before: AdvanceState, after: AdvanceState): OperationContent['lots'] {
  return after.lots.flatMap((lot, index) => {
    const { restored, returned } = movedSince(lot, before.lots[index]);
    if (restored.exactMicro === 0n && returned.exactMicro === 0n) return [];
    return [
      {
        lotId: lot.id,
        receivedOn: moscowDay(lot.at.getTime()),
        vatRatePercent: lot.rate / 100,
        restoredMicro: restored.exactMicro,
        returnedMicro: returned.exactMicro,
        grossMicro: returned.grossMicro - restored.grossMicro,
        vatMicro: returned.vatMicro - restored.vatMicro,
      },
    ];
  });
}

/**
 * Where it will stand: the close of its month alone makes papers of it, in whole kopecks and
 * together with all else of the month. A refund of a charge of the same month lowers what its УПД
 * shows; one of an earlier month is a correction of that. What leaves advances is in the return of
 * advances, and what the operator gives or takes in the notices of the bonus.
 */
function standsIn(
  operation: BalanceOperationKind,
  { at, chargedAt }: PostedLine,
  lots: OperationContent['lots'],
  bonusMicro: MicroRub,
): OperationContent['documents'] {
  const month = monthOf(at);
  const none = { month, basisMonth: null, lotId: null };
  if (operation === 'request_refund') {
    const basisMonth = chargedAt === null ? null : monthOf(chargedAt);
    const isOfEarlier = basisMonth !== null && basisMonth < month;
    return [isOfEarlier ? { kind: 'correction', ...none, basisMonth } : { kind: 'upd', ...none }];
  }
  const returned = lots
    .filter(({ returnedMicro }) => returnedMicro > 0n)
    .map(({ lotId }) => ({ kind: 'advance_return', month, basisMonth: null, lotId }) as const);
  if (bonusMicro > 0n) return [{ kind: 'bonus_notice', ...none }, ...returned];
  return [
    ...(bonusMicro < 0n ? [{ kind: 'bonus_withdrawal', ...none } as const] : []),
    ...returned,
  ];
}

function monthOf(at: Date): string {
  return moscowDay(at.getTime()).slice(0, 7);
}
