import type { Fault } from '../../kernel/errors/fail.js';
import { fits, wellFormed } from '../../kernel/errors/faults.js';
import type { MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';
import { type AdvanceState, movedSince } from '../advances/lots.rules.js';
import type { OperationContent } from './tables.js';
import { type BalanceOperationKind, OPERATION_DOCUMENTS } from './vocabulary.js';

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
  return {
    ...{ operation, requestId: id, chargedRequestId, reason, requestedBy, approvedBy },
    amountMicro: line.postedDelta,
    netMicro: amountMicro - vatMicro,
    vatMicro,
    vatRatePercent: rate === null ? null : rate / 100,
    ...{ chargedAt, chargedMicro },
    chargeLeftMicro: chargedMicro === null ? null : chargedMicro - (refundedMicro ?? 0n),
    postedAfterMicro: line.postedAfter,
    bonusMicro: after.bonus.leftMicro - before.bonus.leftMicro,
    lots,
    document: documentOf(operation, line, lots),
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

type DocumentKind = OperationContent['document']['kind'];

function documentKind(operation: BalanceOperationKind, isOfEarlierMonth: boolean): DocumentKind {
  if (operation === 'request_refund') return isOfEarlierMonth ? 'correction' : 'services_reduced';
  if (operation === 'balance_return') return 'advance_return';
  return operation === 'adjustment' ? 'adjustment_notice' : 'bonus_notice';
}

/**
 * Its document. A refund bears the tax of its charge; a return that of its advances by their
 * invoices, in whole kopecks; all else bears none, but for the advances that an adjustment takes.
 */
function documentOf(
  operation: BalanceOperationKind,
  { at, amountMicro, vatMicro, chargedAt }: PostedLine,
  lots: OperationContent['lots'],
): OperationContent['document'] {
  const date = moscowDay(at.getTime());
  const month = chargedAt === null ? null : moscowDay(chargedAt.getTime()).slice(0, 7);
  const kind = documentKind(operation, month !== null && month < date.slice(0, 7));
  const ofLots = lots.reduce((sum, lot) => sum + (lot.returnedMicro > 0n ? lot.vatMicro : 0n), 0n);
  const vat = operation === 'request_refund' ? vatMicro : ofLots;
  const { title = '' } = OPERATION_DOCUMENTS.find(kind) ?? {};
  const basis = month === null ? null : `УПД за ${month}`;
  return {
    ...{ kind, title, date, basis },
    netMicro: amountMicro - vat,
    vatMicro: vat,
    grossMicro: amountMicro,
  };
}
