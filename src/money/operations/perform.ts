import type { Services, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub, MICRO_PER_RUB, type MicroRub } from '../../kernel/money.js';
import type { SnapshotQuery } from '../../platform/database/tenant-snapshot.js';
import { audit } from '../../records/audit-trail.js';
import type { Receipt } from '../../records/receipt.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';
import { type AdvanceState, paidLeft } from '../advances/lots.rules.js';
import { AdvanceReading } from '../advances/read.js';
import type { PostOutcome } from '../ledger/ledger.js';
import { doneAlone } from './done-alone.js';
import { contentOf, needsApproval, type Order, type PostedLine } from './operation.rules.js';
import { BALANCE_OPERATION_RECEIPTS } from './records.js';
import type { OperationContent } from './tables.js';
import { operationRow } from './vocabulary.js';

/** What became of an order: its receipt, or that another one has to approve this amount. */
export type Performed =
  | { readonly receipt: Receipt<OperationContent> }
  | { readonly waitsFor: MicroRub };

/** An account that nobody else moves, with the advances that explain its balance. */
interface Account {
  readonly id: string;
  readonly version: bigint;
  readonly postedMicro: bigint;
  readonly heldMicro: bigint;
  readonly creditLimitMicro: bigint;
  readonly advances: AdvanceState;
}

/** What was passed over without the lock is needed: it is read again. */
class OutdatedReading extends Error {}

/** After so many readings that others have overtaken, it is read with the account locked. */
const READINGS_MAX = 3;

/**
 * Carries an order out in one transaction, with the account locked: the limit, the line of the
 * ledger, the audit event and the receipt. An order that was carried out before is answered with
 * its receipt.
 *
 * While the account is locked, no request of its organization is held or charged, nor is one of
 * another organization that shares a batch with it. So its life is read before, and with the lock
 * only the lines that came meanwhile; and nothing waits for another connection.
 * @param httpRequestId the request that it is part of, as the audit trail says
 * @throws not_found, refund_exceeds_charge, balance_not_available
 */
export async function perform(
  services: Services,
  order: Order,
  httpRequestId: string,
): Promise<Performed> {
  for (let readings = 1; ; readings += 1) {
    const reading = await readBefore(services, order);
    try {
      return await transactAcrossTenants(services, (tx) =>
        performLocked(services, tx, order, {
          reading,
          httpRequestId,
          isLast: readings >= READINGS_MAX,
        }),
      );
    } catch (error) {
      if (!(error instanceof OutdatedReading)) throw error;
    }
  }
}

interface Attempt {
  readonly reading: AdvanceReading;
  readonly httpRequestId: string;
  readonly isLast: boolean;
}

async function performLocked(
  services: Services,
  tx: Transaction,
  order: Order,
  attempt: Attempt,
): Promise<Performed> {
  const isAlone = order.approvedBy === null;
  // Whoever locks both locks the administrator first.
  const doneMicro = isAlone ? await doneAlone(tx, order.requestedBy) : 0n;
  const { account, reading } = await lockAccount(tx, order, attempt);
  const scope = { services, who: { tenantId: order.tenantId } };
  const known = await BALANCE_OPERATION_RECEIPTS.byKey(scope, order.id, { tx });
  if (known) return { receipt: known };
  const amountMicro = order.amountMicro ?? (await allThatIsLeft(tx, account, order));
  const limitMicro = BigInt(services.config.GW_FOUR_EYES_ABOVE_RUB) * MICRO_PER_RUB;
  if (isAlone && needsApproval(amountMicro, doneMicro, limitMicro)) {
    await requirePossible(tx, account, order, amountMicro);
    return { waitsFor: amountMicro };
  }
  await post(tx, account, order, amountMicro);
  const content = await contentOfPosted(tx, { account, reading }, order);
  await record(tx, order, content, attempt.httpRequestId);
  return { receipt: await BALANCE_OPERATION_RECEIPTS.seal(scope, order.id, content, { tx }) };
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

/** The life of the account until now, read without holding anybody up. @throws not_found */
function readBefore(services: Services, { tenantId, chargedRequestId }: Order) {
  return transactAcrossTenants(services, async (tx) => {
    const account = await tx.account.findFirst({ where: { tenantId } });
    if (!account) {
      return fail('not_found', {
        values: { subject: 'organization', id: tenantId },
        param: 'input.tenantId',
      });
    }
    const reading = new AdvanceReading(account.id, chargedRequestId);
    await reading.readTo(queryOf(tx), account);
    return reading;
  });
}

/** Locks the account, and reads what came since. @throws OutdatedReading */
async function lockAccount(
  tx: Transaction,
  { chargedRequestId }: Order,
  { reading, isLast }: Attempt,
): Promise<{ readonly account: Account; readonly reading: AdvanceReading }> {
  const { accountId } = reading;
  const [locked] = await tx.$queryRaw<{ posted: bigint; held: bigint }[]>`
    SELECT posted, held FROM ledger_lock_account(${accountId}::uuid)`;
  if (!locked) throw new Error('an account is gone');
  const row = await tx.account.findUniqueOrThrow({ where: { id: accountId } });
  const { version, postedMicro, heldMicro, creditLimitMicro } = row;
  const place = { version, postedMicro };
  let read = reading;
  if (!(await read.readTo(queryOf(tx), place))) {
    if (!isLast) throw new OutdatedReading();
    read = new AdvanceReading(accountId, chargedRequestId);
    await read.readTo(queryOf(tx), place);
  }
  const account = { id: accountId, ...place, heldMicro, creditLimitMicro };
  return { account: { ...account, advances: read.state() }, reading: read };
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
  const free = returnable(account);
  return free > 0n ? free : refuseTaking(0n);
}

/** What a customer can get back, in whole kopecks, down. */
function returnable({ postedMicro, heldMicro, advances }: Account): MicroRub {
  const paid = paidLeft(advances);
  const free = postedMicro - heldMicro;
  const least = paid < free ? paid : free;
  return least > 0n ? least - (least % MICRO_PER_KOPECK) : 0n;
}

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
    const free = returnable(account);
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
    const free = returnable(account);
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
  { account, reading }: { readonly account: Account; readonly reading: AdvanceReading },
  order: Order,
): Promise<OperationContent> {
  const { id: requestId, chargedRequestId } = order;
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
    WHERE e.account_id = ${account.id}::uuid AND e.request_id = ${requestId}::uuid
      AND e.type = ${type}`;
  if (!line) throw new Error('a posted line cannot be read back');
  reading.add({ ...line, type, requestId, chargedRequestId });
  return contentOf(order, line, account.advances, reading.state());
}
