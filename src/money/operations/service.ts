import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { Fields } from '../../kernel/fields/field.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { askAnother } from './approval.js';
import { type Order, orderFaults } from './operation.rules.js';
import { perform } from './perform.js';
import {
  ADJUSTMENT_INPUT,
  CREDIT_INPUT,
  type OperationOutcome,
  REFUND_INPUT,
  RETURN_INPUT,
} from './tables.js';

/** @throws platform_admin_required for everybody else */
export function requirePlatformAdmin({ who }: AuthorizedCtx): void {
  if (!who.platformAdmin) fail('platform_admin_required');
}

/** The values of an input, for administrators of the platform alone. */
function asked<F extends Fields>(ctx: AuthorizedCtx, fields: F, given: GivenValues) {
  requirePlatformAdmin(ctx);
  const values = inputValues(fields, given);
  failOnFaults(inputFaults(fields, values, 'input'));
  return values;
}

/** What the ids of keys make of an order: its line is the same in every attempt. */
type NewOrder = Omit<Order, 'id' | 'requestedBy' | 'approvedBy'> & { readonly id?: string };

/**
 * Carries an order out, or puts it before another administrator where it is above the limit.
 * @throws as `perform`
 */
export async function carryOut(ctx: AuthorizedCtx, wanted: NewOrder): Promise<OperationOutcome> {
  const order: Order = {
    id: idUnderKey(ctx, 'Request'),
    ...wanted,
    reason: wanted.reason.trim(),
    requestedBy: ctx.who.id,
    approvedBy: null,
  };
  failOnFaults(orderFaults(order));
  const { id: operationId, operation, tenantId } = order;
  const done = await perform(ctx.services, order, ctx.requestId);
  const named = { operationId, operation, tenantId };
  if ('waitsFor' in done) {
    const approval = await askAnother(ctx, order, done.waitsFor);
    const nothing = { vatMicro: null, postedAfterMicro: null, receiptId: null };
    const amountMicro = operation === 'balance_return' ? -done.waitsFor : done.waitsFor;
    const status = 'waiting_for_approval';
    return { ...named, status, amountMicro, ...nothing, approvalId: approval.id };
  }
  const { content, id: receiptId } = done.receipt;
  const { amountMicro, vatMicro, postedAfterMicro } = content;
  return {
    ...{ ...named, status: 'posted', amountMicro, vatMicro, postedAfterMicro, receiptId },
    approvalId: null,
  };
}

/**
 * Gives the charge of a request back, whole or in part.
 * @throws platform_admin_required, invalid_request, not_found, refund_exceeds_charge
 */
export function refundRequest(ctx: AuthorizedCtx, given: GivenValues): Promise<OperationOutcome> {
  const { requestId: chargedRequestId, ...order } = asked(ctx, REFUND_INPUT.fields, given);
  return carryOut(ctx, {
    operation: 'request_refund',
    chargedRequestId,
    ...order,
  });
}

/** Gives a bonus. @throws platform_admin_required, invalid_request, not_found */
export function creditBalance(ctx: AuthorizedCtx, given: GivenValues): Promise<OperationOutcome> {
  const order = asked(ctx, CREDIT_INPUT.fields, given);
  const kind = { operation: 'goodwill_credit', chargedRequestId: null } as const;
  return carryOut(ctx, { ...kind, ...order });
}

/**
 * Corrects the balance, either way.
 * @throws platform_admin_required, invalid_request, not_found, balance_not_available
 */
export function adjustBalance(ctx: AuthorizedCtx, given: GivenValues): Promise<OperationOutcome> {
  const order = asked(ctx, ADJUSTMENT_INPUT.fields, given);
  const kind = { operation: 'adjustment', chargedRequestId: null } as const;
  return carryOut(ctx, { ...kind, ...order });
}

/**
 * Returns unused funds to the customer.
 * @throws platform_admin_required, invalid_request, not_found, balance_not_available
 */
export function returnBalance(ctx: AuthorizedCtx, given: GivenValues): Promise<OperationOutcome> {
  const order = asked(ctx, RETURN_INPUT.fields, given);
  const kind = { operation: 'balance_return', chargedRequestId: null } as const;
  return carryOut(ctx, { ...kind, ...order });
}
