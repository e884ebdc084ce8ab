import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { formatRub, MICRO_PER_RUB, type MicroRub } from '../../kernel/money.js';
import { audit } from '../../records/audit-trail.js';
import { termsInForce } from './terms.js';

/** Largest single manual top-up. */
const TOP_UP_MICRO_MAX: MicroRub = 100_000_000n * MICRO_PER_RUB;

/** The funds of a tenant with its commercial terms. Amounts in micro-rubles, tax included. */
export interface Balance {
  readonly accountId: string;
  readonly postedMicro: MicroRub;
  readonly heldMicro: MicroRub;
  readonly availableMicro: MicroRub;
  readonly plan: string;
  readonly slaClass: string;
  readonly commitMicro: MicroRub;
}

/** What a top-up did. */
export interface ToppedUp {
  readonly requestId: string;
  readonly amountMicro: MicroRub;
  readonly balance: Balance;
}

/** The balance as the ledger has it now. */
export async function readBalance(ctx: AuthorizedCtx): Promise<Balance> {
  const [account, terms] = await Promise.all([
    database(ctx).account.findFirstOrThrow(),
    termsInForce(database(ctx), ctx.who.tenantId),
  ]);
  return {
    accountId: account.id,
    postedMicro: account.postedMicro,
    heldMicro: account.heldMicro,
    availableMicro: account.postedMicro - account.heldMicro,
    plan: terms.plan,
    slaClass: terms.slaClass,
    commitMicro: terms.commitMicro,
  };
}

/**
 * Adds funds by hand, for development and tests. In production only where the server allows it.
 * @throws manual_top_up_disabled, invalid_request
 */
export async function topUpManually(
  ctx: AuthorizedCtx,
  amountMicro: MicroRub,
  note?: string | null,
): Promise<ToppedUp> {
  if (!ctx.services.config.manualTopUpAllowed) fail('manual_top_up_disabled');
  const inBounds = amountMicro > 0n && amountMicro <= TOP_UP_MICRO_MAX;
  const message = `amount_rub must be more than 0 and at most ${formatRub(TOP_UP_MICRO_MAX)}.`;
  failOnFaults(inBounds ? [] : [{ path: 'amount_rub', code: 'out_of_range', message }]);
  const requestId = newId('Request');
  const { tenantId, accountId, id } = ctx.who;
  await ctx.services.ledger.topUp({
    accountId,
    requestId,
    amountMicro,
    description: note?.trim() || 'Manual top-up',
    actorId: id,
  });
  await ctx.services.prisma.$transaction((tx) =>
    audit(ctx, tx, {
      action: 'billingTopUp',
      subject: 'Account',
      subjectId: accountId,
      after: { request_id: requestId, amount_rub: formatRub(amountMicro), tenant: tenantId },
    }),
  );
  return { requestId, amountMicro, balance: await readBalance(ctx) };
}
