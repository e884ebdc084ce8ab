import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults, toGatewayError } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { formatRub, MICRO_PER_RUB, type MicroRub } from '../../kernel/money.js';
import { audit } from '../../records/audit-trail.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { inTransaction } from '../../records/scope.js';
import type { PostOp, PostOutcome } from '../ledger/ledger.js';
import type { Balance, TOP_UP } from './tables.js';
import { termsInForce } from './terms.js';

/** Largest single manual top-up. */
const TOP_UP_MICRO_MAX: MicroRub = 100_000_000n * MICRO_PER_RUB;

/** The balance as the ledger has it now. */
export async function readBalance(ctx: AuthorizedCtx): Promise<Balance> {
  const { id, postedMicro, heldMicro } = await database(ctx).account.findFirstOrThrow();
  const terms = await termsInForce(database(ctx), ctx.who.tenantId);
  const { plan, slaClass, commitMicro } = terms;
  const availableMicro = postedMicro - heldMicro;
  const funds = { accountId: id, currency: 'RUB', postedMicro, heldMicro, availableMicro };
  return { ...funds, plan, slaClass, commitMicro };
}

/**
 * Adds funds by hand, for development and tests. In production only where the server allows it.
 * @throws manual_top_up_disabled, invalid_request
 */
export async function topUpManually(
  ctx: AuthorizedCtx,
  amountMicro: MicroRub,
  note?: string | null,
): Promise<ValuesOf<typeof TOP_UP.fields>> {
  if (!ctx.services.config.manualTopUpAllowed) fail('manual_top_up_disabled');
  failOnFaults(range('amount', amountMicro, { min: 1n, max: TOP_UP_MICRO_MAX }, formatRub));
  const requestId = idUnderKey(ctx, 'Request');
  const description = note?.trim() || 'Manual top-up';
  await postTopUp(ctx, { requestId, amountMicro, description });
  return { requestId, amountMicro, balance: await readBalance(ctx) };
}

/** A posting whose answer was lost is sent again for so long. */
const POST_MS_MAX = 1_000;
const RETRY_MS = 100;

type TopUp = Pick<PostOp, 'requestId' | 'amountMicro' | 'description'>;

/** Sent again where its answer was lost: under its request id it is posted once. */
async function postTopUp(ctx: AuthorizedCtx, topUp: TopUp): Promise<void> {
  const deadlineMs = performance.now() + POST_MS_MAX;
  for (;;) {
    try {
      await inTransaction(ctx, {}, (tx) => postOnce(ctx, tx, topUp));
      return;
    } catch (error) {
      // Inside of a larger transaction there is nothing to send again: it is lost as a whole.
      const isAway = toGatewayError(error).code === 'ledger_unavailable';
      if (!isAway || ctx.atCommit || performance.now() > deadlineMs) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** The posting with its audit event, in one transaction. */
async function postOnce(ctx: AuthorizedCtx, tx: Transaction, topUp: TopUp): Promise<void> {
  const { tenantId, accountId, id: actorId } = ctx.who;
  const { requestId, amountMicro, description } = topUp;
  const [posted] = await tx.$queryRaw<{ status: PostOutcome['status'] }[]>`
    SELECT status FROM ledger_top_up(${accountId}::uuid, ${requestId}::uuid,
      ${amountMicro}::bigint, ${description}, ${actorId}::uuid)`;
  if (posted?.status === 'duplicate') return;
  if (posted?.status !== 'ok') throw new Error(`a top-up was answered ${posted?.status}`);
  await audit(ctx, tx, {
    action: 'billingTopUp',
    subject: 'Account',
    subjectId: accountId,
    after: { request_id: requestId, amount_rub: formatRub(amountMicro), tenant: tenantId },
  });
}
