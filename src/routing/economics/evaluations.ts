import type { SealedReceipt } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { requireOwn } from '../../records/own.js';
import { receiptOf } from '../../records/receipt.js';
import type { ReceiptKind } from '../../records/receipt-kinds.js';

/** An answer that an evaluation has judged; usage knows by its id who gave it. */
export interface JudgedAnswer {
  readonly requestId: string;
  readonly passed: boolean;
}

type Reading = (content: unknown) => readonly JudgedAnswer[];

const readings = new Map<string, Reading>();

/**
 * Registers receipts that seal evaluations: their answers were given to requests that the gateway
 * itself has made, and judged by it. No other receipt can back a scorecard.
 * @throws TypeError for a kind that is registered already
 */
export function registerEvaluations<C>(
  { kind }: ReceiptKind<C>,
  read: (content: C) => readonly JudgedAnswer[],
): void {
  if (readings.has(kind)) throw new TypeError(`evaluations of ${kind} are registered twice`);
  readings.set(kind, read as Reading);
}

/** A sealed evaluation. */
export interface Evaluation {
  readonly receipt: SealedReceipt;
  readonly answers: readonly JudgedAnswer[];
}

/**
 * The answers that a receipt of the tenant has sealed.
 * @throws not_found, invalid_request for a receipt that seals no evaluation
 */
export async function requireEvaluation(ctx: AuthorizedCtx, id: string): Promise<Evaluation> {
  const param = 'input.evaluationReceiptId';
  const receipt = await requireOwn(ctx, 'SealedReceipt', id, { param, subject: 'receipt' });
  const read = readings.get(receipt.kind);
  const kinds = [...readings.keys()].join(', ');
  const what = `is a receipt of the kind ${receipt.kind}; evaluations are sealed in ${kinds}`;
  if (!read) failOnFaults([fault(param, 'invalid', what)]);
  return { receipt, answers: read?.(receiptOf(receipt).content) ?? [] };
}
