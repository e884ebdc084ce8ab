import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { moscowDay } from '../../kernel/time.js';
import { tenantSnapshot } from '../../platform/database/tenant-snapshot.js';
import { type AdvanceState, type Lot, paidLeft } from './lots.rules.js';
import { readAdvances } from './read.js';
import { type ADVANCES, ADVANCES_QUESTION, type AdvanceLot } from './tables.js';

/** The most advances that an answer tells one by one. */
const LOTS_SHOWN_MAX = 1_000;

const ACCOUNT = `SELECT id, version, posted_micro AS "postedMicro" FROM account
  WHERE tenant_id = $1`;

interface AccountRow extends Record<string, unknown> {
  readonly id: string;
  readonly version: bigint;
  readonly postedMicro: bigint;
}

/** The advances of an account as its lines have them now. */
async function advancesNow(ctx: AuthorizedCtx): Promise<AdvanceState> {
  const { tenantId } = ctx.who;
  return tenantSnapshot(ctx.services.pool, tenantId, async (query) => {
    const [account] = await query<AccountRow>(ACCOUNT, [tenantId]);
    if (!account) throw new Error('an organization has no account');
    const [state] = await readAdvances(query, account.id, [account]);
    return state as AdvanceState;
  });
}

/**
 * Where the balance comes from, and what became of each top-up.
 * @throws invalid_request where more advances are asked for than are shown
 */
export async function advances(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof ADVANCES.fields>> {
  const { from, to, openOnly } = inputValues(ADVANCES_QUESTION, given);
  const state = await advancesNow(ctx);
  const lots = state.lots.filter(
    ({ at, leftMicro }) =>
      (!openOnly || leftMicro !== 0n) && (!from || at >= from) && (!to || at < to),
  );
  const many = `covers ${lots.length} advances; take a shorter window`;
  failOnFaults(lots.length > LOTS_SHOWN_MAX ? [fault('from', 'out_of_range', many)] : []);
  return {
    postedMicro: state.postedMicro,
    paidLeftMicro: paidLeft(state),
    bonusLeftMicro: state.bonus.leftMicro,
    owedMicro: state.owedMicro,
    lots: lots.map(shown),
  };
}

function shown({ id, at, rate, invoice, moved, rest, ...lot }: Lot): AdvanceLot {
  const { offset, restored, returned } = moved;
  return {
    lotId: id,
    receivedOn: moscowDay(at.getTime()),
    vatRatePercent: rate / 100,
    paidMicro: lot.paidMicro,
    settledMicro: lot.settledMicro,
    invoiceGrossMicro: invoice.grossMicro,
    invoiceVatMicro: invoice.vatMicro,
    offsetGrossMicro: offset.grossMicro - restored.grossMicro,
    offsetVatMicro: offset.vatMicro - restored.vatMicro,
    returnGrossMicro: returned.grossMicro,
    returnVatMicro: returned.vatMicro,
    restGrossMicro: rest.grossMicro,
    restVatMicro: rest.vatMicro,
    leftMicro: lot.leftMicro,
  };
}
