import type { Services, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub, MICRO_PER_RUB, type MicroRub } from '../../kernel/money.js';
import type { SnapshotQuery } from '../../platform/database/tenant-snapshot.js';
import { audit } from '../../records/audit-trail.js';
import type { Receipt } from '../../records/receipt.js';
import { RECEIPT_TEXTS } from '../../records/receipt-texts.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';
import { type AdvanceState, paidLeft } from '../advances/lots.rules.js';
import { readAdvances } from '../advances/read.js';
import type { PostOutcome } from '../ledger/ledger.js';
import { OPERATION_RECEIPT } from '../ledger/operation-receipts.js';
import { contentOf, needsApproval, type Order, type PostedLine } from './operation.rules.js';
import { BALANCE_OPERATION_RECEIPTS } from './records.js';
import type { OperationContent } from './tables.js';
import { BALANCE_OPERATIONS, OPERATION_BOUNDS, operationRow } from './vocabulary.js';

/** What became of an order: its receipt, or that another one has to approve this amount. */
export type Performed =
  | { readonly receipt: Receipt<OperationContent> }
  | { readonly waitsFor: MicroRub };

interface Account {
  readonly id: string;
  readonly postedMicro: bigint;
  readonly heldMicro: bigint;
  readonly creditLimitMicro: bigint;
}

/**
 * Carries an order out in one transaction, with the account locked from the first read on: the
 * limit, the line of the ledger, the audit event and the receipt. An order that was carried out
 * before is answered with its receipt.
 * @param httpRequestId the request that it is part of, as the audit trail says
 * @throws not_found, refund_exceeds_charge, balance_not_available
 */
export function perform(
  services: Services,
  order: Order,
  httpRequestId: string,
): Promise<Performed> {
  return transactAcrossTenants(services, async (tx) => {
    const account = await lockAccount(tx, order.tenantId);
    const scope = { services, who: { tenantId: order.tenantId } };
    const known = await BALANCE_OPERATION_RECEIPTS.byKey(scope, order.id);
    if (known) return { receipt: known };
    const amountMicro = order.amountMicro ?? (await allThatIsLeft(tx, account, order));
    const limitMicro = BigInt(services.config.GW_FOUR_EYES_ABOVE_RUB) * MICRO_PER_RUB;
    const doneMicro = order.approvedBy === null ? await doneAlone(tx, account, order) : 0n;
    const isAlone = order.approvedBy === null;
    if (isAlone && needsApproval(amountMicro, doneMicro, limitMicro)) {
      await requirePossible(tx, account, order, amountMicro);
      return { waitsFor: amountMicro };
    }
    await post(tx, account, order, amountMicro);
    const content = await contentOfPosted(tx, account, order);
    await record(tx, order, content, httpRequestId);
    return { receipt: await BALANCE_OPERATION_RECEIPTS.seal(scope, order.id, content, { tx }) };
  });
}

/** The event in the trail of the organization whose balance it is. */
function record(
  tx: Transaction,
  order: Order,
  { amountMicro }: OperationContent,
  requestId: string,
): Promise<void> {
  const { operation, tenantId, reason, requestedBy, approvedBy } = order;
  const amount_rub = formatRub(amountMicro);
  const actor = { kind: 'user', id: requestedBy, tenantId } as const;
  return audit({ requestId }, tx, {
    action: operationRow(operation).action,
    subject: 'BalanceOperation',
    subjectId: order.id,
    after: { operation, amount_rub, reason, approved_by: approvedBy },
    actor,
  });
}

async function lockAccount(tx: Transaction, tenantId: string): Promise<Account> {
  const known = await tx.account.findFirst({ where: { tenantId } });
  if (!known) {
    return fail('not_found', {
      values: { subject: 'organization', id: tenantId },
      param: 'input.tenantId',
    });
  }
  const [locked] = await tx.$queryRaw<{ posted: bigint; held: bigint }[]>`
    SELECT posted, held FROM ledger_lock_account(${known.id}::uuid)`;
  if (!locked) throw new Error('an account is gone');
  const { id, creditLimitMicro } = known;
  return { id, postedMicro: locked.posted, heldMicro: locked.held, creditLimitMicro };
}

const DONE_ALONE = `
  SELECT coalesce(sum(e.amount_micro), 0)::bigint AS micro FROM ledger_entry e
  JOIN ${RECEIPT_TEXTS} r ON r.tenant_id = $1::uuid AND r.kind = '${OPERATION_RECEIPT}'
    AND r.seal_key = e.request_id::text
  WHERE e.account_id = $2::uuid AND e.type = ANY ($3::text[])
    AND e.type IN ('top_up', 'refund', 'adjustment', 'credit', 'balance_return')
    AND e.actor_id = $4::uuid AND r.content::jsonb ->> 'approved_by' IS NULL
    AND e.created_at > clock_timestamp() - make_interval(hours => $5::int)`;

/** What this administrator has done in the account without another one, in the last hours. */
async function doneAlone(
  tx: Transaction,
  { id }: Account,
  { tenantId, requestedBy }: Order,
): Promise<MicroRub> {
  const types = [...new Set(BALANCE_OPERATIONS.rows.map(({ type }) => type))];
  const values = [tenantId, id, types, requestedBy, OPERATION_BOUNDS.countedHours];
  const [row] = await tx.$queryRawUnsafe<{ micro: bigint }[]>(DONE_ALONE, ...values);
  return row?.micro ?? 0n;
}

interface Charge {
  readonly chargedMicro: bigint;
  readonly refundedMicro: bigint;
}

/** @throws not_found for a request that was never charged, or of another organization */
async function chargeOf(tx: Transaction, { tenantId, chargedRequestId }: Order): Promise<Charge> {
  const where = { tenantId, requestId: chargedRequestId ?? '' };
  const hold = await tx.hold.findFirst({ where });
  const { chargedMicro = null, refundedMicro = 0n } = hold ?? {};
  if (chargedMicro) return { chargedMicro, refundedMicro };
  const values = { subject: 'charged request', id: where.requestId };
  return fail('not_found', { values, param: 'input.requestId' });
}

async function allThatIsLeft(tx: Transaction, account: Account, order: Order): Promise<MicroRub> {
  if (order.operation === 'request_refund') {
    const { chargedMicro, refundedMicro } = await chargeOf(tx, order);
    const left = chargedMicro - refundedMicro;
    return left > 0n ? left : refuseRefund(order, 0n);
  }
  const free = await returnable(tx, account);
  return free > 0n ? free : refuseTaking(0n);
}

/** What a customer can get back, in whole kopecks, down. */
async function returnable(tx: Transaction, account: Account): Promise<MicroRub> {
  const { id, postedMicro, heldMicro } = account;
  const place = { version: VERSION_MAX, postedMicro };
  const [state] = await readAdvances(queryOf(tx), id, [place], (book) => book.state());
  const paid = state ? paidLeft(state) : 0n;
  const free = postedMicro - heldMicro;
  const least = paid < free ? paid : free;
  return least > 0n ? least - (least % MICRO_PER_KOPECK) : 0n;
}

const VERSION_MAX = 2n ** 63n - 1n;

/** What could not be posted now is refused, and not put before another administrator. */
async function requirePossible(
  tx: Transaction,
  account: Account,
  order: Order,
  amountMicro: MicroRub,
): Promise<void> {
  if (order.operation === 'request_refund') {
    const { chargedMicro, refundedMicro } = await chargeOf(tx, order);
    const left = chargedMicro - refundedMicro;
    if (amountMicro > left) refuseRefund(order, left);
  } else if (order.operation === 'balance_return') {
    const free = await returnable(tx, account);
    if (amountMicro > free) refuseTaking(free);
  } else {
    const free = account.postedMicro - account.heldMicro;
    if (free + account.creditLimitMicro + amountMicro < 0n) refuseTaking(free);
  }
}

async function post(
  tx: Transaction,
  account: Account,
  order: Order,
  amountMicro: MicroRub,
): Promise<void> {
  const { operation, id, chargedRequestId, requestedBy, reason } = order;
  const { type, noun } = operationRow(operation);
  if (operation === 'balance_return') {
    const free = await returnable(tx, account);
    if (amountMicro > free) refuseTaking(free);
  }
  const description = `${noun}: ${reason}`;
  const [posted] = await tx.$queryRaw<{ status: PostOutcome['status'] }[]>`
    SELECT status FROM ledger_post(${account.id}::uuid, ${id}::uuid, ${type},
      ${amountMicro}::bigint, ${description}, ${requestedBy}::uuid, ${chargedRequestId}::uuid)`;
  switch (posted?.status) {
    case 'ok':
      return;
    case 'no_charge':
      await chargeOf(tx, order);
      throw new Error('a charge was refused as none');
    case 'exceeds_charge': {
      const { chargedMicro, refundedMicro } = await chargeOf(tx, order);
      return refuseRefund(order, chargedMicro - refundedMicro);
    }
    case 'insufficient':
      return refuseTaking(account.postedMicro - account.heldMicro);
    default:
      throw new Error(`an operation was answered ${posted?.status}`);
  }
}

function refuseRefund({ chargedRequestId }: Order, left: MicroRub): never {
  const values = { left: formatRub(left), request: chargedRequestId ?? '' };
  return fail('refund_exceeds_charge', { values, param: 'input.amountRub' });
}

function refuseTaking(available: MicroRub): never {
  const values = { available: formatRub(available > 0n ? available : 0n) };
  return fail('balance_not_available', { values, param: 'input.amountRub' });
}

function queryOf(tx: Transaction): SnapshotQuery {
  return (text, values = []) => tx.$queryRawUnsafe(text, ...values);
}

async function contentOfPosted(
  tx: Transaction,
  { id: accountId }: Account,
  order: Order,
): Promise<OperationContent> {
  const { type } = operationRow(order.operation);
  const [line] = await tx.$queryRaw<(PostedLine & { version: bigint })[]>`
    SELECT e.account_version AS version, e.created_at AS at, e.amount_micro AS "amountMicro",
      e.posted_delta AS "postedDelta", e.posted_after AS "postedAfter", e.vat_micro AS "vatMicro",
      e.vat_rate_basis_points AS rate, c.created_at AS "chargedAt",
      h.charged_micro AS "chargedMicro", h.refunded_micro AS "refundedMicro"
    FROM ledger_entry e
    LEFT JOIN ledger_entry c ON c.account_id = e.account_id
      AND c.request_id = e.charged_request_id AND c.type = 'finalize'
    LEFT JOIN hold h ON h.account_id = e.account_id AND h.request_id = e.charged_request_id
    WHERE e.account_id = ${accountId}::uuid AND e.request_id = ${order.id}::uuid
      AND e.type = ${type}`;
  if (!line) throw new Error('a posted line cannot be read back');
  const places = [
    { version: line.version - 1n, postedMicro: line.postedAfter - line.postedDelta },
    { version: line.version, postedMicro: line.postedAfter },
  ];
  const read = (book: { state(): AdvanceState }) => book.state();
  const [before, after] = await readAdvances(queryOf(tx), accountId, places, read);
  if (!before || !after) throw new Error('an operation has two sides');
  return contentOf(order, line, before, after);
}
